#!/usr/bin/env python3
"""Agents named on the command line: over ipc and plain tcp, found, used, killed
in the middle, and down."""
import json
import os
import signal
import socket

from lab import (AGENT, PITWALL, Scratch, can_make_namespaces, check,
                 check_nothing_left, done, links, pitwall, query, reap, skip,
                 start, wait_until)

if not can_make_namespaces():
    skip("no network namespaces here: run as root")


def agent(*words):
    process = start(AGENT, "--state", "state", *words)
    return process


def answers(url):
    return pitwall("agents", "--agent", url,
                   "--insecure-plain").returncode == 0


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as s:
        return s.getsockname()[1]


before = links()
with Scratch() as folder:
    # Plain tcp, and the health of one agent.
    url = f"tcp://127.0.0.1:{free_port()}"
    process = agent("--listen", url, "--insecure-plain", "--name", "rack1")
    wait_until(lambda: answers(url), 20, "the agent answers")
    told = pitwall("agents", "--agent", url, "--insecure-plain", "--json")
    row = json.loads(told.stdout)["rows"][0]
    check("rack1" in row.values(), f"the agent's name: {row}")
    second = start(AGENT, "--state", "state")
    check(second.wait(20) == 1, "a second agent on the same state is refused")

    run = ["run", "--track", "geonames", "--agent", url, "--insecure-plain",
           "--test-mode", "-m", "heap=256m", "-n", "2", "--db", "lab.db"]
    ran = pitwall(*run)
    check(ran.returncode == 0, f"run over tcp: {ran.stderr}")
    check(query("lab.db", "select count(*) from v_trial where outcome='ok'")
          == [[2]], "both trials are stored")

    # The agent dies in the middle and stays dead: said, marked, exit 3.
    process2 = start(PITWALL, *run, "--name", "dies", "--measure", "3s",
                     "--retries", "0")
    wait_until(lambda: not pitwall(
        "query", "--db", "lab.db", "--json",
        "select 1 / count(*) from attempt where state = 'running'"
    ).stdout.count("null"), 60, "a trial is measured")
    process.send_signal(signal.SIGKILL)
    process.wait()
    out, err = process2.communicate(timeout=120)
    print(err[-2000:])
    check(process2.returncode in (1, 3), f"exit {process2.returncode}")
    check(url in err or "agent" in err, "the message names the agent")
    ends = ("select a.outcome, a.error from attempt a join trial t on "
            "t.id = a.trial join experiment e on e.id = t.experiment "
            "where e.name = 'dies' order by a.id")
    check("1 is open" in err and "pitwall resume" in err,
          f"what became of it is open until the agent is back: {err}")
    check(query("lab.db", ends) == [[None, None]], "the store says so, too")
    check_nothing_left(before, 3, "after the agent's death")

    # It comes back on the same state: what was cut is sealed, it serves again.
    process = agent("--listen", url, "--insecure-plain")
    wait_until(lambda: answers(url), 20, "the agent answers again")
    # What had died is taken up and done again.
    back = pitwall("resume", "2", "--db", "lab.db")
    check(back.returncode == 0, f"resume after its return: {back.stderr}")
    ended = query("lab.db", ends)
    check(ended == [["aborted", "the agent ended during the attempt"],
                    ["ok", None], ["ok", None]], f"each once: {ended}")
    process.send_signal(signal.SIGTERM)
    check(process.wait(20) == 0, "SIGTERM ends the agent with 0")
    check_nothing_left(before, 2, "after SIGTERM")

    # Down from the start: one line, nothing written.
    os.remove("lab.db")
    down = pitwall(*run)
    check(down.returncode == 1 and url in down.stderr, f"down: {down.stderr}")
    check(not os.path.exists("lab.db"), "no lab.db for a run that cannot be")
reap()
done()
