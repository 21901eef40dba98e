#!/usr/bin/env python3
"""The systemd unit: systemd finds no fault in it, and it undoes before each
start and after each end.

usage: test_unit.py UNIT AGENT"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

unit, agent = (pathlib.Path(word).resolve() for word in sys.argv[1:])
text = unit.read_text()
assert "@" not in re.sub(r"#.*", "", text), "a placeholder is left"
lines = dict(line.split("=", 1) for line in text.splitlines()
             if re.match(r"Exec|Delegate|Type|KillMode", line))
for key in ("ExecStartPre", "ExecStopPost"):
    assert lines[key].endswith(" $PITWALL_OPTIONS --restore-only"), lines[key]
assert lines["Delegate"] == "yes" and lines["Type"] == "notify"
if not shutil.which("systemd-analyze"):
    print("SKIPPED: no systemd-analyze here")
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    copy = pathlib.Path(folder) / unit.name
    # Where the program is now, since it need not be installed.
    copy.write_text(re.sub(r"=-?/\S*/pitwall-agent", f"={agent}", text))
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", copy],
                          capture_output=True, text=True, timeout=60)
said = [line for line in (done.stdout + done.stderr).splitlines()
        if unit.name in line]
assert done.returncode == 0 and not said, f"{done.returncode}: {said}"
print("1 unit")
