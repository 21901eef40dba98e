#!/usr/bin/env python3
"""Settings of whole machines as factors of link ethernet: rmem, a sysctl, MTU
and offloads of the interface are in effect while a trial runs, as before after
it, and after a killed agent; somebody else's value stays."""
import json
import pathlib
import subprocess

from lab import (PITWALL, Scratch, can_make_namespaces, check, done, pitwall,
                 query, skip, start, wait_until)
from machines import Machines

if not can_make_namespaces():
    skip("no network namespaces here: run as root")

RUN = ("run", "--track", "geonames", "--agents", "lab.json", "--quiet",
       "--warmup", "200ms", "--measure", "1s", "--db", "lab.db",
       "-m", "link=ethernet")


def machine(lab):
    """What trials may change of the target's and the load's machine."""
    def ask(m, *words):
        return subprocess.run(m.command(*words), check=True, text=True,
                              stdout=subprocess.PIPE).stdout.split()
    link = {m.name: json.loads(" ".join(ask(
        m, "ip", "-j", "link", "show", "eth0")))[0] for m in lab.all}
    return {
        "rmem": ask(lab.target, "cat", "/proc/sys/net/ipv4/tcp_rmem"),
        "sack": ask(lab.target, "cat", "/proc/sys/net/ipv4/tcp_sack"),
        "mtu": [link[m.name]["mtu"] for m in lab.all]}


def release(*more):
    return pitwall("agents", "release", "srv", "--agents", "lab.json", *more)


with Scratch(), Machines(n_loads=1) as lab:
    before = machine(lab)
    check(before["sack"] == ["1"] and before["mtu"] == [1500, 1500],
          f"{before}")

    ran = pitwall(*RUN, "-m", "rmem=default,low", "-n", "1", "-m",
                  "nic.mtu=1500,1400", "-m", "nic.offloads=off",
                  "-m", "sysctl.net.ipv4.tcp_sack=0")
    check(ran.returncode == 0, f"run: {ran.stderr}")
    check(machine(lab) == before, f"{machine(lab)} after {before}")
    # As the accepted sockets had it, not as it was asked for.
    rows = query("lab.db", "select rmem, count(*) from v_trial where invalid "
                 "= 0 and outcome = 'ok' group by rmem order by rmem")
    check(rows == [["default", 2], ["low", 2]], f"{rows}")
    check(pitwall("fetch", "--db", "lab.db", "1:1", "executor.json", "-o",
                  "got").returncode == 0, "fetched")
    got = json.loads(pathlib.Path("got/executor.json").read_text())
    check("net.ipv4.tcp_sack" in got["machine"], f"{got['machine']}")
    check(got["nic"]["offloads"] == "off" and
          got["link"]["target"]["offloads"] == "", f"{got['link']}")
    check(got["sysctls"]["net.ipv4.tcp_sack"] == "0", f"{got['sysctls']}")

    # Nothing of one trial's connections is left to the next one.
    told = query("lab.db", "select side, value from fact where name = "
                 "'tcp_metrics' order by attempt desc, side limit 2")
    check(told[0][1].startswith("forgot ") and
          told[0][1].endswith("from 10.99.0.2 to 10.99.0.1") and
          told[0][1] != "forgot 0 from 10.99.0.2 to 10.99.0.1" and
          told[1][1].endswith("from 10.99.0.1"), f"{told}")
    facts = dict(query("lab.db", "select side || name, value from fact where "
                       "attempt = (select max(attempt) from fact)"))
    check(facts["targetinterface.dev"] == "eth0" and
          facts["loadinterface.driver"].startswith("veth") and
          facts["targetinterface.rings"] == "not supported" and
          facts["targetinterface.irq"] == "not supported" and
          facts["loadmachine.thp"] == facts["targetmachine.thp"], f"{facts}")

    # The load's sockets have it, unless a route of its machine knows better.
    congested = (*RUN, "-n", "1", "--no-ceiling", "-m", "congestion=reno")
    gen1 = lab.loads[0]
    ran = pitwall(*congested)
    check(ran.returncode == 0, f"run: {ran.stderr}")
    seen = "select distinct name from fact where attempt = (select max(" \
        "attempt) from fact) and side = 'load' and name like 'congestion.%'"
    check(query("lab.db", seen) == [["congestion.sockets.reno"]],
          f"{query('lab.db', seen)}")
    route = ("10.99.0.0/24", "dev", "eth0", "src", gen1.address)
    other = "bbr" if "bbr" in pathlib.Path(
        "/proc/sys/net/ipv4/tcp_available_congestion_control").read_text() \
        else "cubic"
    gen1.ip("route", "replace", *route, "congctl", "lock", other)
    ran = pitwall(*congested, "--retries", "0")
    gen1.ip("route", "replace", *route)
    check(ran.returncode == 3, f"{ran.returncode}: {ran.stderr}")
    rows = query("lab.db", "select evidence from invalid where rule = "
                 "'congestion not in effect'")
    check(rows and f"was reno, seen: {other}" in rows[0][0], f"{rows}")

    # Killed in the middle: the next agent puts everything back first.
    run = start(PITWALL, *RUN, "--measure", "20s", "-m", "rmem=low", "-m",
                "nic.mtu=1400", "-n", "1", "--no-ceiling")
    wait_until(lambda: machine(lab)["mtu"] == [1400, 1400] and
               machine(lab)["rmem"] == ["10240"] * 3, 30,
               "the machines are changed")
    told = pitwall("agents", "--agents", "lab.json").stdout
    check("to be put back" in told, told)
    lab.target.kill_agent()
    check(machine(lab)["rmem"] == ["10240"] * 3, "nobody has undone it yet")
    # Its gate ends with it, and leaves the socket to the next one's.
    wait_until(lambda: pitwall("agents", "--agents", "lab.json").stdout.count(
        "unreachable") == 1, 10, "the killed agent's gate is gone")
    # So is the controller, which would try the trial again and set it anew.
    run.kill()
    run.communicate(timeout=30)
    lab.target.start_agent()
    wait_until(lambda: machine(lab)["rmem"] == before["rmem"], 20,
               "rmem is put back")
    # The load's machine still has the attempt of a controller that is gone.
    wait_until(lambda: "nothing to release" in pitwall(
        "agents", "release", "gen1", "--agents", "lab.json", "--yes").stdout,
        30, "gen1 is released")
    wait_until(lambda: machine(lab) == before, 30, "as before")

    # Somebody else's value is left, and said until an operator knows.
    run = start(PITWALL, *RUN, "--measure", "5s", "-m", "rmem=low", "-n", "1",
                "--no-ceiling")
    # By one shell: on a machine that is busy otherwise the trial would be over
    # before several processes had looked at it.
    subprocess.run(lab.target.command(
        "timeout", "60", "sh", "-c", "f=/proc/sys/net/ipv4/tcp_rmem; "
        "until grep -q ^10240 $f; do sleep 0.1; done; "
        "echo 4096 20480 40960 > $f"), check=True)
    run.communicate(timeout=90)
    check(machine(lab)["rmem"] == ["4096", "20480", "40960"], "is left")
    told = pitwall("agents", "--agents", "lab.json").stdout
    check("held: net.ipv4.tcp_rmem was changed by somebody else" in told, told)
    ran = pitwall(*RUN, "-n", "1")
    check(ran.returncode != 0 and "no lease is given" in ran.stderr,
          ran.stderr)
    asked = release()
    check(asked.returncode == 1 and "would leave" in asked.stdout,
          asked.stdout + asked.stderr)
    asked = release("--yes")
    check(asked.returncode == 0, asked.stdout + asked.stderr)
    check(machine(lab)["rmem"] == ["4096", "20480", "40960"], "is left")
    told = pitwall("agents", "--agents", "lab.json").stdout
    check("held" not in told, told)
done()
