#!/usr/bin/env python3
"""pitwall-load against wrk and iperf3, taking turns within each round.

Servers are pinned to CPU 0, drivers to CPU 1, one thread each:
  small8, small64  GETs of nginx's `return 200 "ok"`, 8 and 64 connections;
                   beside them the least program on libcurl (minimal.c; the
                   quicker of two ways), which is the limit of --engine curl
  bulk             1 MiB bodies, 64 distinct ones, to a sink that reads into one
                   64 KiB buffer and answers after the last byte, 8 connections
  lo, eth          the same bodies against one stream of iperf3, on loopback and
                   through a veth pair with tbf at 1 Gbit/s
  agree            both engines in open loop at 30 % of curl's ceiling (small8):
                   counts exactly nginx's; percentiles equivalent within what
                   raw differs from itself or what libcurl costs a request,
                   whichever is more, by tests/lib/agree.py: yes, no, or open,
                   where more rounds than there were could tell. Where others
                   take the CPU, starts are late, curl's more than raw's.
                   agree_socket is the verdict on what the sockets of the same
                   runs saw (witness.c); agree_own_us what each engine's p50 of
                   service time is longer than that: its own work

As root all of them run at nice -10. A round with more than --foreign cores of other programs' work is dropped. Keys
are medians over rounds of the ratio within a round; those that end in _cpu are
ratios of CPU time per request (below 1: cheaper than the peer), from all
rounds, which foreign load moves less; that of wrk includes reading its bodies. Last line: `driver key=value ...`.

usage: driver.py BUILD_DIR [--rounds N] [--seconds S] [--foreign CORES]
                 [--only CASE,...]
"""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1]),
                str(pathlib.Path(__file__).resolve().parents[2] / "lib")]
import agree as agreement  # noqa: E402
from measure import FOREIGN_MAX, Run, Servers, go_first, need  # noqa: E402

BODIES, DOCS, DOC_BYTES = 64, 1024, 1024
BODY_BYTES = DOCS * DOC_BYTES
NGINX, SINK, IPERF, ETH_SINK, ETH_IPERF = range(21520, 21525)
SMALL = f"http://127.0.0.1:{NGINX}/"
CASES = ["small8", "small64", "bulk", "lo", "eth", "agree"]
AGREE_S, AGREE_ROUNDS, AGREE_ROUNDS_MAX = 0.4, 12, 40

LUA = """
local requests, at = {}, 0
function init(args)
  local file = io.open("bodies.ndjson", "rb")
  for i = 1, %d do
    requests[i] = wrk.format("POST", "/_bulk",
      {["Content-Type"] = "application/x-ndjson"}, file:read(%d))
  end
end
function request()
  at = at %% #requests + 1
  return requests[at]
end
""" % (BODIES, BODY_BYTES)

NGINX_CONF = """
worker_processes 1; pid nginx.pid; error_log stderr crit; daemon off;
events { worker_connections 1024; }
http { access_log off; keepalive_requests 1000000000;
       server { listen 127.0.0.1:%d backlog=1024; location / { return 200 "ok"; }
                location /status { stub_status; } } }
""" % NGINX

TRACK = {
    "version": 2,
    "corpora": [{"name": "bodies", "documents": [{
        "source-file": "bodies.ndjson", "document-count": BODIES * DOCS,
        "includes-action-and-meta-data": True}]}],
    "challenges": [{"name": "bulk", "default": True, "schedule": [{
        "name": "bulk", "clients": 8, "warmup-time-period": 0,
        "time-period": 1, "operation": {
            "name": "bulk", "operation-type": "bulk", "bulk-size": DOCS,
            "looped": True}}]}],
}


def write_bodies():
    """64 bodies of 1024 documents, each with its action 1024 bytes."""
    action = '{"index":{"_index":"b"}}\n'
    with open("bodies.ndjson", "w") as file:
        for i in range(BODIES * DOCS):
            text = f'{{"n":{i},"text":"'
            fill = DOC_BYTES - len(action) - len(text) - 3
            file.write(f'{action}{text}{"abcdefgh" * (fill // 8 + 1)}'[
                :DOC_BYTES - 3] + '"}\n')
    pathlib.Path("track.json").write_text(json.dumps(TRACK))
    pathlib.Path("bulk.lua").write_text(LUA)
    pathlib.Path("nginx.conf").write_text(NGINX_CONF)


class Bench:
    def __init__(self, build, args, servers):
        self.load, self.args, self.servers = build / "load/pitwall-load", args, servers
        self.here = build / "tests/bench/driver"
        self.seconds = args.seconds
        self.before = ()

    def wrk(self, clients, url, *more):
        run = self.run("wrk", ["wrk", "-t1", f"-c{clients}",
                               f"-d{max(1, round(self.seconds))}s", *more, url])
        errors = re.search(r"Socket errors.*|Non-2xx.*", run.out)
        if errors:
            sys.exit(f"wrk: {errors.group(0)}")
        run.rate = float(re.search(r"Requests/sec:\s+([\d.]+)", run.out).group(1))
        run.each_s = run.cpu_s / max(1, int(re.search(r"(\d+) requests in",
                                                      run.out).group(1)))
        return run

    def pitwall(self, engine, *more, seconds=None):
        run = self.run(engine, [self.load, "-t", "1", "-d",
                                f"{seconds or self.seconds}s", "--json",
                                "--engine", engine, *more])
        run.json = json.loads(run.out)
        task = run.json["tasks"][0]
        if task["errors"]:
            sys.exit(f"pitwall-load {engine}: {task['error_text']}")
        run.rate, driver = task["ops_s"], run.json["driver"]
        run.each_s = ((driver["cpu_user_ns"] + driver["cpu_system_ns"]) / 1e9
                      / max(1, task["ops"]))
        return run

    def minimal(self, clients):
        """The least that libcurl takes, by the quicker of two ways."""
        runs = []
        for way in ["perform", "socket"]:
            run = self.run("minimal", [self.here / "minimal", SMALL, clients,
                                       self.seconds, way])
            done, took_s = map(float, run.out.split())
            run.rate, run.each_s = done / took_s, run.cpu_s / max(1, done)
            runs.append(run)
        return min(runs, key=per_request)

    def iperf(self, address, port):
        run = self.run("iperf3", ["iperf3", "-c", address, "-p", str(port),
                                  "-t", str(max(1, round(self.seconds))), "-J"])
        end = json.loads(run.out)["end"]
        run.rate = end["sum_received"]["bits_per_second"] / 8 / BODY_BYTES
        run.each_s = (end["cpu_utilization_percent"]["host_total"] / 100
                      / max(1e-9, end["sum_sent"]["bits_per_second"] / 8
                            / BODY_BYTES))
        return run

    def run(self, name, command):
        run = Run(command, self.servers.pids(), self.before)
        run.name = name
        return run

    def bulk(self, engine, address="127.0.0.1", port=SINK):
        return self.pitwall(engine, "--track", "track.json", "--target",
                            f"http://{address}:{port}")

    def small(self, clients):
        return [lambda: self.wrk(clients, SMALL),
                lambda: self.pitwall("raw", "-c", clients, SMALL),
                lambda: self.pitwall("curl", "-c", clients, SMALL),
                lambda: self.minimal(clients)]

    def runs(self, case):
        if case.startswith("small"):
            return self.small(int(case[5:]))
        if case == "bulk":
            return [lambda: self.wrk(8, f"http://127.0.0.1:{SINK}/", "-s",
                                     "bulk.lua"),
                    lambda: self.bulk("raw"), lambda: self.bulk("curl")]
        if case == "lo":
            return [lambda: self.iperf("127.0.0.1", IPERF),
                    lambda: self.bulk("raw")]
        return [lambda: self.iperf("10.93.0.1", ETH_IPERF),
                lambda: self.bulk("raw", "10.93.0.1", ETH_SINK)]

    def case(self, name):
        """Rounds of one case: those that are good, and all of them."""
        good, all_of = [], []
        self.before = ETH_BEFORE if name == "eth" else ()
        for _ in range(3 * self.args.rounds):
            runs = {}
            for run in self.runs(name):
                done = run()
                runs[done.name] = done
            all_of.append(runs)
            foreign = max(r.foreign for r in runs.values())
            kept = foreign <= self.args.foreign
            print(f"{name:8}" + "".join(
                f" {r.name} {r.rate:9.1f}/s {1e6 * r.each_s:7.2f} us"
                for r in runs.values())
                + f"  foreign {foreign:.2f}" + ("" if kept else ": dropped"),
                flush=True)
            good += [runs] if kept else []
            if len(good) == self.args.rounds:
                break
        self.before = ()
        return good, all_of


def ratio(rounds, name, peer, of=lambda r: r.rate):
    values = [of(r[name]) / of(r[peer]) for r in rounds if of(r[peer])]
    return f"{statistics.median(values):.2f}" if values else "none"


def per_request(run):
    return run.each_s


def served():
    """How many requests nginx has had, this one included."""
    with urllib.request.urlopen(f"http://127.0.0.1:{NGINX}/status") as answer:
        return int(answer.read().split()[9])


def agree_round(bench, rate):
    """raw, curl, raw and curl at one rate, whose counts must be nginx's."""
    due, runs = round(rate * AGREE_S), []
    for engine in ["raw", "curl", "raw", "curl"]:
        before = served()
        bench.before = ["env", "WITNESS=witness", "LD_PRELOAD="
                        + str(bench.here / "libwitness.so")]
        run = bench.pitwall(engine, "-c", "8", "-R", f"{rate}/s", SMALL,
                            seconds=AGREE_S)
        bench.before = ()
        seen = map(int, pathlib.Path("witness").read_text().split()[1:])
        run.json["tasks"][0]["socket_ns"] = dict(
            zip(agreement.PERCENTILES, seen))
        task, sent = run.json["tasks"][0], run.json["driver"]["requests"]
        had = served() - before - 1
        if task["ops"] + task["dropped"] != due or sent != had:
            sys.exit(f"agree: {engine} counts {task['ops']} requests and "
                     f"{task['dropped']} dropped of {due}, {sent} sent; "
                     f"nginx had {had}")
        runs.append(run)
    return runs


def own_ns(results, at):
    """What an engine's runs (number `at` and two further) say more at p50 than
    their sockets saw."""
    own = [runs[i]["tasks"][0]["service_ns"]["p50"]
           - runs[i]["tasks"][0]["socket_ns"]["p50"]
           for runs in results for i in (at, at + 2)]
    return statistics.median(own) if own else 0


def agree(bench, ceiling, keys):
    """Rounds until tests/lib/agree.py has a verdict of each percentile."""
    # a whole number of requests for each of 8 clients
    rate = round(round(0.3 * ceiling * AGREE_S / 8) * 8 / AGREE_S)
    rounds, rates = [], []
    verdicts, foreign, cost, results = {}, [], 0, []
    for _ in range(AGREE_ROUNDS_MAX):
        most = [bench.pitwall(engine, "-c", "8", SMALL, seconds=AGREE_S)
                for engine in ["raw", "curl"]]
        runs = agree_round(bench, rate)
        foreign.append(max(r.foreign for r in most + runs))
        if foreign[-1] > bench.args.foreign:
            continue
        rates.append([run.rate for run in most])
        rounds.append(runs)
        cost = agreement.cost_ns(rates)
        results = [[run.json for run in runs] for runs in rounds]
        verdicts = agreement.judge(results, cost, "latency_ns")
        if (len(rounds) >= max(AGREE_ROUNDS, bench.args.rounds)
                and agreement.word(verdicts) != "open"):
            break
    for p, verdict in verdicts.items():
        raw = statistics.median(runs[0]["tasks"][0]["latency_ns"][p] or 0
                                for runs in results)
        print(f"agree    {p} at {rate}/s: raw {raw / 1e3:.1f} us, curl "
              f"{verdict}", flush=True)
    services = agreement.judge(results, cost, "service_ns")
    for p, verdict in services.items():
        print(f"agree    {p} of service time: curl {verdict}", flush=True)
    sockets = agreement.judge(results, cost, "socket_ns")
    for p, verdict in sockets.items():
        print(f"agree    {p} at the sockets: curl {verdict}", flush=True)
    keys["agree_socket"] = agreement.word(sockets) if rounds else "none"
    keys["agree_own_us"] = ",".join(f"{name}:{own_ns(results, at) / 1e3:.1f}"
                                    for name, at in [("raw", 0), ("curl", 1)])
    keys["engines_agree"] = agreement.word(verdicts) if rounds else "none"
    keys["agree_service"] = agreement.word(services) if rounds else "none"
    keys["agree_by"] = ",".join(f"{p}:{v.off / 1e3:+.1f}us:{v.word}"
                                for p, v in verdicts.items())
    keys["agree_cost_us"] = f"{cost / 1e3:.1f}"
    keys["agree_rounds"] = f"{len(rounds)}/{len(foreign)}"
    keys["agree_foreign"] = f"{statistics.median(foreign):.2f}"


def sh(*words):
    subprocess.run(words, check=True)


ETH_NAMES = [f"pwdrv{os.getpid()}{end}" for end in "ab"]
ETH_BEFORE = ("ip", "netns", "exec", ETH_NAMES[1])


def eth_up():
    a, b = ETH_NAMES
    for name in ETH_NAMES:
        sh("ip", "netns", "add", name)
    sh("ip", "-n", a, "link", "add", "pwa", "type", "veth", "peer", "name",
       "pwb", "netns", b)
    for name, end, address in [(a, "pwa", "10.93.0.1/24"),
                               (b, "pwb", "10.93.0.2/24")]:
        sh("ip", "-n", name, "address", "add", address, "dev", end)
        sh("ip", "-n", name, "link", "set", end, "up")
        sh("ip", "-n", name, "link", "set", "lo", "up")
    sh(*ETH_BEFORE, "tc", "qdisc", "replace", "dev", "pwb", "root", "tbf",
       "rate", "1gbit", "burst", "32kb", "latency", "10ms")


def eth_down():
    for name in ETH_NAMES:
        subprocess.run(["ip", "netns", "del", name], stderr=subprocess.DEVNULL)


def start(servers, build, cases):
    sink = build / "tests/bench/receive/sink"
    servers.start("nginx", ["nginx", "-c", f"{os.getcwd()}/nginx.conf", "-p",
                            os.getcwd()])
    servers.start("sink", [sink, SINK, "reuse"])
    servers.start("iperf3", ["iperf3", "-s", "-p", IPERF])
    if "eth" in cases:
        inside = ("ip", "netns", "exec", ETH_NAMES[0])
        eth_up()
        servers.start("eth-sink", [sink, ETH_SINK, "reuse", "10.93.0.1"], inside)
        servers.start("eth-iperf3", ["iperf3", "-s", "-p", ETH_IPERF], inside)
    time.sleep(1)


def measure(bench, cases, build):
    keys, curl_rate = {}, 0
    for case in CASES[:-1]:
        if case not in cases:
            continue
        good, all_of = bench.case(case)
        name = {"small8": "small", "small64": "small64", "bulk": "bulk"}.get(case)
        if name:
            for engine, key in [("raw", name), ("curl", f"{name}_curl")]:
                keys[f"{key}_vs_wrk"] = ratio(good, engine, "wrk")
                keys[f"{key}_vs_wrk_cpu"] = ratio(all_of, engine, "wrk",
                                                  per_request)
            if name != "bulk":
                keys[f"{name}_minimal_vs_wrk"] = ratio(good, "minimal", "wrk")
                keys[f"{name}_curl_vs_minimal"] = ratio(good, "curl", "minimal")
                keys[f"{name}_curl_vs_minimal_cpu"] = ratio(
                    all_of, "curl", "minimal", per_request)
        else:
            key = "bulk_vs_iperf" + ("_1gbit" if case == "eth" else "")
            keys[key] = ratio(good, "raw", "iperf3")
            keys[f"{key}_cpu"] = ratio(all_of, "raw", "iperf3", per_request)
        keys[f"{case}_rounds"] = f"{len(good)}/{len(all_of)}"
        if case == "small8":
            curl_rate = statistics.median(r["curl"].rate for r in all_of)
    if "agree" in cases:
        if not curl_rate:
            curl_rate = bench.small(8)[2]().rate
        agree(bench, curl_rate, keys)
    record = subprocess.run([build / "tests/bench/driver/record"],
                            capture_output=True, text=True, check=True)
    print("driver " + " ".join(f"{k}={v}" for k, v in keys.items()) + " "
          + record.stdout.strip())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--foreign", type=float, default=FOREIGN_MAX)
    parser.add_argument("--only", default=",".join(CASES))
    args = parser.parse_args()
    build, cases = args.build.resolve(), args.only.split(",")
    if set(cases) - set(CASES):
        sys.exit(f"--only {args.only}: accepted: {','.join(CASES)}")
    need(["wrk", "nginx", "iperf3", "ip", "tc"],
         {"wrk": "wrk", "nginx": "nginx-light", "iperf3": "iperf3",
          "ip": "iproute2", "tc": "iproute2"})
    if "eth" in cases and os.getuid():
        print("eth: needs root for network namespaces: left out")
        cases.remove("eth")
    go_first()
    with tempfile.TemporaryDirectory(prefix="pitwall-bench-") as folder:
        os.chdir(folder)
        write_bodies()
        try:
            with Servers() as servers:
                start(servers, build, cases)
                measure(Bench(build, args, servers), cases, build)
        finally:
            eth_down()
            os.chdir("/")


main()
