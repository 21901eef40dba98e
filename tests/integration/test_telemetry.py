#!/usr/bin/env python3
"""What a trial's telemetry holds, from a real trial over an emulated link."""
import hashlib
import json
import pathlib
from xml.etree import ElementTree

from lab import Scratch, check, done, one, pitwall, query, skip

RATE = 200e6


def link_and_kernel():
    ran = pitwall("run", "--track", "geonames", "--test-mode", "-n", "1",
                   "-m", "link=eth@veth:mtu=1500+rate=200mbit+burst=32kb+"
                   "offloads=off", "-m", "congestion=reno", "--db", "a.db")
    if "cannot do link veth" in ran.stderr:
        skip("no link veth here")
    check(ran.returncode == 0, f"run: {ran.stderr}")
    in_effect("a.db")
    # No second brings more than the shaper's rate and burst let through.
    check(one("a.db", "select max(rx_bytes) from sample_link where side = "
              "'target' and iface = 'veth0' and second >= 0") <=
          1.05 * RATE / 8 + 32768, "the rate is in effect")
    check(one("a.db", "select max(rx_bytes / rx_packets) from sample_link "
              "where iface = 'veth0' and rx_packets > 0") <= 1514,
          "offloads are off: each buffer is a frame")
    capacity = one("a.db", "select link_bit_s from driver_ceiling")
    check(capacity and 0 < capacity <= RATE,
          f"capacity {capacity} within the shaper's rate")
    row = query("a.db", "select link_capacity, link_utilization, link_rx_bit_s "
                "from v_trial")[0]
    check(row[0] == int(capacity), f"the trial's capacity: {row}")
    check(abs(row[1] - row[2] / row[0]) < 1e-9, f"utilization: {row}")
    for table in ("link", "tcp", "cpu", "pressure", "proc"):
        for side in ("target", "load"):
            check(one("a.db", f"select count(*) from sample_{table} where side "
                      f"= '{side}' and second >= 0") > 0,
                  f"samples of {table} on the {side}'s side")
    check(one("a.db", "select count(*) from sample_tcp where side = 'load' "
              "and delivery_rate_bit_s > 0") > 0, "delivery rates")
    shown = pitwall("show", "1:1", "--db", "a.db").stdout
    check("link's capacity over eth" in shown, f"show: {shown}")


def in_effect(db):
    seen = query(db, "select distinct name from fact where side = 'load' and "
                 "name like 'congestion.sockets.%'")
    check(seen == [["congestion.sockets.reno"]], f"{db}: {seen}")


def own_capacity():
    ran = pitwall("run", "--track", "geonames", "--test-mode", "-n", "1",
                   "--no-ceiling", "--telemetry", "link,tcp,capacity",
                   "-m", "link=loopback", "-m", "congestion=reno", "--db",
                   "b.db")
    check(ran.returncode == 0, f"run: {ran.stderr}")
    check(one("b.db", "select link_capacity from v_trial") > 0,
          "capacity of the trial's own")
    in_effect("b.db")
    check(one("b.db", "select value from fact where name = "
              "'capacity.congestion'") == "reno", "with the trial's own")
    check(one("b.db", "select count(*) from fact where name in "
              "('capacity.bit_s.1', 'capacity.bit_s.4')") == 2,
          "one stream and four")
    check(one("b.db", "select count(*) from sample_cpu") == 0,
          "only what was asked for")


def reads_of_extra_trials():
    """What the kernel's tracepoints say of the target's reads, against what
    the target says itself, over the same window."""
    ran = pitwall("run", "--track", "headers", "--test-mode", "-n", "1",
                  "--no-ceiling", "--telemetry", "tcp,reads,perf", "--canary",
                  "off",
                  "-m", "predictor=fixed:64k,fixed:16k", "--db", "c.db")
    if "the kernel forbids" in ran.stdout + ran.stderr or \
            "tracefs" in ran.stdout + ran.stderr:
        print(f"no tracepoints here: {ran.stderr}")
        return
    check(ran.returncode == 0, f"run: {ran.stderr}")
    check("2 cells + 2 extra" in ran.stderr, f"the plan says so: {ran.stderr}")
    rows = query("c.db", "select x.cell, x.kernel_reads, "
                 "x.kernel_bytes_per_read, m.value, n.value from v_extra x "
                 "join metric m on m.attempt = x.attempt and m.name = "
                 "'bytes_per_read' join metric n on n.attempt = x.attempt "
                 "and n.name = 'reads'")
    check(len(rows) == 2, f"an extra trial of each cell: {rows}")
    for cell, reads, size, own_size, own_reads in rows:
        check(abs(size / own_size - 1) < 0.05,
              f"{cell}: {size} bytes per read, {own_size} by the target")
        check(abs(reads / own_reads - 1) < 0.05,
              f"{cell}: {reads} reads, {own_reads} by the target")
    check(one("c.db", "select count(*) from v_trial") == 2,
          "extra trials are among no figures")
    check(one("c.db", "select count(*) from v_trial where kernel_reads "
              "is not null") == 0, "and have theirs to themselves")
    check(one("c.db", "select sum(trials) from v_cell") == 2, "v_cell")
    check(one("c.db", "select count(*) from v_extra where "
              "header_parse_share > 0 and header_parse_share < 1") == 2,
          "shares of CPU that parsing heads has")
    check(one("c.db", "select count(*) from stack where side = 'target' and "
              "stack like 'pitwall-target;%run;conn_bulk;ingest_bulk%'") > 0,
          "stacks by the names of functions")
    check(one("c.db", "select count(*) from stack where side = 'load'") > 0,
          "stacks of the load")
    report = pitwall("report", "--db", "c.db").stdout
    check("2 trials: 2 ok" in report, f"report: {report}")
    tid = one("c.db", "select tid from v_extra limit 1")
    shown = pitwall("show", f"1:{tid}", "--db", "c.db").stdout
    for part in ("an extra trial: ", "Bytes per read, by the kernel",
                 "CPU samples in parsing of heads"):
        check(part in shown, f"show: {shown}")
    profile_as_files(tid)


def profile_as_files(tid):
    """Stacks and flame graph of an extra trial, as pitwall fetch gives them."""
    names = {f"{kind}-{side}.{end}" for side in ("target", "load")
             for kind, end in (("stacks", "folded"), ("flame", "svg"))}
    listed = pitwall("fetch", f"1:{tid}", "--list", "--json", "--db", "c.db")
    check(listed.returncode == 0, listed.stderr)
    sums = {row["artifact"]: row["sha256"]
            for row in json.loads(listed.stdout)["rows"]}
    check(names | {"executor.json", "gc.log"} <= set(sums), f"list: {sums}")
    fetched = pitwall("fetch", f"1:{tid}", "-o", "files", "--db", "c.db")
    check(fetched.returncode == 0, fetched.stderr)
    for name, sha256 in sums.items():
        content = pathlib.Path("files", name).read_bytes()
        check(hashlib.sha256(content).hexdigest() == sha256, f"{name}: sum")
    stored = one("c.db", "select sum(samples) from stack where side = 'target' "
                 f"and attempt = (select attempt from v_extra where tid={tid})")
    folded = pathlib.Path("files/stacks-target.folded").read_text()
    check(sum(int(line.rsplit(" ", 1)[1]) for line in folded.splitlines())
          == stored, "every sample is in the folded stacks")
    root = ElementTree.parse("files/flame-target.svg").getroot()
    titles = [t.text for t in root.iter("{http://www.w3.org/2000/svg}title")]
    check(f"all ({stored} samples, 100.00 %)" in titles, titles[-3:])
    check(any(t.startswith("decode_line (") for t in titles),
          "functions are named in the graph")
    none = pitwall("fetch", f"1:{tid}", "flame.svg", "--db", "c.db")
    check(none.returncode == 2 and "it has: closing.json, executor.json, flame-"
          in none.stderr, f"a name that there is not: {none.stderr}")


with Scratch():
    link_and_kernel()
    own_capacity()
    reads_of_extra_trials()
done()
