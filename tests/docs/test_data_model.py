#!/usr/bin/env python3
"""docs/data-model.md has each view and column of a store, with a unit where it
is a number, and none that there is not.

usage: test_data_model.py BUILD_DIR SOURCE_DIR
"""
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

PITWALL = pathlib.Path(sys.argv[1]).resolve() / "controller" / "pitwall"
PAGE = (pathlib.Path(sys.argv[2]) / "docs" / "data-model.md").read_text()
UNITS = {"id", "0/1", "count", "", "s", "docs/s", "docs", "ops", "bytes",
         "reads", "segments", "times", "share"}
faults = 0


def fault(text):
    global faults
    faults += 1
    print("docs/data-model.md:", text)


told = {}
for section in re.split(r"^## ", PAGE, flags=re.M)[1:]:
    if section.startswith("v_"):
        told[section.split()[0]] = [
            (name, unit) for names, unit in
            re.findall(r"^\| (`.*?`) \| (.*?) ?\|", section, re.M)
            for name in re.findall(r"`(\w+)`", names)]

with tempfile.TemporaryDirectory() as scratch:
    sheet = pathlib.Path(scratch) / "x.csv"
    sheet.write_text("block,heap,metric,value\n1,1g,throughput,5\n")
    subprocess.run([PITWALL, "import", "--db", scratch + "/x.db", sheet],
                   check=True, capture_output=True)
    db = sqlite3.connect(scratch + "/x.db")
    views = {name: [row[1] for row in
                    db.execute(f"pragma table_info({name})")]
             for name, in db.execute("select name from sqlite_master where "
                                     "type = 'view'")}
    db.close()
listed = subprocess.run([PITWALL, "metrics"], check=True, capture_output=True,
                        text=True).stdout.split("\n\n")[1].splitlines()[1:]
metrics = [line.split()[0].replace(".", "_") for line in listed if line]

for name, columns in views.items():
    if name not in told:
        fault(f"view {name} is missing")
        continue
    page = [column for column, _ in told[name]]
    if name == "v_trial":
        if columns[len(page):] != metrics:
            fault("v_trial does not end with the metrics")
        columns = columns[:len(page)]
    if page != columns:
        fault(f"{name}: the page has {page}, the store {columns}")
    for column, unit in told[name]:
        if unit not in UNITS:
            fault(f"{name}.{column}: unit \"{unit}\"")
for name in told:
    if name not in views:
        fault(f"there is no view {name}")
print(f"{len(views)} views, {sum(map(len, told.values()))} columns, "
      f"{faults} faults")
sys.exit(1 if faults or len(views) < 6 else 0)
