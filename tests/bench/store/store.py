#!/usr/bin/env python3
"""The store at its size: an experiment of 100 cells with --trials trials of 60 s
(180 samples and 6 histograms each, see fill.c) is written as `pitwall run`
writes it, then asked as people ask. Keys:

  trials_s      trials stored a second, one durable transaction each
  trials_cpu_s  the same of CPU time: without the wait for the disk
  moves_s       rows of states a second, durable each; six precede a trial's end
  NAME_s        `pitwall NAME` from start to end, the median of --times runs
  slowest_s     the largest of report_s, compare_s, effects_s
  bytes         of the file for each trial

Goals: trials_s 1,000; slowest_s 1; list_s 0.05. A command that this build does
not have is left out. Last line: `store key=value ...`.

usage: store.py BUILD_DIR [--trials N] [--times N] [--db FILE]
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from measure import go_first  # noqa: E402

LIST, SLOW = ["list"], ["report", "compare", "effects"]
ARGUMENTS = {
    "list": [],
    "report": ["--rows", "heap,predictor", "--cols", "rmem,link"],
    "compare": ["1:heap=1g", "1:heap=2g"],
    "effects": ["1"],
}
TIMEOUT_S = 600


def fill(build, db, trials):
    done = subprocess.run([build / "tests/bench/store/fill", db, str(trials)],
                          capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"fill: status {done.returncode}: {done.stderr}")
    found = dict(pair.split("=") for pair in done.stdout.split())
    return {key: float(value) for key, value in found.items()}


def seconds(command, times):
    """The median, or None where it is no command of this build."""
    took = []
    for _ in range(times):
        began = time.monotonic()
        done = subprocess.run(command, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True,
                              timeout=TIMEOUT_S)
        took.append(time.monotonic() - began)
        if done.returncode == 2 and "unknown command" in done.stderr:
            return None
        if done.returncode:
            sys.exit(f"{' '.join(map(str, command))}: status "
                     f"{done.returncode}: {done.stderr}")
    return statistics.median(took)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter,
        usage=argparse.SUPPRESS)
    parser.add_argument("build", type=pathlib.Path, help="the build folder")
    parser.add_argument("--trials", type=int, default=10000,
                        help="a multiple of 100 (default: 10000)")
    parser.add_argument("--times", type=int, default=5,
                        help="runs of each command (default: 5)")
    parser.add_argument("--db", type=pathlib.Path,
                        help="where to; it stays (default: a temporary file)")
    args = parser.parse_args()
    build = args.build.resolve()
    go_first()
    keys = []
    with tempfile.TemporaryDirectory(prefix="pitwall-bench-") as folder:
        db = args.db.resolve() if args.db else pathlib.Path(folder) / "lab.db"
        if db.exists():
            sys.exit(f"{db}: is there already")
        os.chdir(folder)
        spent = fill(build, db, args.trials)
        size = db.stat().st_size
        keys += [f"trials_s={args.trials / spent['end_s']:.0f}",
                 f"trials_cpu_s={args.trials / spent['end_cpu_s']:.0f}",
                 f"moves_s={6 * args.trials / spent['move_s']:.0f}"]
        print(f"{args.trials} trials: {spent['end_s']:.1f} s, "
              f"{spent['end_cpu_s']:.1f} s of CPU; {size / 1e6:.0f} MB",
              flush=True)
        slowest = 0
        for name in LIST + SLOW:
            took = seconds([build / "controller/pitwall", name, "--db", db,
                            *ARGUMENTS[name]], args.times)
            if took is None:
                continue
            print(f"{name}: {took:.3f} s", flush=True)
            keys.append(f"{name}_s={took:.3f}")
            slowest = max(slowest, took if name in SLOW else 0)
        os.chdir("/")
    keys.insert(1, f"slowest_s={slowest:.3f}")
    print("store", *keys, f"bytes={size / args.trials:.0f}")


main()
