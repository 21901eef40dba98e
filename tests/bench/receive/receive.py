#!/usr/bin/env python3
"""The target's receive path against its limits, interleaved in the same run.

Servers, each pinned to CPU 0 with one event loop; pitwall-load pinned to CPU 1,
8 connections, 1 MB bodies:
  reuse    a bare epoll sink that reads into one 64 KiB buffer
  eden     a sink that reads into fresh zeroed 64 KiB pieces of an eden
  target   pitwall-target --index none --predictor fixed:64k, bodies to a path
           that it answers after reading all of it (the receive path alone)
  bulk     the same target taking the bodies as bulk requests (parsed, counted)

Rounds with more than 0.35 cores of foreign load are dropped. Last line:
  receive_vs_sink=... receive_cpu_vs_eden=... bulk_vs_sink=... alloc_ns=...
and the other keys of alloc.c

usage: receive.py BUILD_DIR [ROUNDS]
"""
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

BUILD = pathlib.Path(sys.argv[1]).resolve()
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 5
SECONDS, FOREIGN_MAX, TICKS = 1.0, 0.35, os.sysconf("SC_CLK_TCK")
LOAD = BUILD / "load" / "pitwall-load"
TARGET = BUILD / "target" / "pitwall-target"
SINK = BUILD / "tests" / "bench" / "receive" / "sink"
ALLOC = BUILD / "tests" / "bench" / "receive" / "alloc"

SERVERS = {  # name -> port, command, path
    "reuse": (9471, [SINK, "9471", "reuse"], "/"),
    "eden": (9472, [SINK, "9472", "eden"], "/"),
    "target": (9473, [TARGET, "--listen", "127.0.0.1:9473", "--threads", "1",
                      "--bulk-threads", "1", "--predictor", "fixed:64k"],
               "/_pitwall_receive"),
    "bulk": (9474, [TARGET, "--listen", "127.0.0.1:9474", "--threads", "1",
                    "--bulk-threads", "1", "--predictor", "fixed:64k"],
             "/bench/_bulk"),
}


def busy():
    """Seconds that all CPUs worked, by /proc/stat."""
    fields = open("/proc/stat").readline().split()[1:9]
    return sum(int(f) for i, f in enumerate(fields) if i not in (3, 4)) / TICKS


def cpu(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def drive(port, path, body, server):
    before_all, before, began = busy(), cpu(server), time.monotonic()
    ran = subprocess.run(
        ["taskset", "-c", "1", LOAD, "-c", "8", "-d", f"{SECONDS}s", "--json",
         "--body", body, f"http://127.0.0.1:{port}{path}"],
        capture_output=True, text=True)
    took = time.monotonic() - began
    if not ran.stdout:
        sys.exit(f"pitwall-load: {ran.stderr}")
    used = cpu(server) - before
    return json.loads(ran.stdout), used, busy() - before_all, took


def main():
    docs = []
    while sum(map(len, docs)) < 1_000_000 - 400:
        docs.append('{"index":{}}\n{"name":"%s","n":%d}\n'
                    % ("x" * 220, len(docs)))
    with tempfile.NamedTemporaryFile("w", suffix=".ndjson") as file:
        file.write("".join(docs))
        file.flush()
        size = os.path.getsize(file.name)
        servers = {name: subprocess.Popen(
            ["taskset", "-c", "0", *map(str, command)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for name, (_, command, _) in SERVERS.items()}
        try:
            time.sleep(1.5)
            rounds = [measure(servers, file.name, size)
                      for _ in range(ROUNDS)]
        finally:
            for server in servers.values():
                server.send_signal(signal.SIGTERM)
            for server in servers.values():
                server.wait(10)
    report([r for r in rounds if r])


def measure(servers, body, size):
    result, foreign_most = {}, 0
    for name, (port, _, path) in SERVERS.items():
        before = os.times()
        usage, used, all_used, took = drive(port, path, body,
                                            servers[name].pid)
        after = os.times()
        own = (after.children_user + after.children_system
               - before.children_user - before.children_system)
        foreign_most = max(foreign_most, (all_used - used - own) / took)
        sent = usage_requests(usage) * size / 1e6
        if name == "bulk" and usage["tasks"][0]["errors"]:
            sys.exit(f"bulk: refused: {usage['tasks'][0]}")
        result[name] = (sent / SECONDS, used / sent)
        print(f"{name:7} {sent / SECONDS:8.0f} MB/s "
              f"{used / sent * 1e3:8.4f} CPU ms/MB", flush=True)
    print(f"foreign load {foreign_most:.2f} cores"
          + (": dropped" if foreign_most > FOREIGN_MAX else ""), flush=True)
    return None if foreign_most > FOREIGN_MAX else result


def usage_requests(usage):
    """Answered requests in the window, whatever their status."""
    task = usage["tasks"][0]
    return task["ops"] + task["errors"]


def report(rounds):
    if not rounds:
        sys.exit("receive: every round had foreign load: no figure")
    def ratio(a, b, i):
        return statistics.median(r[a][i] / r[b][i] for r in rounds)
    alloc = subprocess.run([ALLOC], capture_output=True, text=True,
                           check=True).stdout.strip()
    print(f"receive rounds={len(rounds)} "
          f"receive_vs_sink={ratio('target', 'reuse', 0):.2f} "
          f"receive_cpu_vs_eden={ratio('target', 'eden', 1):.2f} "
          f"bulk_vs_sink={ratio('bulk', 'reuse', 0):.2f} {alloc}")


main()
