#!/usr/bin/env python3
"""Build each variant and run its tests: the release build with every suite, the
sanitizer builds with those that run code of ours, built meanwhile with the
least priority: tests of real processes mostly wait. Ends with
"N passed, N failed"."""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Units of code that starts threads, or is called by several.
THREADED = re.compile(r"chan|child|controller_launch|heap_(heap|threads)|"
                      r"(load|target|watch)_")


def with_addresses(test):
    """What the address and undefined sanitizers run."""
    return {"unit", "fuzz", "restore", "integration"} & suites_of(test)


def with_threads(test):
    """What the thread sanitizer runs."""
    return "unit" in suites_of(test) and THREADED.match(test["name"])


def suites_of(test):
    return {suite.split(":")[-1] for suite in test["suite"]}


# variant -> which of its tests (None: all)
VARIANTS = [("release", None), ("asan", with_addresses), ("tsan", with_threads)]
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


def prepare(variant, wanted, nice):
    """Build what the variant's tests need: the folder, and their names (none:
    all that there are). Tests of real processes need all programs."""
    if not wanted:
        return build(variant, nice), []
    folder = build(variant, nice, "build.ninja")
    tests = [t for t in introspect(folder, "tests") if wanted(t)]
    needed = {target for test in tests for target in test["depends"]}
    files = {os.path.relpath(name, folder)
             for target in introspect(folder, "targets")
             for name in target["filename"] if target["id"] in needed}
    whole = any("integration" in suites_of(test) for test in tests)
    build(variant, nice, *([] if whole else sorted(files)))
    return folder, sorted({test["name"] for test in tests})


def run_variant(preparing, variant):
    """The tests' records of meson's log, or one failed record."""
    try:
        folder, names = preparing.result()
    except (RuntimeError, subprocess.CalledProcessError) as error:
        sys.stderr.write(f"{error}\n")
        return [{"name": "build", "result": "FAIL"}]
    tests = meson_test(folder, names)
    for test in tests:
        if test["result"] in ("FAIL", "TIMEOUT", "ERROR"):
            again(folder, variant, test)
    return tests or [{"name": "meson test", "result": "FAIL"}]


def meson_test(folder, words):
    """Run meson test; the records of its log."""
    log = folder / "meson-logs" / "testlog.json"
    log.unlink(missing_ok=True)
    run(["meson", "test", "-C", folder, "--no-rebuild", "--print-errorlogs",
         "--num-processes", "2", *words],
        env=dict(os.environ, **ENVIRONMENT))
    if not log.exists():
        return []
    return [json.loads(line) for line in log.read_text().splitlines() if line]


def again(folder, variant, test):
    """Once more, alone: tests of real processes share two noisy cores with
    whoever else is there. What passes only then is told, not hidden."""
    name = test["name"].split(" / ")[-1]
    second = meson_test(folder, [name])
    if second and all(t["result"] == "OK" for t in second):
        test["result"] = "OK"
        print(f"passed on a second try only: {variant}: {test['name']}")


def main():
    started = time.monotonic()
    variants = VARIANTS[:1] if "--quick" in sys.argv[1:] else VARIANTS
    count = {"passed": 0, "failed": 0, "skipped": 0}
    summary = []
    with concurrent.futures.ThreadPoolExecutor(1) as builder:
        preparing = builder.submit(prepare, *variants[0], 0)
        for i, (variant, _) in enumerate(variants):
            print(f"== {variant}", flush=True)
            concurrent.futures.wait([preparing])
            ready = preparing
            if variants[i + 1:]:
                preparing = builder.submit(prepare, *variants[i + 1], 19)
            for test in run_variant(ready, variant):
                verdict = {"OK": "passed", "SKIP": "skipped"}.get(
                    test["result"], "failed")
                count[verdict] += 1
                if verdict != "passed":
                    summary.append(f"{verdict}: {variant}: {test['name']}")
    print("\n".join(summary))
    print(f"{time.monotonic() - started:.0f} s")
    skipped = f", {count['skipped']} skipped" if count["skipped"] else ""
    print(f"{count['passed']} passed, {count['failed']} failed{skipped}")
    return 1 if count["failed"] or not count["passed"] else 0


sys.exit(main())
