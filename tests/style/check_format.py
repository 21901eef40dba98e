#!/usr/bin/env python3
"""clang-format --dry-run -Werror over every source, and no words that promise
work for later.

usage: check_format.py ROOT
"""
import pathlib
import re
import subprocess
import sys

FOLDERS = ["common", "controller", "agent", "load", "target", "tracks",
           "results", "tests"]
LATER = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")


def main():
    root = pathlib.Path(sys.argv[1])
    files = sorted(p for folder in FOLDERS
                   for p in (root / folder).rglob("*.[ch]"))
    faults = 0
    for path in files:
        for i, line in enumerate(path.read_text().splitlines(), 1):
            if LATER.search(line):
                print(f"{path.relative_to(root)}:{i}: {line.strip()}")
                faults += 1
    done = subprocess.run(["clang-format", "--dry-run", "-Werror", *files],
                          capture_output=True, text=True)
    sys.stdout.write(done.stderr.replace(str(root) + "/", "")[:20000])
    print(f"{len(files)} files")
    return 1 if done.returncode or faults or not files else 0


sys.exit(main())
