#!/usr/bin/env python3
"""Ctrl-C and kill -9 of the CLI: children and links gone, what was measured
kept."""
import pathlib

from lab import (PITWALL, Scratch, can_make_namespaces, check,
                 check_nothing_left, descendants, done, interrupt, json, links,
                 one, pitwall, reap, skip, start, wait_until)

if not can_make_namespaces():
    skip("no network namespaces here: run as root")

RUN = ["run", "--track", "geonames", "--track-param", "bulk_size=500",
       "-m", "heap=256m", "-m",
       "link=loopback,veth:mtu=1500+rate=200mbit+burst=32kb", "-n", "10",
       "--warmup", "200ms", "--measure", "1s", "--seed", "1", "--canary",
       "off", "--no-ceiling", "--name", "cut"]


def stored(db):
    asked = pitwall("query", "--db", db, "--json", "select count(*) as n "
                    "from v_trial where outcome='ok'")
    return not asked.returncode and json.loads(asked.stdout)["rows"][0]["n"]


def measuring(db):
    asked = pitwall("query", "--db", db, "--json", "select count(*) as n "
                    "from attempt where state = 'running'")
    return not asked.returncode and json.loads(asked.stdout)["rows"][0]["n"]


def running(name):
    return name in descendants().values()


before = links()
with Scratch():
    # Ctrl-C: the second trial or later is under way.
    process = start(PITWALL, *RUN, "--db", "a.db")
    wait_until(lambda: stored("a.db"), 60, "a trial is stored")
    wait_until(lambda: running("pitwall-load"), 20, "load runs")
    interrupt(process)
    out, err = process.communicate(timeout=30)
    print(err[-1500:])
    check(process.returncode == 130, f"exit {process.returncode}, not 130")
    check_nothing_left(before, 2, "after Ctrl-C")
    check(one("a.db", "select state from experiment") == "interrupted",
          "the experiment is marked")
    check(one("a.db", "select count(*) from v_trial where outcome='ok'") >= 1,
          "what was measured is kept")
    check(one("a.db", "select count(*) from attempt where state not in "
              "('stored','sealed') and outcome = ''") == 0,
          "no attempt is left half-way")

    # kill -9 of the CLI, in the middle of a measured trial.
    process = start(PITWALL, *RUN, "--db", "b.db")
    wait_until(lambda: measuring("b.db"), 60, "a trial is measured")
    process.kill()
    process.wait()
    check_nothing_left(before, 2, "two seconds after kill -9 of the CLI")

    # What its own agent left in a folder of /tmp is taken up, then goes away.
    left = one("b.db", "select folder from sitting")
    check(pathlib.Path(left, "attempts").is_dir(), f"{left} is left")
    process = start(PITWALL, "resume", "--db", "b.db")
    wait_until(lambda: one("b.db", "select count(*) from attempt where "
                           "state = 'stored'"), 30, "it is taken up")
    interrupt(process)
    err = process.communicate(timeout=30)[1]
    check(process.returncode == 130, f"resume: exit {process.returncode} {err}")
    check("of the last sitting" in err, f"resume says what it took up: {err}")
    check(one("b.db", "select count(distinct folder) from sitting") == 1,
          "on the state that was left")
    check(not pathlib.Path(left).exists(), "and nothing is left of that")
reap()
done()
