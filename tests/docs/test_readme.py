#!/usr/bin/env python3
"""The README cannot rot: its marked shell blocks run, its commands and files
exist, its glossary's words are the store's.

usage: test_readme.py BUILD_DIR SOURCE_DIR
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

BUILD, ROOT = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
README = (ROOT / "README.md").read_text()
faults = []


def fault(text):
    faults.append(text)
    print(text)


# Blocks under "<!-- test: run -->", as a user types them from the clone.
blocks = re.findall(r"<!-- test: run -->\n```sh\n(.*?)```", README, re.S)
with tempfile.TemporaryDirectory() as scratch:
    os.symlink(BUILD, pathlib.Path(scratch) / "build")
    for block in blocks:
        ran = subprocess.run(["sh", "-eu"], input=block, cwd=scratch,
                             capture_output=True, text=True, timeout=300)
        print(ran.stdout[-2000:], ran.stderr[-2000:])
        if ran.returncode:
            fault(f"exit {ran.returncode}: {block}")
if not blocks:
    fault("no marked block")

# Linked files exist.
for name in re.findall(r"\]\(([^)#:]+)\)", README):
    if not (ROOT / name).exists():
        fault(f"{name}: no such file")

# Every pitwall command that is named exists.
known = subprocess.run([BUILD / "controller" / "pitwall", "--help"],
                       capture_output=True, text=True).stdout
commands = set(re.findall(r"^  ([a-z]+)  ", known, re.M))
for command in set(re.findall(r"\bpitwall ([a-z]+) ", README)):
    if command not in commands and command not in ("does", "measures"):
        fault(f"pitwall {command}: no such command; there are {commands}")

# The two commands are executable.
for tool in ("tools/quickstart", "tools/test", ".ci/run"):
    if not os.access(ROOT / tool, os.X_OK):
        fault(f"{tool}: not executable")

sys.exit(1 if faults else 0)
