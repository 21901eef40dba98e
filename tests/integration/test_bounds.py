#!/usr/bin/env python3
"""Each word for what bounded a trial, by a trial that is forced to be bound so:
by one bulk thread, a heap that is nearly full, a short queue, a sync for each
document, a narrow link, a small window over a long wire, a low rate, or by
nothing in particular. (A driver that is held back: test_schedule.py.) What else
this machine does may bound a trial, too: each has two more tries."""
import json
import os
import pathlib
import time

from lab import (Scratch, can_make_namespaces, check, done, pitwall, query,
                 wait_until)
from machines import Machines

RUN = ["run", "--track", "geonames", "--challenge",
       "append-no-conflicts-index-only", "-n", "1", "--no-ceiling", "--quiet",
       "--warmup", "200ms", "--measure", "500ms", "--retries", "0", "--canary",
       "off", "--order", "listed"]

# Experiments of few cells: {word: levels}. A factor's levels are zipped, and
# either all the same or all different.
SYNCED = {
    "target-disk": {"target.index": "fts", "target.shards": 1,
                    "target.durability": "request", "load.clients": 4,
                    "track.bulk_size": 1}}
PARSED = {
    "target-cpu": {"heap": "1002m", "target.parse_work": 32, "load.clients": 12,
                   "track.bulk_size": 2000, "target.bulk_queue": 300,
                   "target.bulk_threads": 3},
    "target-gc": {"heap": "60m", "target.parse_work": 1, "load.clients": 24,
                  "track.bulk_size": 5000, "target.bulk_queue": 200,
                  "target.bulk_threads": 2},
    "target-queue": {"heap": "1g", "target.parse_work": 64, "load.clients": 16,
                     "track.bulk_size": 1000, "target.bulk_queue": 1,
                     "target.bulk_threads": 1},
    "unclear": {"heap": "1001m", "target.parse_work": 0, "load.clients": 1,
                "track.bulk_size": 200, "target.bulk_queue": 100,
                "target.bulk_threads": 4}}
NARROW = {"link": {"link": "veth:mtu=1500+rate=10mbit+burst=16kb+offloads=off",
                   "load.clients": 8, "track.bulk_size": 500}}
PACED = {"rate": {"load.rate": 20, "load.clients": 2, "track.bulk_size": 100}}
WIRED = {
    "rwnd": {"rmem": "low", "load.clients": 4, "track.bulk_size": 400,
             "target.bulk_queue": 200, "target.bulk_threads": 2,
             "target.parse_work": 0},
    "target-queue": {"rmem": "default", "load.clients": 16,
                     "track.bulk_size": 100, "target.bulk_queue": 1,
                     "target.bulk_threads": 1, "target.parse_work": 1024}}

experiments = 0


def run(cells, more, enter):
    """One experiment; what bounded each of its cells."""
    global experiments
    experiments += 1
    name, words, zipped = f"e{experiments}", [], []
    for factor in next(iter(cells.values())):
        levels = {word: cell[factor] for word, cell in cells.items()}
        same = len(set(levels.values())) == 1
        words += ["-m", f"{factor}=" + ",".join(
            f"{word}@{level}" for word, level in levels.items()
            if not same or word == next(iter(cells)))]
        zipped += [] if same else [factor]
    if len(cells) > 1:
        words += ["--zip", ",".join(zipped)]
    ran = pitwall(*RUN, "--name", name, *words, *more,
                  preexec_fn=enter)
    check(ran.returncode in (0, 3), f"{list(cells)}: run: {ran.stderr}")
    rows = query("lab.db", "select outcome, bound, coalesce(bound_shared, 0), "
                 f"bound_evidence from v_trial where name = '{name}' "
                 "order by tid")
    check(len(rows) == len(cells), f"{list(cells)}: {rows}")
    return dict(zip(cells, rows))


def force(cells, more=(), enter=None):
    """Trials whose words are these; those that are not, once more."""
    left, seen = dict(cells), []
    for _ in range(3):
        found = run(left, more, enter)
        for word, (outcome, bound, shared, evidence) in found.items():
            if bound != word:
                seen.append(f"{word}: {outcome}, {bound}: {evidence}")
                continue
            left.pop(word)
            check(bool(shared) == word.startswith("target-"),
                  f"{word}: shared host is {shared}")
            check(word in ("unclear", "rate") or
                  evidence.startswith(f"{word}: "), evidence)
        if not left:
            break
    check(not left, "\n".join(seen))
    for text in seen:
        print(f"at first {text}")


class SlowDisk:
    """A control group of at most 100 writes a second to the disk of /tmp, in
    either version's words; enter() is for a process that is to be in it."""

    def __init__(self):
        self.folder = None
        device = os.stat("/tmp").st_dev
        self.device = f"{os.major(device)}:{os.minor(device)}"
        whole = pathlib.Path(f"/sys/dev/block/{self.device}")
        if (whole / "partition").exists():
            self.device = (whole.resolve().parent / "dev").read_text().strip()

    def __enter__(self):
        name = f"pitwall-test-{os.getpid()}"
        for root, knob, value in (
                ("/sys/fs/cgroup/blkio", "blkio.throttle.write_iops_device",
                 f"{self.device} 100"),
                ("/sys/fs/cgroup", "io.max", f"{self.device} wiops=100")):
            folder = pathlib.Path(root) / name
            try:
                folder.mkdir()
            except OSError:
                continue
            try:
                (folder / knob).write_text(value)
                self.folder = folder
                break
            except OSError:
                folder.rmdir()
        return self

    def enter(self):
        (self.folder / "cgroup.procs").write_text(str(os.getpid()))

    def __exit__(self, *_):
        if self.folder:
            wait_until(lambda: not (self.folder / "cgroup.procs").read_text(),
                       20, "everybody has left the control group")
            self.folder.rmdir()


def sync_ms(path):
    """What it takes to make 4 KiB durable here, usually."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    took = []
    for i in range(20):
        os.pwrite(fd, b"x" * 4096, 4096 * i)
        begin = time.monotonic()
        os.fdatasync(fd)
        took.append(time.monotonic() - begin)
    os.close(fd)
    os.unlink(path)
    return sorted(took)[10] * 1000


def on_a_slow_disk():
    with SlowDisk() as disk:
        ms = sync_ms(f"/tmp/pitwall-test-sync-{os.getpid()}")
        if disk.folder or ms > 0.2:
            force(SYNCED, enter=disk.enter if disk.folder else None)
        else:
            print("target-disk is left out: no control group, and a sync "
                  f"takes {ms:.3f} ms in /tmp")


def on_one_machine():
    force(PARSED)
    on_a_slow_disk()
    force(PACED)
    if can_make_namespaces():
        force(NARROW)


def told_beside_the_figures():
    name, tid, evidence = query(
        "lab.db", "select name, tid, bound_evidence from v_trial where "
        "bound = 'target-queue'")[0]
    shown = pitwall("show", "--db", "lab.db", f"{name}:{tid}", "--json").stdout
    rows = {row["Metric"]: row for row in json.loads(shown)["rows"]}
    check(rows["Bound"]["Value"] == "target-queue", shown)
    check(rows["Bound"]["Unit"] == "shared host", shown)
    told = [note.strip() for note in json.loads(shown)["notes"]]
    check("bound: target-queue (shared host); evidence:" in told, f"{told}")
    check(all(part in told for part in
              evidence.replace("; not the ", "\nnot the ").split("\n")),
          f"{told}: {evidence}")
    check(rows["Refused by a full queue"]["Value"] >= 1, shown)
    listed = json.loads(pitwall("list", "--db", "lab.db", "--json").stdout)
    words = {row["name"]: row["bound"] for row in listed["rows"]}
    check("target-queue* 1" in words[name], f"{words}")
    report = json.loads(pitwall("report", "--db", "lab.db", "--json", "--rows",
                                "load.clients", name).stdout)
    check("target-queue*" in [row["bound"] for row in report["rows"]],
          f"{report}")
    check(any("shared host" in note for note in report["notes"]), f"{report}")


def over_a_long_wire():
    """Agents of one machine share it, whatever the wire between them."""
    with Machines(n_loads=1, delay_s=0.02):
        # bbr would send at the pace of what it measured, and wait for that.
        force(WIRED, ("-m", "link=ethernet", "-m", "congestion=reno",
                      "--agents", "lab.json"))


with Scratch():
    on_one_machine()
    told_beside_the_figures()
    if can_make_namespaces() and pathlib.Path("/dev/net/tun").exists():
        over_a_long_wire()
    else:
        print("rwnd is left out: no namespaces or no /dev/net/tun here")
done()
