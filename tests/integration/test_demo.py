#!/usr/bin/env python3
"""`pitwall demo`: a real matrix, end to end, and what must hold of it."""
import pathlib

from lab import (Scratch, can_make_namespaces, check, check_nothing_left, done,
                 json, links, one, pitwall, query, skip)

CELLS, ITERATIONS = 12, 3

if not can_make_namespaces():
    skip("no network namespaces here: run as root")

before = links()
with Scratch():
    demo = pitwall("demo", "--db", "lab.db", "--out", "report.html")
    print(demo.stderr[-3000:], demo.stdout)
    check(demo.returncode == 0, f"demo exits {demo.returncode}")
    check_nothing_left(before, 2, "after the demo")

    # Every cell, every iteration, the canary not counted.
    check(one("lab.db", "select count(*) from v_trial where outcome='ok'")
          == CELLS * ITERATIONS, "cells x iterations")
    check(one("lab.db", "select count(*) from invalid") == 0, "no invalid")
    check(one("lab.db", "select count(*) from v_trial_all")
          == (CELLS + 1) * ITERATIONS, "canary trials are there, hidden")

    # Acknowledged to the driver = counted by the target, per trial, exactly.
    counts = query("lab.db", """
        select d.value, t.value from v_trial v
        join metric d on d.attempt = v.attempt and d.name = 'docs_acked'
        join metric t on t.attempt = v.attempt and t.name = 'docs_counted'""")
    check(len(counts) == CELLS * ITERATIONS, "both counts for each trial")
    for acked, counted in counts:
        check(acked == counted and acked > 0, f"{acked} acked, {counted} seen")

    # Bytes per read: by link, by rmem, by predictor, as the JVM reference
    # shows it: loopback fills fixed:64k (63 kB), adaptive grows beyond 200 kB;
    # 200 Mbit/s on MTU 1500 reads less; rmem low 4-8 kB on both.
    def bytes_per_read(**levels):
        where = " and ".join(f"v.cell like '%{name}={level}%'"
                             for name, level in levels.items())
        rows = query("lab.db", f"""
            select m.value from v_trial v join metric m
            on m.attempt = v.attempt and m.name = 'bytes_per_read'
            where {where} order by 1""")
        check(len(rows) >= ITERATIONS, f"bytes per read of {levels}")
        return rows[len(rows) // 2][0]

    loopback = bytes_per_read(predictor="fixed:64k", link="loopback",
                              rmem="default")
    wire = bytes_per_read(predictor="fixed:64k", link="eth200",
                          rmem="default")
    wide = bytes_per_read(predictor="adaptive:1k-512k", link="loopback",
                          rmem="default")
    low = bytes_per_read(link="loopback", rmem="low")
    low_wire = bytes_per_read(link="eth200", rmem="low")
    print(f"bytes per read: loopback {loopback:.0f}, eth200 {wire:.0f}, "
          f"adaptive loopback {wide:.0f}, low {low:.0f}, "
          f"low eth200 {low_wire:.0f}")
    check(45000 < loopback <= 65536, "fixed:64k on loopback is nearly filled")
    check(wire < loopback / 2, "the wire reads less than loopback")
    check(wide > 100000, "adaptive grows on loopback")
    check(3000 < low < 8000, "rmem low on loopback")
    check(1000 < low_wire < 8000, "rmem low on the wire")

    # The setting was in effect on the accepted sockets.
    for (smallest, largest) in query("lab.db", """
            select min(t.rcvbuf_min), max(t.rcvbuf_max) from sample_tcp t
            join v_trial v on v.attempt = t.attempt
            where t.side = 'target' and t.rcvbuf_min > 0
            and v.cell like '%rmem=low%'"""):
        check(smallest == largest == 10240, f"rcvbuf {smallest}..{largest}")

    # Telemetry of each second is there.
    for table in ("load", "link", "tcp", "cpu", "proc", "target"):
        seconds = one("lab.db", f"select count(*) from sample_{table}")
        check(seconds >= CELLS * ITERATIONS, f"sample_{table}: {seconds}")

    # What people look at.
    report = pitwall("report", "--db", "lab.db", "demo")
    check(report.returncode == 0 and "eth200" in report.stdout, "report")
    page = pathlib.Path("report.html").read_text()
    check(page.endswith("</html>\n") and "eth200" in page, "demo's page")
    as_json = json.loads(pitwall("report", "--db", "lab.db", "demo",
                                 "--json").stdout)
    check(len(as_json["rows"]) >= 6, "report --json has the rows")
    show = pitwall("show", "--db", "lab.db", "demo:1")
    check(show.returncode == 0 and "hroughput" in show.stdout, "show")
    check("Artifact gc.log" in show.stdout, "show names the artifacts")
    fetched = pitwall("fetch", "--db", "lab.db", "demo:1", "-o", "files")
    check(fetched.returncode == 0, f"fetch: {fetched.stderr}")
    log = pathlib.Path("files/gc.log").read_text()
    young = one("lab.db", "select value from metric m join trial t on "
                "t.attempt = m.attempt where t.tid = 1 and "
                "m.name = 'young_count'")
    check(log.count("Pause Young") >= young, f"gc.log: {young} young: {log}")
    listed = pitwall("list", "--db", "lab.db")
    check("demo" in listed.stdout and "finished" in listed.stdout, "list")

    # A second demo into the same file is another experiment.
    check(one("lab.db", "select count(*) from experiment") == 1, "one so far")
done()
