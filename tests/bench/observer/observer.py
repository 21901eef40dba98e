#!/usr/bin/env python3
"""What watching costs, by switching it on and off while one target and one load
run (slices.py); differences are in percent, with 95 % intervals:

  telemetry  both watches, all devices of every second: CPU time for the same
             requests at a fixed rate (open loop), throughput as fast as it
             goes (closed loop)
  control    what pitwall and its agent do meanwhile: progress on a terminal,
             states, leases, records to the spool
  recording  counts and histograms of each request, in the load: small requests,
             closed loop, where a request has the least work beside it
  series     each second's histograms encoded
  progress   pitwall-load's line on a terminal
  link, tcp, cpu, disk, proc, target
             each device alone

Telemetry, control and devices are those of real trials (`pitwall run`, link
loopback), stopped and continued by signals; recording, series and progress are
switched in a load made for it. What the watches took by the kernel's account
(_share) is beside each: that is theirs alone, without what they slow down; so
is the share of the thread that does series and progress (load_main_share).
run_cpu_s is the CPU time of controller, agent and gate for the open loop's whole
trial: set-up, window, collecting, store, report.

Ten minutes on a machine with nothing else to do decide 1 %. Slices with more
than --foreign cores of others' work are dropped with their neighbours; gated=0
says that they were too many, and that all were taken. Root, or user namespaces,
are needed: work is counted by the trial's own loopback interface.
Last line: `observer key=value ...`; observer_pct and ci are telemetry's.

usage: observer.py BUILD_DIR [--minutes M] [--slice S] [--rate BULKS/S]
                   [--clients N] [--foreign CORES]
                   [--only telemetry,devices,load]
"""
import argparse
import json
import mmap
import os
import pathlib
import pty
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from measure import FOREIGN_MAX, go_first  # noqa: E402
from slices import Factor, Slices, cost, cpu_ns, share, throughput  # noqa: E402

PORT = 23940
DEVICES = ["link", "tcp", "cpu", "disk", "proc", "target"]
BULK_DOCS = 1000
READY_S, WARMUP_S, SPARE_S = 60, 2, 3
SWITCHES = {"recording": 1, "series": 2, "progress": 4}
# Recording is no matter of seconds: short slices, many of them in a turn.
RECORDING_S, RECORDING_UNITS = 0.2, 6
# Of the whole time; the rest is starting and ending.
PARTS = {"open": 0.36, "closed": 0.16, "device": 0.03, "load": 0.14}


def track(rate, clients):
    task = {"name": "bulk", "clients": clients, "warmup-time-period": 0,
            "time-period": 1, "operation": {
                "operation-type": "bulk", "bulk-size": BULK_DOCS,
                "looped": True}}
    if rate:
        task["target-throughput"] = rate
    return {"version": 2, "indices": [{"name": "geonames"}],
            "corpora": [{"name": "geonames", "documents": [{
                "generator": "geonames", "seed": 1, "document-count": 100000,
                "target-index": "geonames"}]}],
            "challenges": [{"name": "bulk", "default": True,
                            "schedule": [task]}]}


class Terminal:
    """Somebody who looks: what is written to it is read and dropped."""

    def __enter__(self):
        self.master, self.slave = pty.openpty()
        self.reader = threading.Thread(target=self.swallow, daemon=True)
        self.reader.start()
        return self

    def swallow(self):
        try:
            while os.read(self.master, 65536):
                pass
        except OSError:
            pass

    def __exit__(self, *_):
        os.close(self.slave)
        self.reader.join()
        os.close(self.master)


def below(pid):
    """pid -> command name of a process and all that it started."""
    parents, names = {}, {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            text = pathlib.Path(f"/proc/{entry}/stat").read_text()
        except OSError:
            continue
        names[int(entry)] = text[text.index("(") + 1:text.rindex(")")]
        parents[int(entry)] = int(text[text.rindex(")") + 2:].split()[1])
    found = {pid} & set(names)
    while True:
        more = {p for p, q in parents.items() if q in found} - found
        if not more:
            return {p: names[p] for p in found}
        found |= more


def main_thread_s(pid):
    """CPU seconds of a process' first thread, by sched-stats.rst."""
    text = pathlib.Path(f"/proc/{pid}/task/{pid}/schedstat").read_text()
    return int(text.split()[0]) / 1e9


class Trial:
    """One trial of `pitwall run`, whose window is cut into slices."""

    def __init__(self, bench, devices, rate, seconds, terminal):
        self.seconds = seconds
        pathlib.Path("track.json").write_text(json.dumps(
            track(rate, bench.args.clients)))
        pathlib.Path("lab.db").unlink(missing_ok=True)
        self.log = open("run.log", "w")
        self.process = subprocess.Popen(
            [str(bench.build / "controller/pitwall"), "run", "--track",
             "track.json", "-n", "1", "-m", "heap=1g", "-m", "link=loopback",
             "-m", "pin=none", "-m", "load.threads=1", "--warmup",
             f"{WARMUP_S}s", "--measure", f"{seconds + SPARE_S:.0f}s",
             "--telemetry", devices, "--canary", "off", "--no-ceiling",
             "--retries", "0", "--accept", "all=off", "--db", "lab.db"], stdin=subprocess.DEVNULL,
            stdout=self.log, stderr=terminal.slave)
        self.pids, self.watches = self.find()

    def find(self):
        """The parts by name, once load runs."""
        end = time.monotonic() + READY_S
        while time.monotonic() < end and self.process.poll() is None:
            found, pids, watches = below(self.process.pid), {}, []
            for pid, name in sorted(found.items()):
                name = name if name not in pids else f"{name}.{pid}"
                pids[name] = pid
                watches += [name] * name.startswith("pitwall-watch")
            if len(watches) == 2 and "pitwall-load" in pids:
                self.target = pids["pitwall-target"]
                if self.bytes() > 100 << 20:  # it sends
                    return pids, watches
            time.sleep(0.1)
        self.process.kill()
        sys.exit(f"no trial came to its window within {READY_S} s: "
                 + pathlib.Path("run.log").read_text())

    def bytes(self):
        """What came over the trial's loopback interface."""
        try:
            lines = pathlib.Path(f"/proc/{self.target}/net/dev").read_text()
        except OSError:
            return 0
        return sum(int(line.split(":")[1].split()[0])
                   for line in lines.splitlines() if "lo:" in line)

    def stopper(self, names):
        """SIGSTOP in this order, SIGCONT in the other."""
        pids = [self.pids[name] for name in names]

        def switch(on):
            for pid in reversed(pids) if on else pids:
                os.kill(pid, signal.SIGCONT if on else signal.SIGSTOP)
        return switch

    def control(self):
        return [name for name in self.pids
                if name in ("pitwall", "pitwall-gate", "pitwall-agent")]

    def slices(self, factors):
        slices = Slices(self.pids, self.bytes)
        slices.run(factors, self.seconds - WARMUP_S)
        return slices

    def stop(self):
        """Whatever happened: nothing is left stopped."""
        for name in [*self.watches, *self.control()]:
            try:
                os.kill(self.pids[name], signal.SIGCONT)
            except ProcessLookupError:
                pass
        self.process.terminate()
        self.process.wait()

    def end(self):
        """Wait for it; the CPU seconds of controller, agent and gate."""
        spent = {}
        while self.process.poll() is None:
            for name in self.control():
                try:
                    spent[name] = cpu_ns(self.pids[name]) / 1e9
                except OSError:
                    pass
            time.sleep(0.01)
        self.log.close()
        if self.process.returncode not in (0, 3):  # 3: stops made it invalid
            sys.exit(f"pitwall run: status {self.process.returncode}: "
                     + pathlib.Path("run.log").read_text())
        return sum(spent.values())


class Bench:
    def __init__(self, args):
        self.args, self.build = args, args.build.resolve()
        self.seconds, self.keys, self.gated = args.minutes * 60, [], True

    def of(self, slices, name):
        """The pairs without others' load, or all when those are too few."""
        kept = slices.kept(name, self.args.foreign)
        every = slices.kept(name, float("inf"))
        if 3 * len(kept) >= len(every) and kept:
            return kept
        self.gated = False
        return every

    def say(self, name, what, estimate, key):
        print(f"{name}: {what} {estimate.text()}", flush=True)
        self.keys += estimate.keys(key)

    def trial(self, devices, rate, part, control):
        with Terminal() as terminal:
            trial = Trial(self, devices, rate,
                          max(12, self.seconds * PARTS[part]), terminal)
            watch = Factor("telemetry", trial.stopper(trial.watches),
                           self.args.slice)
            factors = [watch, watch, watch,
                       Factor("control", trial.stopper(trial.control()),
                              self.args.slice)]
            try:
                slices = trial.slices(factors if control else [watch])
                return trial, slices, trial.end()
            finally:
                trial.stop()

    def telemetry(self):
        trial, slices, run_cpu_s = self.trial(",".join(DEVICES),
                                              self.args.rate, "open", True)
        pairs = self.of(slices, "telemetry")
        self.say("telemetry", "CPU time, open loop", cost(pairs), "telemetry")
        own = share(pairs, trial.watches)
        print(f"telemetry: the watches took {own:.2f} % of it")
        pairs = self.of(slices, "control")
        self.say("control", "CPU time, open loop", cost(pairs), "control")
        their = share(pairs, trial.control())
        print(f"control: pitwall, agent and gate took {their:.2f} % of it, "
              f"{run_cpu_s:.2f} CPU s in the whole trial")
        _, slices, _ = self.trial(",".join(DEVICES), 0, "closed", True)
        self.say("telemetry", "throughput, closed loop",
                 throughput(self.of(slices, "telemetry")), "throughput")
        self.keys += [f"telemetry_share={own:.2f}",
                      f"control_share={their:.2f}",
                      f"run_cpu_s={run_cpu_s:.2f}"]

    def devices(self):
        for device in DEVICES:
            trial, slices, _ = self.trial(device, self.args.rate, "device",
                                          False)
            pairs = self.of(slices, "telemetry")
            own = share(pairs, trial.watches)
            print(f"{device}: the watches took {own:.3f} %")
            self.say(device, "CPU time, open loop", cost(pairs), device)
            self.keys.append(f"{device}_share={own:.3f}")

    def load(self):
        shared = pathlib.Path("switch")
        shared.write_bytes(struct.pack("<QQ", sum(SWITCHES.values()), 0))
        target = subprocess.Popen(
            [str(self.build / "target/pitwall-target"), "--listen",
             f"127.0.0.1:{PORT}", "--heap", "1g"], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        time.sleep(0.5)
        seconds = max(12, self.seconds * PARTS["load"])
        with Terminal() as terminal, open(shared, "r+b") as file, \
                mmap.mmap(file.fileno(), 16) as page:
            load = subprocess.Popen(
                [str(self.build / "tests/bench/observer/observed"), "-t", "1",
                 "-c", "8", "-d", f"{seconds + SPARE_S:.0f}s",
                 f"http://127.0.0.1:{PORT}/"], stdout=subprocess.DEVNULL,
                stderr=terminal.slave,
                env=os.environ | {"OBSERVED_SWITCH": str(shared.resolve())})
            try:
                self.switch_load(page, {"target": target.pid,
                                        "load": load.pid}, seconds)
                if load.wait():
                    sys.exit(f"observed: status {load.returncode}")
            finally:
                load.kill()
                target.terminate()
                target.wait()

    def switch_load(self, page, pids, seconds):
        def switch(bit):
            def set_it(on):
                now = struct.unpack_from("<Q", page, 0)[0]
                struct.pack_into("<Q", page, 0,
                                 now | bit if on else now & ~bit)
            return set_it
        of = {name: Factor(name, switch(bit), self.args.slice)
              for name, bit in SWITCHES.items()}
        of["recording"].slice_s = RECORDING_S
        factors = [*[of["recording"]] * RECORDING_UNITS, of["series"],
                   of["progress"]]
        slices = Slices(pids, lambda: struct.unpack_from("<Q", page, 8)[0])
        time.sleep(1)
        begin = main_thread_s(pids["load"]), sum(map(cpu_ns, pids.values()))
        slices.run(factors, seconds - 1)
        main_s = main_thread_s(pids["load"]) - begin[0]
        own = 100e9 * main_s / (sum(map(cpu_ns, pids.values())) - begin[1])
        print(f"series, progress: the thread that does them took {own:.3f} %")
        self.keys.append(f"load_main_share={own:.3f}")
        for name in SWITCHES:
            pairs = self.of(slices, name)
            self.say(name, "CPU time, small requests", cost(pairs), name)
            self.say(name, "throughput, small requests", throughput(pairs),
                     f"{name}_throughput")

    def last_line(self):
        found = dict(key.split("=") for key in self.keys)
        return " ".join([
            "observer", f"observer_pct={found.get('telemetry_pct', 'none')}",
            f"ci={found.get('telemetry_ci', 'none')}", *self.keys,
            f"gated={int(self.gated)}"])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter,
        usage=argparse.SUPPRESS)
    parser.add_argument("build", type=pathlib.Path, help="the build folder")
    parser.add_argument("--minutes", type=float, default=10,
                        help="of all together (default: 10)")
    parser.add_argument("--slice", type=float, default=1,
                        help="seconds of a slice; whole seconds hold equally "
                        "many samples (default: 1)")
    parser.add_argument("--rate", type=float, default=600,
                        help="bulks of 1000 documents each second in the open "
                        "loop (default: 600, some 0.4 cores)")
    parser.add_argument("--clients", type=int, default=8,
                        help="connections of the load (default: 8)")
    parser.add_argument("--foreign", type=float, default=FOREIGN_MAX,
                        help="cores of others' work that drop a slice "
                        f"(default: {FOREIGN_MAX})")
    parser.add_argument("--only", default="telemetry,devices,load",
                        help="of telemetry, devices, load (default: all)")
    args = parser.parse_args()
    bench = Bench(args)
    parts = {"telemetry": bench.telemetry, "devices": bench.devices,
             "load": bench.load}
    unknown = set(args.only.split(",")) - set(parts)
    if unknown:
        parser.error(f"--only {args.only}: of {', '.join(parts)}")
    go_first()
    with tempfile.TemporaryDirectory(prefix="pitwall-bench-") as folder:
        os.chdir(folder)
        for name in args.only.split(","):
            parts[name]()
        os.chdir("/")
    print(bench.last_line())


main()
