#!/usr/bin/env python3
"""Each part killed in the middle of a measured trial: what is told, what is
repeated, what goes on, and that nothing is left."""
import os
import pathlib
import re
import signal

from lab import (PITWALL, Scratch, can_make_namespaces, check,
                 check_nothing_left, descendants, done, json, links, pitwall,
                 query, reap, skip, start, wait_until)

if not can_make_namespaces():
    skip("no network namespaces here: run as root")

RUN = ["run", "--track", "geonames", "--track-param", "bulk_size=500", "-m",
       "link=veth:mtu=1500+rate=200mbit+burst=32kb", "-n", "2", "--warmup",
       "200ms", "--measure", "2s", "--seed", "1", "--no-ceiling", "--name",
       "faults"]


def measuring(db):
    """The first attempt is running (its state is stored before the start)."""
    asked = pitwall("query", "--db", db, "--json", "select count(*) as n "
                    "from attempt where state = 'running'")
    return not asked.returncode and json.loads(asked.stdout)["rows"][0]["n"]


def killed(victim, db):
    """Run the experiment, kill every process called victim once while the
    first trial is measured; exit status and messages."""
    before = links()
    process = start(PITWALL, *RUN, "--db", db)
    wait_until(lambda: measuring(db), 60, "the first trial is measured")
    victims = [p for p, name in descendants().items() if name == victim]
    check(victims, f"{victim} is running")
    for pid in victims:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass  # it went with one killed before
    out, err = process.communicate(timeout=120)
    print(f"-- {victim} killed: exit {process.returncode}\n{err[-1200:]}")
    check_nothing_left(before, 2, f"after {victim} was killed")
    return process.returncode, err


def outcomes(db):
    return [tuple(row) for row in query(
        db, "select t.tid, a.n, a.outcome from attempt a "
            "join trial t on t.id = a.trial order by 1, 2")]


with Scratch():
    # The gate may be restarted at any moment: the trial is not touched.
    code, err = killed("pitwall-gate", "gate.db")
    check(code == 0, f"gate: exit {code}")
    check(outcomes("gate.db") == [(1, 1, "ok"), (2, 1, "ok")], "gate: all ok")

    # Load and watch fail from outside the server under test: repeated once.
    for part, word in (("pitwall-load", "load"), ("pitwall-watch", "watch")):
        db = f"{word}.db"
        code, err = killed(part, db)
        check(code == 0, f"{word}: exit {code}")
        check(outcomes(db) == [(1, 1, "failed"), (1, 2, "ok"), (2, 1, "ok")],
              f"{word}: repeated: {outcomes(db)}")
        check(re.search(rf"failed: .*{word}.*(signal|killed)", err, re.I),
              f"{word}: the message says what happened")

    # A crash of the server under test is a result: never repeated.
    code, err = killed("pitwall-target", "target.db")
    check(code == 3, f"target: exit {code}")
    check(outcomes("target.db") == [(1, 1, "failed"), (2, 1, "ok")],
          f"target: not repeated: {outcomes('target.db')}")
    check(re.search(r"failed: target.*(signal|killed)", err, re.I),
          "target: the message says what happened")
    # What it had logged until then is kept, in whole lines.
    fetched = pitwall("fetch", "--db", "target.db", "1:1", "gc.log")
    check(fetched.returncode == 0, f"fetch: {fetched.stderr}")
    log = pathlib.Path("gc.log").read_text()
    check("Using Serial" in log and log.endswith("\n"), f"gc.log: {log}")

    # The agent itself: told, started again, the trial repeated.
    code, err = killed("pitwall-agent", "agent.db")
    check(code == 0, f"agent: exit {code}")
    check("agent" in err, "the agent's death is told")
    check(outcomes("agent.db")[-1] == (2, 1, "ok")
          and (1, 2, "ok") in outcomes("agent.db"),
          f"agent: repeated: {outcomes('agent.db')}")

    # Bodies of 20 MB do not fit into a heap of 32m: a result like any other,
    # neither repeated nor an error, even where errors end everything.
    ran = pitwall("run", "--track", "pmc", "--test-mode", "-n", "1", "-m",
                  "heap=32m,1g", "--warmup", "0s", "--measure", "300ms",
                  "--retries", "3", "--on-error", "abort", "--no-ceiling",
                  "--canary", "off", "--db", "oom.db")
    check(ran.returncode == 0, f"oom: exit {ran.returncode}: {ran.stderr}")
    check("1 ok, 1 oom, 0 failed, 0 invalid, 0 open" in ran.stdout,
          f"oom: the report counts them: {ran.stdout}")
    check(re.search(r"^32m +oom 1/1 ", ran.stdout, re.M),
          f"oom: the cell says so in place of a figure: {ran.stdout}")
    rows = query("oom.db", "select cell, n, outcome, error from v_trial "
                 "order by cell, tid")
    check([r[:3] for r in rows] == [["heap=1g", 1, "ok"],
           ["heap=32m", 1, "oom"]], f"oom: not repeated: {rows}")
    check("the heap of 33554432 bytes is full" in rows[-1][3],
          f"oom: {rows[-1][3]}")
    tid = query("oom.db", "select tid from v_trial where outcome = 'oom'")[0][0]
    shown = pitwall("show", f"1:{tid}", "--db", "oom.db").stdout
    check(re.search(r"^Outcome +oom", shown, re.M), f"oom: {shown}")
    check(pitwall("fetch", "--db", "oom.db", f"1:{tid}", "target-final.json",
                  "-o", "oom").returncode == 0, "oom: its final record is kept")
reap()
done()
