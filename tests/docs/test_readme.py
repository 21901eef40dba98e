#!/usr/bin/env python3
"""README and docs cannot rot: marked shell blocks run, so do the queries of
docs/store.md, and the commands and files that are named exist.

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
SECURITY = (ROOT / "docs" / "security.md").read_text()
blocks = [block for page in (README, SECURITY) for block in
          re.findall(r"<!-- test: run -->\n```sh\n(.*?)```", page, re.S)]
with tempfile.TemporaryDirectory() as scratch:
    os.symlink(BUILD, pathlib.Path(scratch) / "build")
    for block in blocks:
        ran = subprocess.run(["sh", "-eu"], input=block, cwd=scratch,
                             capture_output=True, text=True, timeout=300)
        print(ran.stdout[-2000:], ran.stderr[-2000:])
        if ran.returncode:
            fault(f"exit {ran.returncode}: {block}")
    # The queries of docs/store.md, on the store that the README's run left.
    store = (ROOT / "docs" / "store.md").read_text()
    queries = [query.strip() for block in
               re.findall(r"```sql\n(.*?)```", store, re.S)
               for query in re.sub(r"--.*", "", block).split(";")
               if query.strip()]
    for query in queries:
        ran = subprocess.run(
            [BUILD / "controller" / "pitwall", "query", "--db", "first.db",
             query], cwd=scratch, capture_output=True, text=True)
        if ran.returncode:
            fault(f"docs/store.md: {query}: {ran.stderr}")
if not blocks or not queries:
    fault("no marked block, or no query")

# The worked example of docs/targets.md: its files, then its commands.
targets = (ROOT / "docs" / "targets.md").read_text()
with tempfile.TemporaryDirectory() as scratch:
    os.symlink(BUILD, pathlib.Path(scratch) / "build")
    for name, text in re.findall(
            r"<!-- test: file (\S+) -->\n```\w*\n(.*?)```", targets, re.S):
        (pathlib.Path(scratch) / name).parent.mkdir(exist_ok=True)
        (pathlib.Path(scratch) / name).write_text(text)
    for block in re.findall(r"<!-- test: run -->\n```sh\n(.*?)```", targets,
                            re.S):
        ran = subprocess.run(["sh", "-eu"], input=block, cwd=scratch,
                             capture_output=True, text=True, timeout=300)
        print(ran.stdout[-4000:], ran.stderr[-2000:])
        if ran.returncode or "mine (target.buffer:bytes)" not in ran.stdout:
            fault(f"docs/targets.md: exit {ran.returncode}: {block}")

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
