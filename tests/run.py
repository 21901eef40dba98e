#!/usr/bin/env python3
"""Build each variant and run its tests: the release build with every suite, the
sanitizer builds with those that run code of ours. Tests of real processes run
in front, three at a time; they mostly wait, and meanwhile sanitizers are built
and their units run behind, with the least priority. Ends with
"N passed, N failed"."""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Units of code that starts threads, or is called by several.
THREADED = re.compile(r"chan|child|controller_launch|heap_(heap|threads)|"
                      r"(load|target|watch)_")
# Of them those that repeat a server's or an index's life for each of its
# allocations: what is shared between threads is the same each time.
REPEATED = {"target_server_sweep", "target_server_malloc", "target_commit"}

# Integration tests whose time is waiting, for programs that others run with
# sanitizers as well.
WAITING = {"agents", "interrupt", "fidelity"}


def small_with_addresses(test):
    """Of the address and undefined sanitizers, what many may run at once."""
    return {"unit", "fuzz"} & suites_of(test)


def whole_with_addresses(test):
    """Of them, what waits for real processes."""
    return ({"restore", "integration"} & suites_of(test)
            and test["name"] not in WAITING)


def with_threads(test):
    """What the thread sanitizer runs."""
    return ("unit" in suites_of(test) and THREADED.match(test["name"])
            and test["name"] not in REPEATED)


def suites_of(test):
    return {suite.split(":")[-1] for suite in test["suite"]}


LEAST = 19  # niceness of what runs behind

# Tests at once. Of two processors those of real processes want half a one each;
# behind there are units, which want a whole one.
IN_FRONT, BEHIND = 3, 2

ENVIRONMENT = {
    "ASAN_OPTIONS": "detect_stack_use_after_return=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    "TSAN_OPTIONS": "halt_on_error=1:second_deadlock_stack=1:"
                    f"suppressions={ROOT}/tests/lib/tsan.supp",
}


def run(command, **more):
    return subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, **more)


def build(variant, nice, *targets):
    """Build some targets, or all: the folder."""
    made = run(["nice", "-n", str(nice), ROOT / "tools" / "build", variant,
                *targets], capture_output=True, text=True)
    if made.returncode:
        raise RuntimeError(made.stderr)
    return ROOT / made.stdout.split()[-1]


def introspect(folder, what):
    found = run(["meson", "introspect", f"--{what}", folder],
                capture_output=True, text=True, check=True)
    return json.loads(found.stdout)


def needed(folder, tests):
    """The targets that tests are made of."""
    ids = {target for test in tests for target in test["depends"]}
    return sorted({os.path.relpath(name, folder)
                   for target in introspect(folder, "targets")
                   for name in target["filename"] if target["id"] in ids})


def meson_test(folder, names, nice=0):
    """Run tests (none: all); the records of meson's log, and what it said. A
    folder's tests may run in front and behind at once, each has its log."""
    base = "behind" if nice else "front"
    log = folder / "meson-logs" / f"{base}.json"
    log.unlink(missing_ok=True)
    said = run(["nice", "-n", str(nice), "meson", "test", "-C", folder,
                "--no-rebuild", "--print-errorlogs", "--logbase", base,
                "--num-processes", str(BEHIND if nice else IN_FRONT), *names],
               env=dict(os.environ, **ENVIRONMENT),
               capture_output=nice > 0, text=True)
    if not log.exists():
        return [{"name": "meson test", "result": "FAIL"}], said.stdout
    lines = log.read_text().splitlines()
    return [json.loads(line) for line in lines if line], said.stdout


class Results:
    """What came of the tests, of both threads."""

    def __init__(self):
        self.lock = threading.Lock()
        self.records = []  # (variant, folder, meson's record)

    def add(self, variant, folder, outcome):
        tests, said = outcome
        with self.lock:
            if said:
                print(f"== {variant}, run behind\n{said}", flush=True)
            self.records += [(variant, folder, test) for test in tests]

    def broken(self, variant, error):
        with self.lock:
            sys.stderr.write(f"{variant}: {error}\n")
            self.records.append((variant, None, {"name": "build",
                                                 "result": "FAIL"}))

    def again(self):
        """Once more, alone: tests of real processes share two noisy cores with
        whoever else is there. What passes only then is told, not hidden."""
        for variant, folder, test in self.records:
            if not folder or test["result"] not in ("FAIL", "TIMEOUT", "ERROR"):
                continue
            second, _ = meson_test(folder, [test["name"].split(" / ")[-1]])
            if all(t["result"] == "OK" for t in second):
                test["result"] = "OK"
                print("passed on a second try only: "
                      f"{variant}: {test['name']}")

    def tell(self):
        """The last lines; whether all is well."""
        count = {"passed": 0, "failed": 0, "skipped": 0}
        for variant, _, test in self.records:
            verdict = {"OK": "passed", "SKIP": "skipped"}.get(
                test["result"], "failed")
            count[verdict] += 1
            if verdict != "passed":
                print(f"{verdict}: {variant}: {test['name']}")
        skipped = f", {count['skipped']} skipped" if count["skipped"] else ""
        print(f"{count['passed']} passed, {count['failed']} failed{skipped}")
        return not count["failed"] and count["passed"] > 0


def choose(folder, wanted):
    return [test for test in introspect(folder, "tests") if wanted(test)]


def names_of(tests):
    return sorted({test["name"] for test in tests})


def behind(results, asan):
    """Build sanitizers and run what may run beside others."""
    variant = "asan"
    try:
        folder = build(variant, LEAST)
        asan.set_result(folder)
        results.add(variant, folder, meson_test(
            folder, names_of(choose(folder, small_with_addresses)), LEAST))
        variant = "tsan"
        folder = build(variant, LEAST, "build.ninja")
        tests = choose(folder, with_threads)
        build(variant, LEAST, *needed(folder, tests))
        results.add(variant, folder,
                    meson_test(folder, names_of(tests), LEAST))
    except (RuntimeError, subprocess.CalledProcessError) as error:
        results.broken(variant, error)
        if not asan.done():
            asan.set_result(None)


def main():
    started = time.monotonic()
    results = Results()
    asan = concurrent.futures.Future()
    back = threading.Thread(target=behind, args=(results, asan))
    try:
        release = build("release", 0)
    except RuntimeError as error:
        results.broken("release", error)
        return 0 if results.tell() else 1
    quick = "--quick" in sys.argv[1:]
    if not quick:
        back.start()
    print("== release", flush=True)
    results.add("release", release, meson_test(release, []))
    if not quick:
        folder = asan.result()
        if folder:
            print("== asan", flush=True)
            results.add("asan", folder, meson_test(
                folder, names_of(choose(folder, whole_with_addresses))))
        back.join()
    results.again()
    print(f"{time.monotonic() - started:.0f} s")
    return 0 if results.tell() else 1


sys.exit(main())
