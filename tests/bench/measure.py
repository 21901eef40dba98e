"""What the benchmarks share: CPU time of processes, foreign load, runs pinned
to a CPU, and rounds that are dropped where others used the machine."""
import atexit
import os
import pathlib
import subprocess
import sys
import time

TICKS = os.sysconf("SC_CLK_TCK")
FOREIGN_MAX = 0.35  # cores


def busy():
    """Seconds that all CPUs worked, by /proc/stat."""
    fields = open("/proc/stat").readline().split()[1:9]
    return sum(int(f) for i, f in enumerate(fields) if i not in (3, 4)) / TICKS


def cpu(pid):
    """Seconds that a living process worked."""
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


class Run:
    """One driver's run: its output, the CPU time it took, and the cores that
    others used beside it and the servers."""

    def __init__(self, command, servers, before=()):
        command = [*before, "taskset", "-c", "1", *map(str, command)]
        all_0, began, cpu_0 = busy(), time.monotonic(), children()
        own_0 = sum(map(cpu, servers))
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{' '.join(command)}: status {done.returncode}: "
                     f"{done.stderr}")
        self.out, self.cpu_s = done.stdout, children() - cpu_0
        own = sum(map(cpu, servers)) - own_0 + self.cpu_s
        self.foreign = max(0, (busy() - all_0 - own)
                           / (time.monotonic() - began))


def go_first():
    """As root: nice -10, for this process and all that it starts. Where the
    kernel groups processes by session, nice counts within the session only, so
    that the session as a whole goes first until the end (sched(7))."""
    if os.getuid():
        return
    os.nice(-10)
    group = pathlib.Path("/proc/self/autogroup")
    if group.exists():
        before = group.read_text().split()[-1]
        group.write_text("-10")
        atexit.register(group.write_text, before)


def children():
    t = os.times()
    return t.children_user + t.children_system


class Servers:
    """Servers pinned to CPU 0, ended when the block ends."""

    def __init__(self):
        self.running = {}

    def start(self, name, command, before=()):
        self.running[name] = subprocess.Popen(
            [*before, "taskset", "-c", "0", *map(str, command)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def pid(self, name):
        """Of the server, or of its only child, which does the work."""
        pid = self.running[name].pid
        path = pathlib.Path(f"/proc/{pid}/task/{pid}/children")
        below = path.read_text().split() if path.exists() else []
        return int(below[0]) if below else pid

    def pids(self):
        return [self.pid(name) for name in self.running]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for server in self.running.values():
            server.terminate()
        for server in self.running.values():
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def need(programs, packages):
    """Say what is missing; as root install it."""
    missing = [p for p in programs if subprocess.run(
        ["which", p], stdout=subprocess.DEVNULL).returncode]
    if not missing:
        return
    names = sorted({packages[p] for p in missing})
    if os.getuid():
        sys.exit(f"missing: {' '.join(missing)}; as root this installs "
                 f"{' '.join(names)}")
    subprocess.run(["apt-get", "install", "-y", "--no-install-recommends",
                    *names], check=True, stdout=subprocess.DEVNULL)
