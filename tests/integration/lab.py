"""What the integration tests share: the built programs, a scratch folder, runs
of pitwall with a deadline, and a look at what is left behind.

Each test is a program: `test_x.py BUILD_DIR`; it exits 0, 1, or 77 when this
machine cannot run it (and says why)."""
import ctypes
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

BUILD = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
PITWALL = BUILD / "controller" / "pitwall"
AGENT = BUILD / "agent" / "executor" / "pitwall-agent"
LOAD = BUILD / "load" / "pitwall-load"
TARGET = BUILD / "target" / "pitwall-target"

PR_SET_CHILD_SUBREAPER = 36
# Orphans of what we start become ours, so that descendants() sees them all.
ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

checks = 0


def check(condition, what):
    global checks
    checks += 1
    if not condition:
        sys.exit(f"FAILED: {what}")


def skip(why):
    print(f"SKIPPED: {why}")
    sys.exit(77)


class Scratch:
    """A folder that is the working directory and goes away afterwards."""

    def __enter__(self):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="pitwall-test-"))
        os.chdir(self.path)
        return self.path

    def __exit__(self, kind, *_):
        os.chdir("/")
        if kind is None or kind is SystemExit:
            shutil.rmtree(self.path, ignore_errors=True)


# What tests judge is not how quiet the machine is that they run on.
JUDGED = {"run", "plan"}


def calm(words):
    """The words of a command line with the rules about disturbances off, unless
    it says itself what it accepts."""
    if words and words[0] in JUDGED and "--accept" not in words:
        return [words[0], "--accept", "all=off", *words[1:]]
    return list(words)


def pitwall(*words, timeout=300, **more):
    """Run pitwall to its end; text output. A hang is a failure."""
    words = calm([*map(str, words)])
    return subprocess.run([PITWALL, *words], capture_output=True,
                          text=True, timeout=timeout,
                          stdin=subprocess.DEVNULL, **more)


def start(*command, **more):
    command = [*map(str, command)]
    if command[0] == str(PITWALL):
        command[1:] = calm(command[1:])
    return subprocess.Popen(command, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True,
                            stdin=subprocess.DEVNULL, **more)


def query(db, sql):
    done = pitwall("query", "--db", db, "--json", sql)
    check(done.returncode == 0, f"query {sql}: {done.stderr}")
    rows = json.loads(done.stdout)["rows"]
    return [list(row.values()) if isinstance(row, dict) else row
            for row in rows]


def one(db, sql):
    return query(db, sql)[0][0]


def descendants():
    """pid -> command name of every living process below us, zombies aside."""
    parents, names = {}, {}
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            text = (entry / "stat").read_text()
        except OSError:
            continue
        name = text[text.index("(") + 1:text.rindex(")")]
        fields = text[text.rindex(")") + 2:].split()
        if fields[0] != "Z":
            parents[int(entry.name)] = int(fields[1])
            names[int(entry.name)] = name
    ours, found = {os.getpid()}, {}
    while True:
        more = {pid for pid, parent in parents.items()
                if parent in ours and pid not in ours}
        if not more:
            return found
        ours |= more
        found.update({pid: names[pid] for pid in more})


def links():
    return set(os.listdir("/sys/class/net"))


def reap():
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                return
        except ChildProcessError:
            return


def check_nothing_left(links_before, within_s, what):
    """No process of ours and no link after at most within_s seconds. Orphans
    are reaped meanwhile, as init would: a pid namespace ends only then."""
    due = time.monotonic() + within_s
    while True:
        reap()
        left = descendants()
        if not left and links() == links_before:
            break
        if time.monotonic() > due:
            sys.exit(f"FAILED: {what}: left behind: {left}, "
                     f"links {links() - links_before}")
        time.sleep(0.05)
    check(True, what)


def wait_until(condition, within_s, what):
    due = time.monotonic() + within_s
    while not condition():
        if time.monotonic() > due:
            sys.exit(f"FAILED: waited {within_s} s until {what}")
        time.sleep(0.02)


def interrupt(process):
    process.send_signal(signal.SIGINT)


def can_make_namespaces():
    return subprocess.run(["unshare", "-n", "true"],
                          stderr=subprocess.DEVNULL).returncode == 0


def done():
    print(f"{checks} checks")
