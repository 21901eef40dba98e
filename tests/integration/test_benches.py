#!/usr/bin/env python3
"""One experiment on two benches at once: each block on one of them, one that is
free takes the next; a look waits for all; a controller that dies mid-way leaves
what the next one takes up."""
import json
import os
import pathlib
import signal

from lab import (AGENT, PITWALL, Scratch, check, check_nothing_left, done,
                 links, one, pitwall, query, reap, start, wait_until)

RUN = ["run", "--track", "geonames", "--agents", "lab.json", "--test-mode",
       "--warmup", "100ms", "--measure", "300ms", "-m", "heap=256m,512m",
       "--db", "lab.db"]
before = links()


def start_agent(name):
    pathlib.Path(f"{name}.json").write_text(json.dumps(
        {"version": 1, "name": name, "roles": "both"}))
    with open(f"{name}.log", "w", encoding="utf-8") as log:
        agent = start(AGENT, "--config", f"{name}.json", "--state", name)
        log.write(str(agent.pid))
    url = f"ipc://{pathlib.Path(name).absolute()}/gate/agent.sock"
    wait_until(lambda: pitwall("agents", "--agent", url).returncode == 0, 20,
               f"agent {name} answers")
    return agent, url


with Scratch():
    agents = {name: start_agent(name) for name in ("a", "b")}
    pathlib.Path("lab.json").write_text(json.dumps({
        "version": 1,
        "agents": [{"name": n, "url": u} for n, (_, u) in agents.items()],
        "benches": [{"name": "rack-a", "target": "a"},
                    {"name": "rack-b", "target": "b"}]}))

    plan = json.loads(pitwall("plan", *RUN[1:-2], "-n", "3", "--json").stdout)
    names = [list(row.values())[-1] if isinstance(row, dict) else row[-1]
             for row in plan["rows"]]
    check(names == ["rack-a"] * 2 + ["rack-b"] * 2 + ["rack-a"] * 2,
          f"the plan tells who runs what: {names}")

    ran = pitwall(*RUN, "-n", "4", "--looks", "3,4", "--seed", "1")
    check(ran.returncode == 0, f"run: {ran.stderr}")
    check("look 1 of 2" in ran.stderr, ran.stderr)
    check(one("lab.db", "select count(*) from v_trial where outcome = 'ok'")
          in (6, 8), "all trials up to the last look are measured")
    check(one("lab.db", "select count(distinct bench) from v_trial where "
              "iteration <= 2") == 2, "both benches work")
    check(one("lab.db", "select max(n) from (select count(distinct bench) as n "
              "from v_trial_all group by iteration)") == 1,
          "each block is on one bench")
    # Each bench's driver has a ceiling of its own.
    check(one("lab.db", "select count(distinct bench) from driver_ceiling")
          == 2, "both are calibrated")
    check("driver's ceiling of rack-a over" in pitwall(
        "report", "--db", "lab.db").stdout, "the report tells whose")

    # The controller dies with a trial under way on both.
    run = start(PITWALL, *RUN, "-n", "3", "--name", "cut", "--no-ceiling")
    wait_until(lambda: pitwall(
        "query", "--db", "lab.db", "--json", "select count(*) from attempt a "
        "join trial t on t.id = a.trial join experiment e on e.id = "
        "t.experiment where e.name = 'cut' and a.state = 'running'"
        ).stdout.count("2") > 0, 60, "both measure")
    os.kill(run.pid, signal.SIGKILL)
    run.communicate()
    ran = pitwall("resume", "cut", "--db", "lab.db")
    check(ran.returncode == 0, f"resume: {ran.stderr}")
    check(ran.stderr.count("of the last sitting") == 2,
          f"both trials are taken up: {ran.stderr}")
    check(query("lab.db", "select count(*), count(distinct bench) from v_trial "
                "where name = 'cut' and outcome = 'ok'") == [[6, 2]],
          "nothing is missing")
    check(one("lab.db", "select count(*) from attempt a join trial t on t.id = "
              "a.trial join experiment e on e.id = t.experiment where e.name = "
              "'cut'") == 6, "nothing is measured twice")

    # One chosen of them.
    ran = pitwall(*RUN, "-n", "1", "--bench", "rack-b", "--no-ceiling",
                  "--name", "one")
    check(ran.returncode == 0, f"run: {ran.stderr}")
    check(query("lab.db", "select distinct bench from v_trial where name = "
                "'one'") == [["rack-b"]], "the chosen one")

    for agent, _ in agents.values():
        agent.send_signal(signal.SIGTERM)
        agent.communicate(timeout=30)
reap()
check_nothing_left(before, 5, "after the lab")
done()
