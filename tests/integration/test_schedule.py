#!/usr/bin/env python3
"""Schedules as a user writes them: against a slow server that counts, and
through `pitwall run`, where every document must be accounted for; and a driver
that is held back, which must be said."""
import http.server
import os
import pathlib
import signal
import socketserver
import threading
import time

from lab import (LOAD, PITWALL, Scratch, check, descendants, done, json, one,
                 pitwall, query, start)

SLOW_S = 0.05


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


class Slow(http.server.BaseHTTPRequestHandler):
    """Answers after 50 ms, and keeps the paths that it was asked for."""
    protocol_version = "HTTP/1.1"
    asked = []
    lock = threading.Lock()

    def do_GET(self):
        time.sleep(SLOW_S)
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with self.lock:
            self.asked.append(self.path)
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    do_POST = do_PUT = do_DELETE = do_GET

    def log_message(self, *_):
        pass


def raw(name, path, **more):
    return {"name": name, "operation": {"operation-type": "raw-request",
                                        "path": path, "name": name}, **more}


TRACK = {
    "version": 2,
    "description": "Steps of every kind",
    "schedule": [
        raw("six", "/six", clients=2, **{"warmup-iterations": 1,
                                         "iterations": 2}),
        {"operation": {"operation-type": "sleep", "duration": 0.1}},
        {"parallel": {"completed-by": "leads", "tasks": [
            raw("leads", "/leads", clients=2, iterations=4),
            raw("follows", "/follows", **{"time-period": 600,
                                          "target-throughput": 10})]}},
        {"parallel": {"clients": 1, "tasks": [
            raw("first", "/first", iterations=3),
            raw("second", "/second", iterations=2)]}},
        raw("open", "/open", clients=1, **{"time-period": 2,
                                           "target-throughput": 40}),
        {"name": "both", "iterations": 3, "operation": {
            "operation-type": "composite", "name": "both", "requests": [
                {"stream": [{"operation-type": "raw-request", "path": "/a"},
                            {"operation-type": "raw-request", "path": "/b"}]},
                {"stream": [{"operation-type": "raw-request",
                             "path": "/c"}]}]}},
    ],
}


def load(url, *words):
    process = start(LOAD, "--target", url, *words)
    out, err = process.communicate(timeout=120)
    check(process.returncode == 0, f"pitwall-load {words}: {err}")
    return out


def steps_of_every_kind():
    server = Server(("127.0.0.1", 0), Slow)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    pathlib.Path("track.json").write_text(json.dumps(TRACK))
    result = json.loads(load(url, "--track", "track.json", "--json"))
    tasks = {task["task"]: task for task in result["tasks"]}
    asked = {path: Slow.asked.count(path) for path in set(Slow.asked)}
    check(asked["/six"] == 6, f"2 clients x (1 + 2): {asked}")
    check(asked["/leads"] == 8, f"2 clients x 4: {asked}")
    # 4 x 50 ms and what a busy machine adds, at 10/s; not 600 s of it.
    check(1 <= asked["/follows"] <= 40, f"until completed: {asked}")
    check(asked["/first"] == 3 and asked["/second"] == 2, f"queued: {asked}")
    check(tasks["second"]["begin_ns"]
          >= tasks["first"]["begin_ns"] + tasks["first"]["window_ns"],
          "one slot: the second after the first")
    check(asked["/a"] == asked["/b"] == asked["/c"] == 3, f"streams: {asked}")
    check(tasks["both"]["ops"] == 3, "three composite operations")
    # Two requests in turn beside one: at least 100 ms.
    check(tasks["both"]["service_ns"]["mean"] >= 2 * SLOW_S * 1e9, "streams")
    check(result["driver"]["requests"] == len(Slow.asked), "all are counted")
    # 40/s were asked for, one client that needs 50 ms cannot do 20.
    late = tasks["open"]
    check(late["offered_s"] == 40, f"offered {late['offered_s']}")
    check(late["achieved_s"] < 21 and late["dropped"] > 0, "the rate is missed")
    check(late["ops"] + late["dropped"] == 80, "2 s x 40/s, started or not")
    steps = [task["step"] for task in result["tasks"]]
    check(steps == sorted(steps) and steps[-1] == 4, f"steps {steps}")
    text = load(url, "--track", "track.json")
    check("offered 40.0/s, achieved" in text and "(not reached)" in text, text)
    server.shutdown()


GENERATED = {
    "version": 2,
    "description": "Two measured steps with a refresh between",
    "indices": [{"name": "i"}],
    "corpora": [{"name": "geonames", "documents": [
        {"generator": "geonames", "document-count": 20000,
         "target-index": "i"}]}],
    "schedule": [
        {"operation": {"name": "fill", "operation-type": "bulk",
                       "bulk-size": 100, "looped": True}, "clients": 3,
         "time-period": 60},
        {"operation": "refresh"},
        {"parallel": {"completed-by": "rest", "tasks": [
            {"operation": {"name": "rest", "operation-type": "bulk",
                           "bulk-size": 100}, "clients": 2},
            raw("info", "/", **{"time-period": 600,
                                "target-throughput": 50})]}},
        {"name": "refresh-again", "operation": "refresh"},
    ],
}


def run(*words, track="two.json"):
    return ["run", "--track", track, "--db", "lab.db", "-n", "1",
            "--warmup", "500ms", "--measure", "2s", *words]


def steps_through_pitwall():
    pathlib.Path("two.json").write_text(json.dumps(GENERATED))
    ran = pitwall(*run("--name", "two", "--no-ceiling"))
    check(ran.returncode == 0, f"run exits {ran.returncode}: {ran.stderr}")
    acked, counted = query("lab.db", "select docs_acked, docs_counted "
                                     "from v_trial")[0]
    check(acked == counted, f"{acked} acknowledged, {counted} counted")
    rows = query("lab.db", "select task, step, docs, window_ns from task "
                           "order by step, task")
    check([row[:2] for row in rows]
          == [["fill", None], ["info", 1], ["rest", 1]]
          or [row[:2] for row in rows]
          == [["fill", 0], ["info", 1], ["rest", 1]], f"tasks {rows}")
    # The trial's figure is the first step's.
    check(one("lab.db", "select throughput from v_trial")
          == one("lab.db", "select value from metric where task = 'fill' and "
                           "name = 'throughput'"), "the trial's throughput")
    check(one("lab.db", "select count(*) from invalid where rule <> "
                        "'rate missed'") == 0, "valid")


def hold_back(process):
    """Let the load have a fifth of each 100 ms, until pitwall ends."""
    while process.poll() is None:
        loads = [pid for pid, name in descendants().items()
                 if name == "pitwall-load"]
        for how, length_s in ((signal.SIGSTOP, 0.08), (signal.SIGCONT, 0.02)):
            for pid in loads:
                try:
                    os.kill(pid, how)
                except ProcessLookupError:
                    pass
            time.sleep(length_s)


def a_driver_held_back_is_told():
    # Without a rate: a driver that is held back may miss it, which is a rule
    # of its own that repeats a trial.
    pathlib.Path("held.json").write_text(json.dumps(
        {**GENERATED, "schedule": GENERATED["schedule"][:2]}))
    process = start(PITWALL, *run("--name", "held", track="held.json"))
    hold_back(process)
    _, err = process.communicate(timeout=120)
    check(process.returncode == 0, f"run exits {process.returncode}: {err}")
    bound, evidence = query(
        "lab.db", "select bound, bound_evidence from v_trial "
                  "where name = 'held'")[0]
    check(bound == "driver", f"bound {bound}: {evidence}")
    check(evidence.startswith("driver: "), evidence)
    broken = query("lab.db", "select rule, evidence from invalid i join "
                             "v_trial_all v on v.attempt = i.attempt "
                             "where v.name = 'held'")
    check(one("lab.db", "select count(*) from v_trial_all where name = 'held'")
          == 1, f"it is not repeated: {broken}")
    shown = pitwall("show", "--db", "lab.db", "held:1").stdout
    check("; evidence:" in shown and "  driver: " in shown, shown)
    report = pitwall("report", "--db", "lab.db", "held").stdout
    check("bounded by the load generator" in report, report)


with Scratch():
    steps_of_every_kind()
    steps_through_pitwall()
    a_driver_held_back_is_told()
done()
