"""What something costs that can be switched while it runs: on, off, off, on, in
slices of about a second, hundreds of times in the same run. Each switch makes a
pair of neighbours, so that what drifts, drifts for both; a pair with others'
load in either half is dropped. CPU time is that of the processes in ns as the
scheduler counts it, with the softirq that ran in them, and ksoftirqd's."""
import math
import os
import statistics
import time

from measure import busy

SETTLE_S = 0.06  # after a switch: what was missed is made up for, uncounted
PAIRS_MIN = 6    # fewer have no 95 % interval of signed ranks
UNIT = (True, False, False, True)


def cpu_ns(pid):
    """Of all threads of a living process: clock_getcpuclockid(3)."""
    return time.clock_gettime_ns((~pid << 3) | 2)


def softirq_pids():
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/comm") as file:
                found += [int(pid)] * file.read().startswith("ksoftirqd/")
        except OSError:
            pass
    return found


class Factor:
    """Something observed: switch(on) is called at the slices' borders."""

    def __init__(self, name, switch, slice_s):
        self.name, self.switch, self.slice_s = name, switch, slice_s


class Slice:
    def __init__(self, took_s, done, cpu_s, foreign):
        self.took_s, self.done, self.cpu_s = took_s, done, cpu_s
        self.foreign = foreign

    def rate(self):
        return self.done / self.took_s

    def cost(self):
        return sum(self.cpu_s.values()) / self.done


class Slices:
    """pids: name -> pid, whose work it is; done(): how much work there was."""

    def __init__(self, pids, done):
        self.pids, self.done = dict(pids), done
        self.kernel = {f"ksoftirqd.{pid}": pid for pid in softirq_pids()}
        self.pairs = {}  # factor's name -> [(on, off)]

    def snapshot(self):
        cpu = {name: cpu_ns(pid)
               for name, pid in (self.pids | self.kernel).items()}
        return time.monotonic(), self.done(), cpu, busy()

    def take(self, slice_s):
        a = self.snapshot()
        time.sleep(slice_s)
        b = self.snapshot()
        took_s = b[0] - a[0]
        cpu = {name: (b[2][name] - a[2][name]) / 1e9 for name in a[2]}
        foreign = (b[3] - a[3] - sum(cpu.values())) / took_s
        return Slice(took_s, b[1] - a[1], cpu, foreign)

    def unit(self, factor):
        taken = []
        for on in UNIT:
            factor.switch(on)
            time.sleep(SETTLE_S)
            taken.append(self.take(factor.slice_s))
        self.pairs.setdefault(factor.name, []).extend(
            [(taken[0], taken[1]), (taken[3], taken[2])])

    def run(self, factors, seconds):
        """The factors in turns, all others on."""
        end, i = time.monotonic() + seconds, 0
        unit_s = len(UNIT) * (max(f.slice_s for f in factors) + SETTLE_S)
        while time.monotonic() + unit_s < end:
            self.unit(factors[i % len(factors)])
            i += 1

    def kept(self, name, foreign_max):
        return [pair for pair in self.pairs.get(name, [])
                if max(s.foreign for s in pair) <= foreign_max
                and min(s.done for s in pair) > 0]


class Estimate:
    """Of a pair's difference in percent: the median of all means of two
    (Hodges and Lehmann) and its 95 % interval by Wilcoxon's signed ranks, which
    one wild slice does not move."""

    def __init__(self, logs):
        self.n = len(logs)
        means = sorted((a + b) / 2 for i, a in enumerate(logs)
                       for b in logs[i:])
        self.known = self.n >= PAIRS_MIN
        if not self.known:
            return
        n, half = self.n, len(means) / 2
        spread = 1.96 * math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        out = max(0, int(half - 0.5 - spread))  # 0 for 6 pairs, as tables say
        self.pct = 100 * math.expm1(statistics.median(means))
        self.low_pct = 100 * math.expm1(means[out])
        self.high_pct = 100 * math.expm1(means[-1 - out])

    def keys(self, name):
        if not self.known:
            return [f"{name}_pct=none", f"{name}_ci=none"]
        return [f"{name}_pct={self.pct:.2f}",
                f"{name}_ci={self.low_pct:.2f}..{self.high_pct:.2f}"]

    def text(self):
        if not self.known:
            return f"too few pairs ({self.n})"
        return (f"{self.pct:+.2f} % ({self.low_pct:+.2f} to "
                f"{self.high_pct:+.2f}, {self.n} pairs)")


def cost(pairs):
    """CPU time for the same work, on against off."""
    return Estimate([math.log(on.cost() / off.cost()) for on, off in pairs])


def throughput(pairs):
    return Estimate([math.log(on.rate() / off.rate()) for on, off in pairs])


def share(pairs, names):
    """Percent of all CPU time that these processes took while on."""
    slices = [on for on, _ in pairs]
    whole = sum(sum(s.cpu_s.values()) for s in slices)
    own = sum(s.cpu_s.get(name, 0) for s in slices for name in names)
    return 100 * own / whole if whole else 0
