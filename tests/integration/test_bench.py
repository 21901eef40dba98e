#!/usr/bin/env python3
"""One bench of three machines, two of them loading the third over link
ethernet: exact counts, one start, and what happens when one is lost."""
import json
import os
import signal

from lab import (PITWALL, Scratch, can_make_namespaces, check,
                 check_nothing_left, done, links, one, pitwall, query, reap,
                 skip, start, wait_until)
from machines import Machines

if not can_make_namespaces():
    skip("no network namespaces here: run as root")

RUN = ["run", "--track", "geonames", "--agents", "lab.json", "--test-mode",
       "--warmup", "200ms", "-m", "heap=256m", "--db", "lab.db"]
before = links()


def bulk(docs, **more):
    return {"operation-type": "bulk", "bulk-size": docs, **more}


def measuring(name):
    return "running" in pitwall(
        "query", "--db", "lab.db", "select a.state from attempt a join trial "
        "t on t.id = a.trial join experiment e on e.id = t.experiment where "
        f"e.name = '{name}' order by a.id desc limit 1").stdout


def ends(name):
    return query("lab.db", "select a.outcome, coalesce(a.error, '') from "
                 "attempt a join trial t on t.id = a.trial join experiment e "
                 f"on e.id = t.experiment where e.name = '{name}' "
                 "order by a.id")


def lose(name, what, *more):
    """Run, do what() while it measures, and wait for its end."""
    process = start(PITWALL, *RUN, "--name", name, "--measure", "4s", "-m",
                    "link=ethernet", "-n", "2", "--no-ceiling", *more)
    wait_until(lambda: measuring(name), 60, f"{name} measures")
    what()
    out, err = process.communicate(timeout=200)
    print(f"{name}: exit {process.returncode}\n{err[-1500:]}")
    return process.returncode, err


with Scratch(), Machines() as lab:
    told = pitwall("agents", "--agents", "lab.json")
    check(told.returncode == 0 and "gen2" in told.stdout, told.stderr)

    # Two loads through a whole challenge: what is done once by the first, each
    # step begun by both at one instant, and ended by both when a task is over
    # whose only client one of them has.
    with open("steps.json", "w", encoding="utf-8") as out:
        json.dump({"indices": [{"name": "i"}], "corpora": [{
            "name": "g", "documents": [{"generator": "geonames",
                                        "document-count": 20000}]}],
            "schedule": [
                {"operation": "delete-index"}, {"operation": "create-index"},
                {"name": "fill", "clients": 4, "time-period": 1,
                 "operation": bulk(100, looped=True)},
                {"operation": "refresh"},
                {"name": "more", "clients": 3, "operation": bulk(1000)},
                {"operation": "flush"},
                {"parallel": {"completed-by": "short", "tasks": [
                    {"name": "short", "operation": bulk(500)},
                    {"name": "ask", "clients": 5, "time-period": 600,
                     "operation": "info"}]}},
                {"parallel": {"completed-by": "any", "tasks": [
                    {"name": "first", "iterations": 50, "operation": "info"},
                    {"name": "others", "clients": 2, "time-period": 600,
                     "operation": "info"}]}},
                {"operation": "refresh", "name": "last"}]}, out)
    ran = pitwall("run", "--track", "steps.json", "--agents", "lab.json", "-m",
                  "link=ethernet", "-m", "heap=256m", "-n", "1", "--warmup",
                  "0s", "--measure", "300ms", "--no-ceiling", "--name", "steps",
                  "--db", "steps.db")
    check(ran.returncode == 0, f"run: {ran.stderr}")
    check(query("steps.db", "select outcome, invalid, docs_acked > 40000, "
                "docs_counted - docs_acked from v_trial")
          == [["ok", 0, 1, 0]], "every document is counted")
    rows = query("steps.db", "select task, clients, coalesce(step, 0) as step from "
                 "task order by 3, 1")
    check(rows == [["fill", 4, 0], ["more", 3, 1], ["ask", 5, 2],
                   ["short", 1, 2], ["first", 1, 3], ["others", 2, 3]],
          f"each step once, its clients over both loads: {rows}")
    check(one("steps.db", "select count(*) from task where ops = 0 or errors "
              "> 0 or window_ns > 60e9") == 0, "ended by the others' end")
    check(one("steps.db", "select count(*) from task where abs(begin_ns - "
              "round(begin_ns / 1e9) * 1e9) > 10e6") == 0,
          "steps begin with a second, within what is known of the clocks")
    # Each load made the corpus for itself; the target never had one.
    caches = [sorted(f.name for f in m.state().glob("cache/pitwall/corpora/*"))
              for m in lab.all]
    check(not caches[0] and len(caches[1]) == 1 and caches[1] == caches[2],
          f"corpora are where load is: {caches}")
    check(query("steps.db", "select count(*), count(distinct value) from fact "
                "where name = 'corpus.g.sha256'") == [[2, 1]],
          "both sent the same bytes")
    told = pitwall("show", "1:1", "--db", "steps.db").stdout
    check(all(f"Clock of agent {m.name}, less the controller's" in told
              for m in lab.all), told)
    order = [line.split()[1] for line in told.splitlines()
             if line.startswith("Requests ")]
    check(order[:6] == ["fill", "more", "ask", "short", "first", "others"],
          f"tasks stand in the order of their steps: {order}")

    # A matrix over links: each where it belongs.
    ran = pitwall(*RUN, "-n", "2", "-m", "link=loopback,ethernet", "--name",
                  "links")
    check(ran.returncode == 0, f"run: {ran.stderr}")
    check(query("lab.db", "select link, count(*) from v_trial where outcome = "
                "'ok' and invalid = 0 group by link order by link")
          == [["ethernet", 2], ["loopback", 2]], "all trials are good")
    check(one("lab.db", "select count(*) from v_trial where docs_acked = "
              "docs_counted and docs_acked > 1000") == 4,
          "acknowledged = counted")
    check(one("lab.db", "select count(*) from (select h.attempt, "
              "sum(h.docs_acked) as docs, count(*) as n from driver_host h "
              "group by h.attempt) s join driver d using (attempt) "
              "where d.docs_acked <> s.docs") == 0, "hosts add up")
    check(query("lab.db", "select a.role, a.agent, a.side, count(*) from "
                "attempt_agent a join v_trial v using (attempt) where v.link "
                "= 'ethernet' group by a.agent order by a.agent")
          == [["load", "gen1", "load", 2], ["load", "gen2", "load2", 2],
              ["target", "srv", "target", 2]], "who took part")
    check(one("lab.db", "select count(*) from driver_host h join v_trial v "
              "using (attempt) where v.link = 'ethernet' and h.docs_acked > 0")
          == 4, "each host loaded")
    # What the load reaches at best over each link, beside the results.
    check(query("lab.db", "select link, docs_s > 0 and mb_s > 0 and error is "
                "null from driver_ceiling order by link")
          == [["ethernet", 1], ["loopback", 1]], "ceilings are stored")
    report = pitwall("report", "--db", "lab.db").stdout
    check("driver's ceiling over ethernet" in report, "the report tells them")
    check("agents gen1, gen2, srv are on one machine" in report,
          "what stands for machines is not called some")

    # One machine's clock: every offset is nothing, within what is said of it.
    check(one("lab.db", "select count(*) from attempt_agent where "
              "abs(clock_offset_ns) > clock_uncertain_ns") == 0,
          "offsets within their uncertainty")
    check(one("lab.db", "select count(*) from (select max(t0_ns) - min(t0_ns) "
              "as apart, 2 * max(clock_uncertain_ns) as within from "
              "attempt_agent group by attempt) where apart > within") == 0,
          "one start instant")
    # 8 clients, dealt in turn.
    check(one("lab.db", "select min(clients) = 8 and max(clients) = 8 from "
              "task") == 1, "clients over all")
    check(one("lab.db", "select count(*) from artifact where name in "
              "('executor.json', 'executor-load.json', 'executor-load2.json') "
              "and cast(content as text) like '%\"dev\":\"eth0\"%'") == 6,
          "what the link was is kept")

    # The load's process dies on one machine: that trial, by name; then again.
    status, err = lose("child", lambda: os.kill(
        lab.loads[1].find("pitwall-load"), signal.SIGKILL))
    check(status == 0 and "agent gen2: load was killed by signal 9" in err,
          f"exit {status}: {err}")
    check([e[0] for e in ends("child")] == ["failed", "ok", "ok"],
          f"the trial is repeated: {ends('child')}")

    # The same where nothing is repeated and the first failure ends it.
    status, err = lose("abort", lambda: os.kill(
        lab.loads[0].find("pitwall-load"), signal.SIGKILL),
        "--retries", "0", "--on-error", "abort")
    check(status == 3 and "agent gen1" in err and "--on-error=abort" in err,
          f"exit {status}: {err}")
    check(len(ends("abort")) == 1, f"one attempt: {ends('abort')}")

    # The link of one is cut: nothing is acknowledged any more over it. What is
    # under way is given up after the window, but not a minute after it.
    soon = ("-m", "load.request_timeout=5s")
    lab.loads[0].ip("link", "set", "eth0", "down")
    lab.loads[0].ip("link", "set", "eth0", "up")
    status, err = lose("cut", lambda: lab.switch.ip(
        "link", "set", "port1", "down"), "--retries", "0", "-n", "1", *soon)
    lab.switch.ip("link", "set", "port1", "up")
    check(status == 3, f"exit {status}: {err}")
    row = ends("cut")[0]
    check(row[0] == "failed" and "gen1" in row[1]
          or one("lab.db", "select count(*) from invalid") > 0,
          f"a cut link is told: {row}")

    # The same of the other one, which has nothing to do after the load.
    status, err = lose("cut2", lambda: lab.switch.ip(
        "link", "set", "port2", "down"), "--retries", "0", "-n", "1", *soon)
    lab.switch.ip("link", "set", "port2", "up")
    check(status == 3, f"exit {status}: {err}")
    check(one("lab.db", "select count(*) from invalid where rule = 'load cut "
              "off' and evidence like 'agent gen2: %'") > 0,
          "a cut link is told by the agent's name")

    # One agent dies for good: its name, what is left is stopped at once.
    status, err = lose("dead", lab.loads[1].kill_agent, "--retries", "0")
    check(status == 3 and "agent gen2" in err, f"exit {status}: {err}")
    check(ends("dead")[0][0] == "failed" and "gen2" in ends("dead")[0][1],
          f"the attempt says who: {ends('dead')}")

    # It comes back, and the bench works.
    lab.loads[1].start_agent()
    ran = pitwall(*RUN, "-n", "1", "-m", "link=ethernet", "--name", "again")
    check(ran.returncode == 0, f"run after its return: {ran.stderr}")

    # Ctrl-C: loads, then the target, and nothing is left running.
    process = start(PITWALL, *RUN, "--name", "stopped", "--measure", "20s",
                    "-m", "link=ethernet", "-n", "2", "--no-ceiling")
    wait_until(lambda: measuring("stopped"), 60, "it measures")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    check(process.returncode == 130, f"exit {process.returncode}: {err}")
    check(all(m.find("pitwall-load") is None and
              m.find("pitwall-target") is None for m in lab.all),
          "no part is left")
reap()
check_nothing_left(before, 5, "after the lab")
done()
