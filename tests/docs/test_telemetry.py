#!/usr/bin/env python3
"""docs/telemetry.md has every column of the tables of samples, under the table's
own heading, none that there is not, and an asterisk where 0 becomes null.

usage: test_telemetry.py SOURCE_DIR
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
PAGE = (ROOT / "docs" / "telemetry.md").read_text()
SAMPLES = "".join((ROOT / "common" / name).read_text()
                  for name in ("sample.h", "sample_jvm.h"))
EVERYWHERE = {"second", "side"}
faults = 0


def fault(text):
    global faults
    faults += 1
    print("docs/telemetry.md:", text)


columns = {}
for name, body in re.findall(r"#define (SAMPLE_\w+)\(F\)(.*?)\n\n", SAMPLES,
                             re.S):
    columns[name.lower()] = re.findall(r"F\(\w+, (\w+), \d+,\s+(\w+)\)",
                                       body.replace("\\\n", " "))
assert len(columns) >= 8, columns
told = {}
for section in re.split(r"^## ", PAGE, flags=re.M)[1:]:
    tables = tuple(re.findall(r"`(sample_\w+)`", section.splitlines()[0]))
    for row in re.findall(r"^\| (`[a-z].*?) \|", section, re.M):
        for column, mark in re.findall(r"`(\w+)`(\\\*)?", row):
            told[(tables, column)] = bool(mark)
seen = set()
for table, fields in columns.items():
    for column, need in fields:
        key = next((k for k in told if table in k[0] and k[1] == column), None)
        seen.add(key)
        if column in EVERYWHERE:
            continue
        if key is None:
            fault(f"{table} has {column}, the page has not")
        elif told[key] != (need == "OPT"):
            fault(f"{table}.{column}: an asterisk too few or too many")
for tables, column in told:
    if (tables, column) not in seen:
        fault(f"{column}: no column of {', '.join(tables)}")
print(f"{sum(map(len, columns.values()))} columns, {faults} faults")
sys.exit(1 if faults else 0)
