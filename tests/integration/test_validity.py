#!/usr/bin/env python3
"""Trials disturbed on purpose: each broken rule is told with its evidence, the
trial enters no centre and is repeated; and a machine that is not as before is
said to be so."""
import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import time

from lab import (PITWALL, Scratch, can_make_namespaces, check, descendants,
                 done, interrupt, json, one, pitwall, query, reap, skip, start,
                 wait_until)

if not can_make_namespaces():
    skip("no network namespaces here: run as root")
if os.cpu_count() < 2:
    skip("one processor: nothing can be pinned apart")

RUN = ["run", "--track", "geonames", "--track-param", "bulk_size=500", "-n",
       "1", "--warmup", "200ms", "--no-ceiling", "--canary", "off", "--seed",
       "1"]
SACK = "net.ipv4.tcp_sack"


def of(name):
    return [pid for pid, word in descendants().items() if word == name]


def measuring(db):
    asked = pitwall("query", "--db", db, "--json", "select count(*) as n "
                    "from attempt where state = 'running'")
    return not asked.returncode and json.loads(asked.stdout)["rows"][0]["n"]


def set_sack(pid, value):
    """In the network namespace of a process."""
    subprocess.run(["nsenter", "-t", str(pid), "-n", "sysctl", "-qw",
                    f"{SACK}={value}"], check=True)


def unpin(pid):
    for thread in pathlib.Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(ProcessLookupError):
            os.sched_setaffinity(int(thread.name), range(os.cpu_count()))


def broken(db, attempt):
    return dict(query(db, "select rule, evidence from invalid i join attempt a "
                          f"on a.id = i.attempt where a.n = {attempt}"))


@contextlib.contextmanager
def hogs(n):
    """Others that want processors."""
    some = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
            for _ in range(n)]
    try:
        yield
    finally:
        for hog in some:
            hog.kill()
            hog.wait()


def disturbed():
    # The agent has a network namespace of its own, which is its machine's.
    with hogs(2):
        process = start("unshare", "-n", PITWALL, *RUN, "--db", "d.db", "-m",
                        "pin=auto", "-m", f"sysctl.{SACK}=0", "--measure",
                        "2s", "--accept", "all=off", "--accept",
                        "foreign_cpu=0.3")
        wait_until(lambda: measuring("d.db"), 60, "the trial is measured")
        unpin(of("pitwall-target")[0])
        set_sack(of("pitwall-target")[0], 1)
        set_sack(of("pitwall-agent")[0], 0)
        # The repeated trial is left alone.
        wait_until(lambda: query("d.db", "select count(*) from attempt where "
                                 "n = 1 and outcome <> ''")[0][0], 60,
                   "the first attempt has ended")
    out, err = process.communicate(timeout=120)
    told = broken("d.db", 1)
    check({"pin not in effect", "setting not in effect", "foreign load"}
          == set(told), f"rules: {told}\n{err}")
    check("threads of the target were let run on 0-" in
          told["pin not in effect"], told["pin not in effect"])
    check(f"{SACK} was set to \"0\" and is \"1\"" in
          told["setting not in effect"], told["setting not in effect"])
    check("others used" in told["foreign load"], told["foreign load"])
    check("invalid: " in err and "pin not in effect" in err,
          f"the rules are told while it runs: {err}")
    rows = query("d.db", "select n, restored, restored_evidence from attempt "
                         "order by n")
    check(rows[0][1] == 0 and f"{SACK}: \"1\" -> \"0\"" in rows[0][2],
          f"the machine is not as before: {rows}")
    check(len(rows) == 2 and rows[1][1] == 1, f"repeated, and as before: {rows}")
    check("after 1 attempts a machine was not as before" in out,
          f"the report says so: {out}")
    check(not {"pin not in effect", "setting not in effect"}
          & set(broken("d.db", 2)), "the repeated one is pinned and set")
    check(one("d.db", "select value from accepted where rule = 'foreign_cpu'")
          == 0.3, "what is accepted is stored")


def quota_group():
    """A control group with a tenth of a processor, in the agent's own."""
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        _, words, path = line.split(":", 2)
        if "cpu" in words.split(","):
            group = pathlib.Path("/sys/fs/cgroup", words, path.strip("/"),
                                 f"pitwall-test-{os.getpid()}")
            with contextlib.suppress(OSError):
                group.mkdir()
                (group / "cpu.cfs_quota_us").write_text("40000")
                return group
    return None


def throttled():
    group = quota_group()
    if not group:
        print("no quota can be set here: throttling is left to the unit tests")
        return

    def enter():
        (group / "cgroup.procs").write_text("0")
    try:
        made = subprocess.run(
            [PITWALL, *RUN, "--db", "t.db", "--measure", "1s", "--accept",
             "all=off", "--accept", "throttled=0.05"], preexec_fn=enter,
            capture_output=True, text=True, timeout=200)
        told = broken("t.db", 1)
        check(list(told) == ["CPU throttled"], f"{told}: {made.stderr}")
        check("a quota of the groups above the agent's kept it from the CPUs"
              in told["CPU throttled"], told["CPU throttled"])
        check(made.returncode == 3, f"exit {made.returncode}")
        check("invalid 1/1" in made.stdout, f"no figure: {made.stdout}")
    finally:
        reap()
        group.rmdir()


def limited():
    """The trial's own limits are no disturbance, and memory's is an outcome."""
    asked = pitwall(*RUN, "--db", "l.db", "-m", "limit.memory=32m", "-m",
                    "heap=256m", "--measure", "1s")
    if "cannot do limit" in asked.stderr:
        print("no limits can be set here")
        return
    check(asked.returncode == 0, f"exit {asked.returncode}: {asked.stderr}")
    check(one("l.db", "select outcome from v_trial") == "oom", asked.stdout)
    check("its limit of memory is 32m" in one(
        "l.db", "select error from v_trial"), "which limit")
    check(one("l.db", "select count(*) from attempt") == 1, "never retried")
    ran = pitwall(*RUN, "--db", "q.db", "-m", "limit.cpus=0.2", "--measure",
                  "1s", "--accept", "all=off", "--accept", "throttled=0.01")
    check(ran.returncode == 0, f"exit {ran.returncode}: {ran.stderr}")
    bound, evidence = query("q.db", "select bound, bound_evidence from "
                                    "v_trial")[0]
    check(not broken("q.db", 1), f"valid: {broken('q.db', 1)}")
    check(bound == "target-cpu"
          and "of its limit of 0.2 CPUs (limit 90 %), held back" in evidence,
          f"{bound}: {evidence}")


def unsteady():
    """A target that is held back in the second half of its window."""
    process = start(PITWALL, *RUN, "--db", "s.db", "--measure", "10s",
                    "--accept", "all=off", "--accept", "drift=0.2")
    wait_until(lambda: measuring("s.db"), 60, "the trial is measured")
    time.sleep(5.3)
    target = of("pitwall-target")[0]
    due = time.monotonic() + 30
    while measuring("s.db") and time.monotonic() < due:
        for _ in range(3):
            for how, length_s in ((signal.SIGSTOP, 0.15),
                                  (signal.SIGCONT, 0.02)):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(target, how)
                time.sleep(length_s)
    wait_until(lambda: query("s.db", "select count(*) from attempt where "
                             "n = 1 and outcome <> ''")[0][0], 60,
               "the first attempt has ended")
    interrupt(process)  # the repeated one says nothing more
    _, err = process.communicate(timeout=120)
    told = broken("s.db", 1)
    check(list(told) == ["no steady state"], f"rules: {told}\n{err}")
    check("throughput of the window's second half is -" in
          told["no steady state"], told["no steady state"])


with Scratch():
    disturbed()
    throttled()
    limited()
    unsteady()
reap()
done()
