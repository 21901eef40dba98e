#!/usr/bin/env python3
"""Each man page has every option of its --help, and nothing of argp's own.

usage: test_man.py BUILD_DIR
"""
import pathlib
import re
import subprocess
import sys

BUILD = pathlib.Path(sys.argv[1]).resolve()
PROGRAMS = {"pitwall": "controller/pitwall", "pitwall-load": "load/pitwall-load",
            "pitwall-target": "target/pitwall-target",
            "pitwall-agent": "agent/executor/pitwall-agent"}

pages = sorted((BUILD / "docs" / "man").glob("*.[18]"))
if not pages:
    print("SKIPPED: no help2man, no pages")
    sys.exit(77)
faults = 0
for page in pages:
    name = page.stem
    program, words = PROGRAMS.get(name), []
    if not program:
        program, words = PROGRAMS["pitwall"], [name.split("-")[1]]
    helped = subprocess.run([BUILD / program, *words, "--help"],
                            capture_output=True, text=True, check=True).stdout
    text = page.read_text().replace("\\-", "-").replace("\\fB", "") \
        .replace("\\fR", "").replace("\\fI\\,", "").replace("\\/", "")
    for option in set(re.findall(r"--[a-z][a-z-]+", helped)):
        if option not in text:
            print(f"{page.name}: no {option}")
            faults += 1
print(f"{len(pages)} pages, {faults} faults")
sys.exit(1 if faults else 0)
