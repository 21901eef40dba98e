#!/usr/bin/env python3
"""What watching costs: throughput and CPU time of one bulk workload (geonames,
closed loop, the target and the load on this machine's loopback), taking turns:

  bare       pitwall-load by itself, nobody looking
  progress   the same on a terminal, with a line each second
  hdr        the same, with --hdr: every second's histograms written out
  run        `pitwall run`: agent, cages, records, spool, store; one telemetry
             device; its CPU time includes setting up and taking down
  run-tty    the same with its progress on a terminal
  telemetry  the same as run with every telemetry device

Recording itself cannot be left out; recorder_ns is what it costs a request.
Each row is held against bare (run-tty and telemetry against run) by the ratio
within a round: its geometric mean and 95 % interval (t). Rounds with more than
--foreign cores of others' work are dropped. Last line: `observer key=value ...`,
differences in percent with their half intervals.

usage: observer.py BUILD_DIR [--rounds N] [--seconds S] [--foreign CORES]
"""
import argparse
import json
import math
import os
import pathlib
import pty
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from measure import FOREIGN_MAX, busy, children, go_first  # noqa: E402

PORT = 21540
PEERS = {"progress": "bare", "hdr": "bare", "run": "bare", "run-tty": "run",
         "telemetry": "run"}
# Student's t, 97.5 %, by degrees of freedom from 1.
T = [12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18,
     2.16, 2.14, 2.13, 2.12, 2.11, 2.10, 2.09]


def swallow(fd):
    try:
        while os.read(fd, 65536):
            pass
    except OSError:
        pass


def run(command, terminal):
    """Run to the end; stderr is a terminal or nothing. Returns its stdout."""
    master, slave = pty.openpty() if terminal else (None, None)
    reader = threading.Thread(target=swallow, args=(master,))
    if terminal:
        reader.start()
    done = subprocess.run([*map(str, command)], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, text=True,
                          stderr=slave if terminal else subprocess.DEVNULL)
    if terminal:
        os.close(slave)
        reader.join()
        os.close(master)
    if done.returncode:
        sys.exit(f"{command}: status {done.returncode}")
    return done.stdout


class Bench:
    def __init__(self, build, root, seconds):
        self.build, self.seconds = build, seconds
        self.track = root / "tracks" / "geonames.json"

    def bare(self, terminal=False, more=()):
        target = subprocess.Popen(
            [self.build / "target/pitwall-target", "--listen",
             f"127.0.0.1:{PORT}", "--heap", "1g"], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        time.sleep(0.5)
        try:
            out = run([self.build / "load/pitwall-load", "--track", self.track,
                       "-t", "1", "--challenge",
                       "append-no-conflicts-index-only", "--target",
                       f"http://127.0.0.1:{PORT}", "--track-param",
                       "bulk_size=1000", "--warmup", "1s", "-d",
                       f"{self.seconds}s", "--json", *more], terminal)
        finally:
            target.terminate()
            target.wait()
        task, driver = json.loads(out)["tasks"][0], json.loads(out)["driver"]
        return task["docs_s"], driver["docs_acked"]

    def whole(self, devices, terminal=False):
        db = pathlib.Path("lab.db")
        db.unlink(missing_ok=True)
        run([self.build / "controller/pitwall", "run", "--track", self.track,
             "--challenge", "append-no-conflicts-index-only", "-n", "1", "-m",
             "heap=1g", "-m", "link=loopback", "-m", "pin=none",
             "--track-param", "bulk_size=1000", "--warmup", "1s", "--measure",
             f"{self.seconds}s", "--telemetry", devices, "--canary", "off",
             "--db", db], terminal)
        row = json.loads(run([self.build / "controller/pitwall", "query",
                              "--db", db, "--json",
                              "select throughput, docs_acked from v_trial"],
                             False))["rows"][0]
        return row["throughput"], row["docs_acked"]

    def row(self, name):
        return {"bare": self.bare,
                "progress": lambda: self.bare(True),
                "hdr": lambda: self.bare(False, ["--hdr", "log.hlog"]),
                "run": lambda: self.whole("proc"),
                "run-tty": lambda: self.whole("proc", True),
                "telemetry": lambda: self.whole(
                    "link,tcp,cpu,disk,proc,target")}[name]()


def one_round(bench):
    """name -> (docs/s, CPU seconds for a million documents), and the most
    cores that others used."""
    result, foreign = {}, 0
    for name in ["bare", *PEERS]:
        all_0, own_0, began = busy(), children(), time.monotonic()
        docs_s, docs = bench.row(name)
        own, took = children() - own_0, time.monotonic() - began
        foreign = max(foreign, (busy() - all_0 - own) / took)
        result[name] = (docs_s, own / docs * 1e6)
    return result, foreign


def difference(rounds, name, which):
    """Percent against the peer, and half of the 95 % interval."""
    logs = [math.log(r[name][which] / r[PEERS[name]][which]) for r in rounds]
    if len(logs) < 2:
        return "none"
    half = (T[min(len(logs) - 1, len(T)) - 1] * statistics.stdev(logs)
            / math.sqrt(len(logs)))
    return f"{100 * math.expm1(statistics.mean(logs)):+.1f}±{100 * half:.1f}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--foreign", type=float, default=FOREIGN_MAX)
    args = parser.parse_args()
    root, build = pathlib.Path(__file__).resolve().parents[3], args.build.resolve()
    bench, rounds = Bench(build, root, args.seconds), []
    go_first()
    with tempfile.TemporaryDirectory(prefix="pitwall-bench-") as folder:
        os.chdir(folder)
        for i in range(2 * args.rounds):
            result, foreign = one_round(bench)
            kept = foreign <= args.foreign
            print(f"round {i + 1}: " + ", ".join(
                f"{name} {docs_s:.0f} docs/s {cpu:.3f} s/Mdocs"
                for name, (docs_s, cpu) in result.items())
                + f"; foreign {foreign:.2f}" + ("" if kept else ": dropped"),
                flush=True)
            rounds += [result] if kept else []
            if len(rounds) == args.rounds:
                break
        os.chdir("/")
    record = subprocess.run([build / "tests/bench/driver/record"], text=True,
                            capture_output=True, check=True).stdout.split()
    keys = [f"rounds={len(rounds)}"]
    for name in PEERS:
        keys.append(f"{name}_pct={difference(rounds, name, 0)}")
        keys.append(f"{name}_cpu_pct={difference(rounds, name, 1)}")
    print("observer", *keys, *[k for k in record if k.startswith("recorder_")])


main()
