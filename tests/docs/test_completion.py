#!/usr/bin/env python3
"""What bash completes is what the programs' --help tells."""
import pathlib
import subprocess
import sys

BUILD, ROOT = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
PROGRAMS = {"pitwall": "controller/pitwall",
            "pitwall-agent": "agent/executor/pitwall-agent",
            "pitwall-load": "load/pitwall-load",
            "pitwall-target": "target/pitwall-target"}
SCRIPT = ("source \"$1\"; program=$2; shift 2; COMP_WORDS=(\"$@\"); "
          "COMP_CWORD=$(($# - 1)); _pitwall \"$program\"; "
          "printf '%s\\n' \"${COMPREPLY[@]}\"")


def complete(name, *words):
    done = subprocess.run(
        ["bash", "-c", SCRIPT, "bash", ROOT / "docs/completion/pitwall",
         BUILD / PROGRAMS[name], name, *words], capture_output=True,
        text=True, timeout=60, check=True)
    return done.stdout.split()


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


commands = complete("pitwall", "")
check({"run", "plan", "resume", "agents", "report"} <= set(commands), commands)
check(complete("pitwall", "res") == ["resume"], complete("pitwall", "res"))
for name, words, some in (
        ("pitwall", ["run", "--"], {"--agents=", "--bench=", "--quiet"}),
        ("pitwall", ["status", "--"], {"--db=", "--watch"}),
        ("pitwall-agent", ["--"], {"--config=", "--help"}),
        ("pitwall-load", ["--"], {"--help", "--json"}),
        ("pitwall-target", ["--"], {"--help", "--version"})):
    got = set(complete(name, *words))
    check(some <= got, f"{name} {words}: {sorted(got)}")
check(complete("pitwall", "run", "--agents") == ["--agents="], "one option")
check(complete("pitwall", "run", "lab") == [], "files are bash's own")
print("completion agrees with --help")
