"""Whether two engines measure the same, judged from rounds in which both were
used twice, in turns, in open loop: raw, curl, raw, curl.

For each percentile and round `off` is what curl's two runs show more than raw's
two, on average, and `null` what raw's first run shows more than its second. The
verdict is one of equivalence at 5 %: the 90 % interval of the median of `off`
must lie within +-margin, whole ("yes") or not at all ("no"); else it is "open"
and more rounds can tell. The margin is the larger of

  noise    what two raw runs of a round differ by, in half of the rounds
  allowed  by the caller: at least the cost of libcurl, what it takes more for
           a request than raw. Its requests are made, and its answers taken
           apart, within what is measured, and wait for each other.
"""
import math
import statistics

PERCENTILES = ["p50", "p90", "p99"]


def interval(values):
    """Of the median, from the values' order alone: each end is beyond it in at
    most 5 % of all cases. None: too few values."""
    values, n, below = sorted(values), len(values), 0.0
    k = 0
    while True:
        below += math.comb(n, k) / 2 ** n
        if below > 0.05:
            break
        k += 1
    return (values[k - 1], values[n - k]) if k else None


class Verdict:
    def __init__(self, off, null, allowed):
        self.off, self.allowed = statistics.median(off), allowed
        self.noise = statistics.median(map(abs, null))
        self.margin = max(self.noise, allowed)
        ends = interval(off)
        self.low, self.high = ends or (-math.inf, math.inf)
        self.word = ("yes" if -self.margin <= self.low
                     and self.high <= self.margin else
                     "no" if self.low > self.margin
                     or self.high < -self.margin else "open")

    def __str__(self):
        return (f"{self.off / 1e3:+.1f} us ({self.low / 1e3:+.1f} .. "
                f"{self.high / 1e3:+.1f}), noise {self.noise / 1e3:.1f} us, "
                f"allowed {self.allowed / 1e3:.1f} us: {self.word}")


def judge(rounds, allowed_ns, kind):
    """Verdicts by percentile: rounds are lists of four results as pitwall-load
    prints them, of raw, curl, raw, curl. What has too few samples for a
    percentile is left out, and the percentile where most have."""
    verdicts = {}
    for p in PERCENTILES:
        seen = [[run["tasks"][0][kind][p] for run in runs] for runs in rounds]
        full = [row for row in seen if None not in row]
        if not full or 2 * len(full) < len(seen):
            continue
        verdicts[p] = Verdict([(b + d - a - c) / 2 for a, b, c, d in full],
                              [a - c for a, _, c, _ in full], allowed_ns)
    return verdicts


def cost_ns(rates):
    """Of libcurl, from pairs of the most requests a second of raw and curl: the
    difference of the times between two requests."""
    return max(0.0, statistics.median(1e9 / curl - 1e9 / raw
                                      for raw, curl in rates if raw and curl))


def word(verdicts):
    """Of all percentiles together."""
    words = {v.word for v in verdicts.values()}
    return ("no" if "no" in words else "yes" if words == {"yes"} else "open")
