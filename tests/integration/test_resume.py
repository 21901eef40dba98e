#!/usr/bin/env python3
"""The controller killed at every point of a trial: each time the next one takes
up what the last one left, and in the end every trial is stored once."""
import json
import os
import pathlib
import subprocess
import sys

from lab import (AGENT, PITWALL, Scratch, can_make_namespaces, check, done,
                 interrupt, one, pitwall, query, reap, skip, start, wait_until)

if not can_make_namespaces():
    skip("no network namespaces here: run as root")

POINTS = ["ADD", "MOVE:preparing", "SEND:PREPARE", "MOVE:prepared", "SEND:ARM",
          "MOVE:armed", "SEND:START_AT", "MOVE:running", "MOVE:sealed",
          "SEND:COLLECT", "FINISH", "SEND:ACK"]
RUN = ["run", "--track", "geonames", "--track-param", "bulk_size=500", "-n",
       "3", "--warmup", "0ms", "--measure", "200ms", "--seed", "1",
       "--no-ceiling", "--canary", "off", "-m", "heap=256m,512m"]


def spools(state):
    return [str(p) for p in pathlib.Path(state, "attempts").glob("*/spool")]


with Scratch() as scratch:
    agent = start(AGENT, "--state", scratch / "agent", "--name", "far")
    url = f"ipc://{scratch}/agent/gate/agent.sock"
    wait_until(lambda: (scratch / "agent/gate/agent.sock").exists(), 20,
               "the agent listens")

    words = [*RUN, "--agent", url, "--db", "lab.db"]
    for point in POINTS:
        killed = pitwall(*words, timeout=60,
                         env={**os.environ, "PITWALL_TEST_DIE_AT": point})
        check(killed.returncode == -9, f"{point}: exit {killed.returncode}: "
              f"{killed.stderr}")
        words = ["resume", "--db", "lab.db"]
    check(one("lab.db", "select state from experiment") == "running",
          "nobody could say how it ended")
    last = pitwall(*words, timeout=120)
    print(last.stderr)
    check(last.returncode == 0, f"resume: exit {last.returncode}")

    check(one("lab.db", "select state from experiment") == "finished", "over")
    check(one("lab.db", "select count(*) from sitting") == len(POINTS) + 1,
          "a sitting for each controller")
    check(query("lab.db", "select tid, count(*) from v_trial_all where outcome "
                "= 'ok' group by tid order by tid") ==
          [[tid, 1] for tid in range(1, 7)], "every trial is stored once")
    check(one("lab.db", "select count(*) from attempt where state <> 'stored'")
          == 0, "no attempt is left open")
    check(one("lab.db", "select count(*) from attempt where outcome = "
              "'failed'") == 0, "no death of the controller is a failure")
    # From START_AT on the agent ends its trial by itself: not one is repeated.
    check(one("lab.db", "select count(*) from attempt where outcome = "
              "'aborted'") <= POINTS.index("SEND:START_AT"),
          "what was measured is not measured again")
    check(not spools(scratch / "agent"), "the agent was told that all is stored")
    check(pitwall("resume", "--db", "lab.db").returncode == 2,
          "nothing is left to resume")

    # A level and a block more: the new block holds all cells, nothing of before
    # is touched, and the look is counted.
    more = pitwall("extend", "1", "--db", "lab.db", "-n", "+1", "-m",
                   "heap+=128m", timeout=120)
    check(more.returncode == 0, f"extend: exit {more.returncode} {more.stderr}")
    check(query("lab.db", "select cell, count(*) from v_trial group by cell "
                "order by cell") ==
          [["heap=128m", 1], ["heap=256m", 4], ["heap=512m", 4]], "extended")
    check(query("lab.db", "select blocks, share from look") == [[3, 0.5]],
          "the look")
    check("extended after 3 blocks" in more.stdout, "the report says so")

    # A cell to look at, by the command that is printed, then gone without a
    # trace.
    held = start(PITWALL, "hold", "1:heap=128m", "--db", "lab.db")
    said = [held.stdout.readline(), held.stdout.readline()]
    check("heap=128m is up on far: http://" in said[0], f"hold: {said}")
    way = said[1].partition("on that machine: ")[2].split()
    check(way and way[0] == "nsenter" and way[-2] == "curl", f"hold: {said}")
    got = subprocess.run(
        way[:-2] + [sys.executable, "-c", "import sys, urllib.request as u;"
                    "print(u.urlopen(sys.argv[1]).read())", way[-1]],
        capture_output=True, text=True, timeout=30)
    check(got.returncode == 0 and "{" in got.stdout,
          f"hold: {got.stdout} {got.stderr}")
    interrupt(held)
    check(held.wait(30) == 0, f"hold: {held.stderr.read()}")
    check(not spools(scratch / "agent"), "a hold leaves nothing")

    # Two at one experiment: the second is refused; status tells of the first,
    # stop ends it after its trial.
    first = start(PITWALL, *RUN, "--agent", url, "--db", "two.db")
    wait_until(lambda: "1" in pitwall(
        "query", "--db", "two.db", "--csv", "select n from sitting").stdout,
        30, "it sits")
    second = pitwall("resume", "--db", "two.db")
    check(second.returncode == 1 and "another pitwall" in second.stderr,
          f"two at once: {second.returncode} {second.stderr}")
    stands = json.loads(pitwall("status", "--db", "two.db",
                                "--json").stdout)["rows"][0]
    check(stands["state"] == "running" and stands["trials"] == 6, stands)
    check(pitwall("stop", "1", "--db", "two.db").returncode == 0, "stop")
    err = first.communicate(timeout=30)[1]
    check(first.returncode == 130, f"stopped: exit {first.returncode}: {err}")
    check("pitwall resume 1 --db two.db" in err, f"it says how to go on: {err}")
    stands = json.loads(pitwall("status", "--db", "two.db",
                                "--json").stdout)["rows"][0]
    check(stands["state"] == "stopped" and 0 < stands["left"] < 6, stands)
    check(one("two.db", "select count(*) from attempt where outcome <> 'ok'")
          == 0, "nothing was broken off")
    agent.terminate()
    agent.wait(timeout=20)
reap()
done()
