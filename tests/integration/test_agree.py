#!/usr/bin/env python3
"""Both engines measure the same service times in open loop at 30 % of curl's
ceiling, and a millisecond that one of them is given more is found. What they
tell is what their sockets saw, but for the engine's own work in between.

Others may use the machine meanwhile, who disturb curl more than raw, for it
works longer. So the medians decide, and a tenth of a millisecond is allowed;
tests/bench/driver judges all percentiles of latency by what libcurl costs."""
import json
import os
import socket
import statistics
import subprocess
import sys
import threading
import time

from lab import BUILD, LOAD, ROOT, TARGET, Scratch, check, done, start, wait_until

sys.path.insert(0, str(ROOT / "tests" / "lib"))
from agree import cost_ns, interval, judge, word  # noqa: E402

ENGINES, SECONDS, CLIENTS = ["raw", "curl"], 0.2, 4
ROUNDS, ROUNDS_MAX = 5, 10
LATE_S, LATE_RATE, ALLOWED_NS = 0.001, 500, 100e3
OWN_NS = 50e3  # of a request; here 0.2 us of raw, 5 us of curl
WITNESS = {"LD_PRELOAD": BUILD / "tests/bench/driver/libwitness.so",
           "WITNESS": "witness"}


def run(engine, port, *words):
    ended = subprocess.run(
        [LOAD, "-t", "1", "-c", str(CLIENTS), "-d", f"{SECONDS}s", "--json",
         "--engine", engine, *words, f"http://127.0.0.1:{port}/"],
        capture_output=True, text=True, timeout=60, env=os.environ | WITNESS)
    check(ended.returncode == 0, f"{engine}: {ended.stderr}")
    return json.loads(ended.stdout)


def at_rate(engine, port, rate):
    """One run, all of whose requests are accounted for."""
    result = run(engine, port, "-R", f"{rate:.0f}/s", "--warmup", "50ms")
    task, due = result["tasks"][0], round(rate * SECONDS)
    check(task["ops"] + task["dropped"] == due and not task["errors"],
          f"{engine}: {task['ops']} requests and {task['dropped']} dropped of "
          f"{due}: {task['error_text']}")
    with open("witness") as file:
        result["socket_ns"] = int(file.read().split()[1])
    return result


class Late:
    """Passes bytes on to the target, and its answers a millisecond late."""

    def __init__(self, port):
        self.target = port
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            conn, _ = self.socket.accept()
            threading.Thread(target=self.serve, args=(conn,),
                             daemon=True).start()

    def serve(self, conn):
        with conn, socket.create_connection(("127.0.0.1", self.target)) as to:
            for s in (conn, to):
                s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while data := conn.recv(65536):
                to.sendall(data)
                answer = to.recv(65536)
                time.sleep(LATE_S)
                conn.sendall(answer)


def arithmetic():
    """8 values: with 9/256 at most one is beyond the median, with 37/256 at
    most two are, so that the interval goes from the second to the seventh."""
    check(interval([8, 1, 7, 2, 6, 3, 5, 4]) == (2, 7), "interval of 8")
    check(interval([3, 1, 2, 5, 4]) == (1, 5), "interval of 5: 1/32")
    check(interval([1, 2, 3, 4]) is None, "interval of 4: 1/16 is too much")

    check(cost_ns([(1e5, 25e3), (1e5, 2e4), (5e4, 1e4)]) == 40e3,
          "40 - 10, 50 - 10, 100 - 20 us a request")

    def runs(curl, second=100):
        return [{"tasks": [{"service_ns": {"p50": p50, "p90": None,
                                           "p99": None}}]}
                for p50 in (100, curl, second, curl)]
    for curl, second, expected in [
            (102, 100, "yes"), (103, 100, "no"), (97, 100, "no"),
            (110, 130, "yes"), (150, 130, "no")]:
        got = judge([runs(curl, second)] * 5, 2, "service_ns")
        check(list(got) == ["p50"] and word(got) == expected,
              f"curl {curl}, raw 100 and {second}: {got['p50']}")
    check(word(judge([runs(101)] * 4, 2, "service_ns")) == "open",
          "4 rounds are too few")
    check(not judge([runs(None)] * 3 + [runs(101)] * 2, 2, "service_ns"),
          "few have a p50")


def rounds_of(name, expected, rate, ports):
    """Rounds until their verdict is not open; it is never the opposite of what
    is expected, and open at the end where the machine is too noisy for both."""
    rounds, verdict = [], None
    while len(rounds) < ROUNDS_MAX:
        rounds.append([at_rate(engine, port, rate)
                       for engine, port in zip(ENGINES * 2, ports * 2)])
        verdict = judge(rounds, ALLOWED_NS, "service_ns").get("p50")
        if len(rounds) >= ROUNDS and verdict and verdict.word != "open":
            break
    print(f"{name}, {len(rounds)} rounds: p50 {verdict}")
    check(verdict and verdict.word in expected, f"{name}: {verdict}")
    return rounds


def tells_what_its_sockets_saw(rounds):
    for i, engine in enumerate(ENGINES):
        own = statistics.median(
            runs[at]["tasks"][0]["service_ns"]["p50"] - runs[at]["socket_ns"]
            for runs in rounds for at in (i, i + 2))
        print(f"{engine}: p50 of service time {own / 1e3:+.1f} us of its sockets")
        check(-OWN_NS < own < OWN_NS, f"{engine}: {own} ns of its own")


def agreement(port):
    run("curl", port)  # the target's first requests take longer
    # 30 %, and a whole number of requests for each client in each window
    most = run("curl", port)["tasks"][0]["ops_s"]
    rate = round(0.3 * most * SECONDS / CLIENTS) * CLIENTS / SECONDS
    tells_what_its_sockets_saw(
        rounds_of(f"curl at {rate:.0f}/s", ["yes", "open"], rate, [port, port]))
    rounds_of("curl a millisecond late", ["no"], LATE_RATE,
              [port, Late(port).port])


with Scratch():
    arithmetic()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    target = start(TARGET, "--mode", "static", "--listen", f"127.0.0.1:{port}")
    try:
        def listens():
            with socket.socket() as s:
                return s.connect_ex(("127.0.0.1", port)) == 0
        wait_until(listens, 10, "the target listens")
        agreement(port)
    finally:
        target.terminate()
        target.communicate(timeout=20)
done()
