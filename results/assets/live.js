/* Follows a running experiment: how far it is, and that there is more to see. */
"use strict";
(function () {
  const place = document.getElementById("progress");
  if (!place) return;
  let first = null;

  function link() {
    const a = document.createElement("a");
    a.href = location.href;
    a.textContent = "show them";
    return a;
  }
  function say(now) {
    const done = now.ok + now.oom + now.failed;
    if (first === null) first = done;
    place.textContent = now.state === "running" ?
      "Running: " + done + " of " + now.trials + " trials are done. " : "";
    if (done > first) {
      place.append((done - first) + " more since this page was made: ");
      place.append(link());
    }
    if (now.state === "running") setTimeout(ask, 3000);
  }
  function ask() {
    fetch(place.dataset.of).then((reply) => reply.json()).then(say, () => {
      place.textContent = "The server does not answer any more.";
    });
  }
  ask();
})();
