#!/usr/bin/env python3
"""Bad input: one clear line, the right exit code, nothing half-written."""
import os
import pathlib
import socket
import subprocess

from lab import (AGENT, LOAD, PITWALL, ROOT, TARGET, Scratch,
                 can_make_namespaces, check,
                 check_nothing_left, done, links, pitwall)

BASE = ["run", "--track", "geonames", "--db", "lab.db", "-n", "1"]


def refused(words, code, *parts, program=PITWALL, **more):
    """The command exits with code and one line that has all parts."""
    run = subprocess.run([program, *map(str, words)], capture_output=True,
                         text=True, timeout=60, stdin=subprocess.DEVNULL,
                         **more)
    text = run.stderr.strip()
    print(f"{run.returncode}: {text}")
    check(run.returncode == code, f"{words}: exit {run.returncode}, not {code}")
    for part in parts:
        check(part in text, f"{words}: does not say {part!r}: {text}")
    check(len(text.splitlines()) == 1, f"{words}: more than one line")
    check(not pathlib.Path("lab.db").exists(), f"{words}: left a lab.db")


before = links()
with Scratch() as folder:
    refused([*BASE, "-m", "heep=1g"], 2, "heep", "heap")
    refused([*BASE, "-m", "heap=lots"], 2, "heap", "lots", "size")
    refused([*BASE, "-m", "predictor=fixd:64k"], 2, "fixd:64k", "fixed")
    refused([*BASE, "-m", "rmem=5000:4096:4096"], 2, "rmem")
    refused([*BASE, "-m", "rmem=4096:5000"], 2, "rmem")
    refused([*BASE, "-m", "link=vath"], 2, "vath", "loopback")
    refused([*BASE, "-m", "link=veth:mtu=15"], 2, "mtu", "15")
    refused([*BASE, "-m", "link=ethernet"], 2, "ethernet", "veth")
    refused([*BASE, "-m", "heap=1g,1g"], 2, "heap", "1g")
    refused([*BASE, "-m", "target.nonsense=1"], 2, "nonsense")
    refused([*BASE, "-m", "heap=1g,2g", "--exclude", "heap=3g"], 2, "3g")
    refused([*BASE, "--agent", "ipc:///nowhere/agent.sock"], 1,
            "/nowhere/agent.sock")
    refused([*BASE, "--agent", "tcp://127.0.0.1:1"], 2, "--insecure-plain")
    refused([*BASE, "--agent", "tcp://127.0.0.1:1", "--insecure-plain"], 1,
            "127.0.0.1:1")
    refused(["run", "--track", "nowhere.json", "--db", "lab.db"], 2,
            "nowhere.json")
    refused([*BASE, "--challenge", "no-such"], 2, "no-such",
            "append-no-conflicts")
    searching = [*BASE, "--challenge", "append-and-search"]
    refused(searching, 2, "append-and-search", "task term",
            "add -m target.index=fts")
    refused([*searching, "-m", "target.index=fts,none"], 2, "task term",
            "leave target.index=none out")
    refused(["plan", *searching[1:]], 2, "task term")
    refused(["run", "missing.json", "--db", "lab.db"], 2, "missing.json")
    pathlib.Path("bad.json").write_text('{"version": 1,\n "trak": "x"}')
    refused(["run", "bad.json", "--db", "lab.db"], 2, "bad.json:2", "trak")
    pathlib.Path("broken.json").write_text('{"version": 1,\n "track": }')
    refused(["run", "broken.json", "--db", "lab.db"], 2, "broken.json:2")
    refused(["report", "--db", "lab.db"], 2, "lab.db")
    refused(["nonsense"], 2, "nonsense")

    # A store that is none, or cannot be written.
    pathlib.Path("text.db").write_text("this is not a database, not at all\n" * 99)
    refused(["list", "--db", "text.db"], 1, "text.db")
    refused(["run", "--track", "geonames", "-n", "1", "--db", "text.db"], 1,
            "text.db")
    refused(["run", "--track", "geonames", "-n", "1", "--db",
             "nowhere/lab.db"], 1, "nowhere/lab.db")
    if can_make_namespaces():
        os.mkdir("ro")
        refused(["-m", "sh", "-c", "mount -t tmpfs -o ro none ro && exec "
                 f"{PITWALL} run --track geonames -n 1 --db ro/lab.db"], 1,
                "ro/lab.db", program="unshare")
        os.rmdir("ro")

    # A port in use.
    taken = socket.create_server(("127.0.0.1", 0))
    port = taken.getsockname()[1]
    refused(["--listen", f"127.0.0.1:{port}"], 1, str(port), "in use",
            program=TARGET)
    refused(["--predictor", "bad"], 2, "bad", "fixed", program=TARGET)
    refused(["--heap", "1k"], 2, "heap", program=TARGET)
    taken.close()
    refused(["-d", "1s", f"http://127.0.0.1:{port}/"], 1, str(port), "refused",
            program=LOAD)
    refused(["--engine", "raw", "-d", "1s", "https://127.0.0.1/"], 2, "https",
            program=LOAD)
    pathlib.Path("agent.json").write_text('{"version": 1, "colour": "red"}')
    refused(["--config", "agent.json", "--check"], 2, "agent.json", "colour",
            program=AGENT)
    # The root of a user namespace may not look at the kernel's tracepoints.
    if not subprocess.run(["unshare", "-Ur", "true"], capture_output=True
                          ).returncode:
        refused(["-Ur", PITWALL, *BASE, "--telemetry", "cpu,reads"], 2,
                "cannot do --telemetry reads", "tracefs", "as root",
                program="unshare")
    check_nothing_left(before, 2, "after all refusals")

    # The plan touches nothing and needs no agent.
    plan = pitwall("plan", "--track", "geonames", "-m", "heap=1g,2g", "-n", "2",
                   "--seed", "7")
    check(plan.returncode == 0 and "heap=2g" in plan.stdout, "plan")
    check(sorted(os.listdir(folder))
          == ["agent.json", "bad.json", "broken.json", "text.db"],
          f"plan leaves nothing: {os.listdir(folder)}")
    for program in (PITWALL, AGENT, LOAD, TARGET):
        helped = subprocess.run([program, "--help"], capture_output=True,
                                text=True)
        check(helped.returncode == 0 and "Usage" in helped.stdout,
              f"{program.name} --help")
        version = subprocess.run([program, "--version"], capture_output=True,
                                 text=True)
        check(version.returncode == 0 and "0.1.0" in version.stdout,
              f"{program.name} --version")
    check(ROOT.is_dir(), "the source tree")
done()
