#!/usr/bin/env python3
"""A report's page in a real browser: its script draws every chart and the table
behind it, under a policy that lets nothing else in, and names of strangers stay
text.

usage: test_page.py SAMPLE_PROGRAM"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

CHARTS = ["effects", "rate", "latency", "reads", "pauses", "collections",
          "compiles", "compiling", "traffic", "gc", "allocation"]


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


browser = shutil.which("chromium") or shutil.which("chromium-browser")
if not browser:
    print("SKIPPED: no chromium here")
    sys.exit(77)

with tempfile.TemporaryDirectory(prefix="pitwall-page-") as folder:
    page = pathlib.Path(folder) / "page.html"
    subprocess.run([sys.argv[1], page], check=True, timeout=60)
    shown = subprocess.run(
        [browser, "--headless", "--no-sandbox", "--disable-gpu",
         f"--user-data-dir={folder}/profile", "--window-size=1200,3000",
         "--enable-logging=stderr", "--virtual-time-budget=3000",
         "--dump-dom", page.as_uri()],
        capture_output=True, text=True, timeout=120)
    dom = shown.stdout
    said = [line for line in shown.stderr.splitlines() if "CONSOLE" in line]
    check(not said, f"the page complains: {said}")
    check("<title>demo: experiment 1, " in dom, "the title is the report's")
    check("<img" not in dom, "a name became an image")
    for chart in CHARTS:
        drawn = re.search(rf'<canvas id="chart-{chart}"[^>]*style="[^"]*'
                          r'display: block', dom)
        check(drawn, f"chart {chart} is drawn")
        behind = dom.split(f'id="table-{chart}"', 1)[1]
        check("<td" in behind.split("</details>", 1)[0],
              f"chart {chart} has its table")
    check(dom.count('type="checkbox"') == 4, "a box for each cell")
print("ok")
