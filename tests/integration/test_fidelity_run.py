#!/usr/bin/env python3
"""One cell of the fidelity bench live, from its settings to its figures, and
its end by Ctrl-C. How near it comes is for the bench to say, not for a test."""
import pathlib
import signal
import subprocess

from lab import (BUILD, Scratch, can_make_namespaces, check,
                 check_nothing_left, done, json, links, skip, start,
                 wait_until, descendants)

if not can_make_namespaces():
    skip("no network namespaces here: run as root")

FIDELITY = BUILD / "tests" / "bench" / "fidelity" / "fidelity"


def folders():
    return set(pathlib.Path("/tmp").glob("fidelity-*"))


before, folders_before = links(), folders()
with Scratch():
    # Run 44: 512 MB, fixed:64k, loopback, 8 MB bodies.
    run = subprocess.run([FIDELITY, "--run", "44", "--json"], timeout=300,
                         capture_output=True, text=True, check=False)
    check(run.returncode == 0, f"exit {run.returncode}: {run.stderr}")
    last = run.stderr.strip().splitlines()[-1]
    check(last.startswith("fidelity within="), f"last line: {last}")
    check(" cells=1 generations_differ=0 " in last, f"last line: {last}")
    cell = json.loads(run.stdout)["cells"][0]
    check(cell["run"] == 44 and not cell["oom"], f"cell: {cell}")
    check(cell["invalid"] == "", f"valid: {cell['invalid']}")
    check(cell["young"]["ours"] > 0, f"young collections: {cell}")
    check(cell["tlab_per_byte"]["ours"] > 0, f"buffers: {cell}")
    # byte[65536] with its header, as the JVM's.
    check(cell["largest_outside_bytes"] == {"ours": 65552, "jvm": 65552},
          f"largest outside: {cell}")
    check_nothing_left(before, 2, "after a cell")

    # Run 38: on a link of 200 Mbit/s, five seconds.
    process = start(FIDELITY, "--run", "38")
    wait_until(lambda: "pitwall-target" in descendants().values(), 60,
               "the target runs")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    check(process.returncode == 130, f"Ctrl-C: exit {process.returncode}")
    check("run 38: interrupted" in err, f"Ctrl-C is told: {err}")
    check_nothing_left(before, 2, "after Ctrl-C")
    check(folders() <= folders_before, "its folder is gone")
done()
