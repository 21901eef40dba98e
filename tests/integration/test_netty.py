#!/usr/bin/env python3
"""The Netty target beside ours in one matrix: every factor that both map,
documents acknowledged and counted, and memory that does not suffice."""
import os

from lab import (BUILD, Scratch, check, check_nothing_left, done, links, one,
                 pitwall, query, skip)

DB = "lab.db"
BRIEF = ["--db", DB, "--test-mode", "-n", "1", "--no-ceiling", "--retries",
         "0", "--canary", "off", "--order", "listed", "--track", "geonames",
         "--measure", "1s", "--quiet"]
BOTH = {"heap": "64m", "predictor": "adaptive:1k-512k", "target.threads": "2",
        "target.reads_per_wakeup": "16", "target.initial_buffer": "256",
        "target.max_components": "64", "target.body_copy": "on",
        "target.bulk_threads": "2", "target.bulk_queue": "100",
        "target.parse_work": "4", "track.bulk_size": "500"}


def run(code, *words):
    ran = pitwall("run", *BRIEF, *words)
    check(ran.returncode == code, f"{words}: exit {ran.returncode}, not {code}:"
                                  f" {ran.stdout} {ran.stderr}")
    return ran.stdout


def check_beside_ours():
    run(0, "-m", "target=pitwall,netty",
        *(word for name, level in BOTH.items()
          for word in ("-m", f"{name}={level}")))
    rows = query(DB, "select target, outcome, docs_acked, docs_counted, waste, "
                     "heap_used_max_bytes, young_count from v_trial")
    check([row[0] for row in rows] == ["pitwall", "netty"], f"{rows}")
    for target, outcome, acked, counted, waste, used, young in rows:
        check(outcome == "ok" and acked == counted > 0,
              f"{target}: {outcome}, {acked} acknowledged, {counted} counted")
        check(waste >= 1 and 0 < used < 64 << 20 and young is not None,
              f"{target}: {waste} bytes of buffers a byte, heap {used}")
    last = query(DB, "select distinct h.kind from histogram h join v_trial t "
                     "on t.attempt = h.attempt where t.target = 'netty' "
                     "and h.task = '' order by h.kind")
    check({"read_bytes", "reads_per_loop"} <= {kind for kind, in last},
          f"its last word has histograms: {last}")
    cpu = one(DB, "select m.value from metric m join v_trial t on t.attempt = "
                  "m.attempt where t.target = 'netty' and m.name = "
                  "'target_cpu_per_mb'")
    check(cpu > 0, f"and its CPU time in the window: {cpu}")
    told = one(DB, "select count(*) from metric m join v_trial t on t.attempt "
                   "= m.attempt where t.target = 'netty' and m.source = 'jvm' "
                   "and m.name in ('outside_bytes', 'young_pause_ns')")
    check(told == 2, f"and its JVM has recorded itself: {told}")
    made = one(DB, "select count(*) from fact where name in "
                   "('target.needs.pitwall-netty.jar.sha256', "
                   "'target.needs.netty-transport.jar.sha256') "
                   "and length(value) = 64")
    check(made == 2, f"its jars are hashed: {made}")
    check_machine()


def check_machine():
    """What its JVM wrote of itself, by three sources."""
    log, recorded, counted, tlabs, outside, source = query(
        DB, "select j.log_young_count, j.jfr_young_count, (select sum("
            "young_count) from sample_jvm s where s.attempt = t.attempt and "
            "second = 0), t.tlab_bytes, t.outside_bytes, (select source from "
            "metric m where m.attempt = t.attempt and name = 'young_count') "
            "from jvm j join v_trial t on t.attempt = j.attempt where "
            "j.log = 1 and j.recording = 1")[0]
    # At the window's edges each has its own clock; a second may end late.
    check(log > 0 and abs(log - recorded) < 2 and counted > 0,
          f"collections: log {log}, recording {recorded}, counters {counted}")
    check(tlabs > 0 and outside is not None and source == "jvm",
          f"{tlabs} bytes in TLABs, {outside} outside, {source}")
    compiled = one(DB, "select sum(quick_count) from sample_jit")
    check(compiled > 0, f"{compiled} compilations")
    kept = dict(query(DB, "select name, bytes from artifact where name in "
                          "('gc.log', 'recording.jfr') and attempt = "
                          "(select attempt from jvm)"))
    check(len(kept) == 2 and min(kept.values()) > 1000, f"kept: {kept}")
    shown = pitwall("show", "--db", DB, "1:2").stdout
    for words in ("Young GC by the log: pauses", "by the recording: elapsed",
                  "by the counters: pauses", "by the statistics"):
        check(words in shown, f"show has no {words}: {shown}")


def check_out_of_memory():
    """Eight bulks of 1.7 MB in buffers of half a megabyte."""
    run(0, "-m", "target=netty", "-m", "heap=12m", "-m", "predictor=fixed:512k")
    outcome, error = query(DB, "select outcome, error from v_trial_all "
                               "order by attempt desc limit 1")[0]
    check(outcome == "oom", f"{outcome}: {error}")
    log, recording, collections = query(
        DB, "select log, recording, log_young_count + log_old_count from jvm "
            "order by attempt desc limit 1")[0]
    check(log and recording and collections > 0,
          f"what it wrote before: log {log}, recording {recording}, "
          f"{collections} collections")


if not (BUILD / "targets" / "netty" / "pitwall-netty.jar").exists():
    skip("netty is not built here: no javac or no libnetty-java")
before = links()
with Scratch():
    os.chmod(".", 0o711)
    check_beside_ours()
    check_out_of_memory()
    check_nothing_left(before, 3, "after both targets")
done()
