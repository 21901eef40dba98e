#!/usr/bin/env python3
"""Targets that others wrote: nginx, another build of ours, one that runs
already, and a dozen that misbehave."""
import json
import os
import pathlib
import pwd
import shutil
import sys
import urllib.request

from lab import (AGENT, ROOT, TARGET, Scratch, check, check_nothing_left, done,
                 links, one, pitwall, query, start, wait_until)

HOSTILE = ROOT / "tests" / "integration" / "hostile.py"
NGINX = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
DB = "lab.db"
PORTS = [28997, 28998]
BRIEF = ["--db", DB, "--test-mode", "-n", "1", "--no-ceiling", "--retries",
         "0", "--canary", "off", "--order", "listed", "--track", "geonames",
         "--measure", "300ms", "--quiet"]


def define(name, **definition):
    pathlib.Path("targets").mkdir(exist_ok=True)
    pathlib.Path(f"targets/{name}.json").write_text(
        json.dumps({"version": 1, **definition}, indent=1))


def hostile(how, name=None, **more):
    define(name or how,
           argv=[sys.executable, str(HOSTILE), how, "{{address}}", "{{port}}"],
           ready={"path": "/health", "expect": "ready",
                  **({"within": "1s"} if how in WAITED else {})},
           stats={"path": "/stats",
                  "map": {"docs": "/counts/docs", "requests": "/*/requests"}},
           stop={"within": "500ms"}, **more)


def run(*words, code=0):
    ran = pitwall("run", *BRIEF, "--agent", URL, *words)
    check(ran.returncode == code, f"{words}: exit {ran.returncode}, not {code}:"
                                  f" {ran.stdout} {ran.stderr}")
    return ran.stdout


def refused(words, *parts):
    where = [] if "--targets" in words else ["--agent", URL]
    ran = pitwall("run", *BRIEF, *where, *words)
    print(ran.stderr.strip())
    check(ran.returncode == 2 and not os.path.exists(DB),
          f"{words}: exit {ran.returncode}: {ran.stderr}")
    for part in parts:
        check(part in ran.stderr, f"{words}: does not say {part!r}")


# How each ends: outcome, and what its error says.
WAIT = "waited 1 s for the target to answer its watch: "
ENDS = {
    "good": ("ok", ""),
    "closes": ("ok", ""),
    "flood": ("ok", ""),
    "ignores-term": ("ok", "target did not stop within 0.5 s of its signal "
                           "and was killed"),
    "dies-at-start": ("failed", "target exited with status 1: no licence "
                                "found, good bye"),
    "dies-in-window": ("failed", "target exited with status 3: a bulk? that "
                                 "is too much for me"),
    "forks-away": ("failed", "running: a target stays in the foreground"),
    "never-ready": ("failed", WAIT + "http://127.0.0.1:9200/health: status "
                                     "503: \"starting\""),
    "other-port": ("failed", "listened on here: 9207"),
    "html-ready": ("failed", "/health: status 200 without \"ready\" in its "
                             "answer: \"<!DOCTYPE html>"),
    "html-stats": ("failed", "/stats: the answer is no JSON: \"<!DOCTYPE"),
    "negative-stats": ("failed", "docs: the answer has no number from 0 up at "
                                 "/counts/docs"),
    "garbage": ("failed", WAIT + "http://127.0.0.1:9200/health: "),
}
WAITED = ["never-ready", "other-port", "html-ready", "html-stats",
          "negative-stats", "garbage"]


def check_hostile():
    run("-m", "target=" + ",".join(ENDS), code=3)
    rows = query(DB, "select cell, outcome, error, invalid "
                     "from v_trial_all order by tid")
    check(len(rows) == len(ENDS), f"{len(rows)} trials")
    for cell, outcome, error, invalid in rows:
        how, error = cell.removeprefix("target="), error or ""
        print(f"{how}: {outcome}: {error}")
        check((outcome, invalid) == (ENDS[how][0], 0), f"{how}: {outcome}, "
              f"{invalid} rules broken")
        check(ENDS[how][1] in error and bool(error) == bool(ENDS[how][1]),
              f"{how}: {error}")
    kept = one(DB, "select max(bytes) from artifact "
                   "where name = 'stderr-target.txt'")
    check(60_000 < kept <= 65536, f"a flood is kept to 64 KiB, not {kept}")
    acked, counted, reads = query(
        DB, "select docs_acked, docs_counted, reads from v_trial "
            "where target = 'good'")[0]
    check(acked == counted > 0, f"a map's documents: {acked}, {counted}")
    check(reads is None, "what no pointer maps is unknown")
    check(one(DB, "select sum(connects) from driver d join v_trial_all t on "
                  "t.attempt = d.attempt where t.cell = 'target=closes'") > 20,
          "connections that the target closes are opened again")
    os.unlink(DB)


def check_local():
    """Definitions in a folder, for an agent that is started for the command."""
    refused(["--targets", "nowhere"], "nowhere")
    refused(["--targets", "targets", "--agent", "ipc:///x.sock"],
            "only for an agent started here")
    pathlib.Path("bad").mkdir()
    pathlib.Path("bad/web.json").write_text(
        '{"version": 1,\n "argv": ["sh"],\n "colour": "red"}')
    refused(["--targets", "bad"], "bad/web.json:3", "colour")
    told = pitwall("plan", "--local", "--targets", "targets", "--track",
                   "geonames", "-m", "target=pitwall,patch", "-m", "heap=1g")
    check("what they map: pitwall (heap predictor target.*), "
          in told.stdout and (", nginx (" in told.stdout) == bool(NGINX),
          f"plan: {told.stdout} {told.stderr}")


def check_refusals():
    told = pitwall("agents", "--agent", URL)
    check("far (unmanaged)" in told.stdout, f"agents: {told.stdout}")
    if NGINX:
        check("nginx (target.workers:count" in told.stdout,
              f"agents: {told.stdout}")
        refused(["-m", "target=nginx", "-m", "heap=1g,2g"],
                "factor heap: target nginx does not map it; it maps: "
                "target.workers:count")
        refused(["-m", "target=nginx", "-m", "target.workers=few"],
                "target.workers", "few")
    refused(["-m", "target=nothing"], "has no target \"nothing\"; it has: "
                                      "pitwall,")
    refused(["-m", "target=absent"],
            "no program /nowhere/server on this machine")
    refused(["-m", "target=far", "-m", "rmem=low"],
            "factor rmem: target far runs by itself")
    refused(["-m", "target=far", "-m", "link=veth"],
            "factor link: target far runs by itself")


def check_builds():
    """Two builds of ours and nginx, in one matrix."""
    text = run("-m", "target=pitwall,patch,nginx")
    for name in ("pitwall", "patch", "nginx"):
        check(f"\n{name} " in text, f"the report has a row of {name}: {text}")
    rows = dict(query(DB, "select cell, outcome from v_trial_all"))
    check(set(rows.values()) == {"ok"}, f"all are ok: {rows}")
    hashes = dict(query(DB, "select t.target, f.value from fact f join "
                            "v_trial t on t.attempt = f.attempt "
                            "where f.name = 'target.program.sha256'"))
    counts = {t: (acked, counted, assumed) for t, acked, counted, assumed in
              query(DB, "select target, docs_acked, docs_counted, docs_assumed "
                        "from v_trial")}
    acked, counted, assumed = counts["nginx"]
    check(acked > 0 and counted is None and assumed == acked,
          f"nginx counts no document: {counts}")
    check(counts["patch"][0] == counts["patch"][1] and not counts["patch"][2],
          f"ours does: {counts}")
    check("documents of nginx: not counted by the target" in text, text)
    check(len(hashes) == 3 and hashes["pitwall"] == hashes["patch"]
          != hashes["nginx"], f"programs are hashed: {hashes}")
    files = query(DB, "select name from fact where name like "
                      "'target.%.sha256' and name not like '%program%' "
                      "order by name")
    check(files == [["target.definition.sha256"], ["target.definition.sha256"],
                    ["target.file.nginx.conf.sha256"]],
          f"so are definitions and their files: {files}")
    os.unlink(DB)


def check_reads():
    """Bytes per read of a product that says nothing of them: by the kernel's
    tracepoints it read what its interface received. The kernel's reads are
    those of the window; the interface's counters are read up to a fifth of a
    second late on a machine that is busy otherwise."""
    told = pitwall("agents", "--agent", URL, "--json")
    if ",reads" not in told.stdout:
        print(f"no tracepoints here: {told.stdout}")
        return
    run("-m", "target=nginx", "--telemetry", "link,reads")
    reads, size, received = query(
        DB, "select x.kernel_reads, x.kernel_bytes_per_read, (select "
            "sum(l.rx_bytes) from sample_link l where l.attempt = x.attempt "
            "and l.side = 'target' and l.second >= 0) from v_extra x")[0]
    check(reads > 10 and 0.5 * received < reads * size < 1.25 * received,
          f"{reads} reads of {size} bytes, {received} bytes received")
    check(one(DB, "select kernel_reads is null and bytes_per_read is null "
                  "from v_trial") == 1, "and no trial of figures was traced")
    os.unlink(DB)


def check_unmanaged():
    """One that runs already, outside of any cage."""
    server = start(sys.executable, HOSTILE, "good", "127.0.0.1", 28999)
    try:
        run("-m", "target=far")
        check(one(DB, "select throughput from v_trial") > 0, "it took load")
        check(server.poll() is None, "it still runs")
    finally:
        server.kill()
        server.wait()
    os.unlink(DB)


def told(port):
    """A server's own counts; None: it does not answer."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/stats",
                                    timeout=5) as answer:
            return json.load(answer)["counts"]
    except OSError:
        return None


def check_nodes():
    """Two that run already are one target: clients are dealt to them."""
    servers = [start(sys.executable, HOSTILE, "good", "127.0.0.1", port)
               for port in PORTS]
    try:
        for port in PORTS:
            wait_until(lambda port=port: told(port), 10, f"{port} answers")
        run("-m", "target=pair")
        counts = [told(port) for port in PORTS]
        acked = one(DB, "select docs_acked from v_trial")
        check(sum(each["docs"] for each in counts) == acked and
              counts[0]["feeders"] == counts[1]["feeders"] > 0,
              f"each took its part: {counts} of {acked}")
    finally:
        for server in servers:
            server.kill()
            server.wait()
    os.unlink(DB)


def check_user():
    """A server that does not want to be root, in a folder of its own."""
    run("-m", "target=unprivileged")
    pitwall("fetch", "1:1", "stderr-target.txt", "--db", DB, "-o", "fetched")
    said = pathlib.Path("fetched/stderr-target.txt").read_text()
    nobody = pwd.getpwnam("nobody").pw_uid
    check(said.startswith(f"uid {nobody}\n"), f"it ran as {said!r}")
    os.unlink(DB)


def check_rmem():
    """That tcp_rmem reads back proves nothing: the accepted sockets do."""
    hello = pitwall("agents", "--agent", URL).stdout
    if "netns" not in hello and "userns" not in hello:
        print(f"no rmem here: {hello}")
        return
    run("-m", "target=good,own-buffers", "-m", "rmem=low", code=3)
    rows = query(DB, "select t.cell, i.rule, i.evidence from v_trial_all t "
                     "left join invalid i on i.attempt = t.attempt")
    rows = {cell: (rule, evidence) for cell, rule, evidence in rows}
    check(rows["target=good"][0] is None, f"{rows}")
    check(rows["target=own-buffers"] == (
        "rmem not in effect", "receive buffers of accepted sockets are 200000 "
        "to 200000 bytes, tcp_rmem is 10240 10240 10240"), f"{rows}")
    os.unlink(DB)


def configure():
    """What the agent has: beside its configuration, and within it."""
    for how in [*ENDS, "own-buffers"]:
        hostile(how)
    define("unprivileged", user="nobody",
           argv=["/usr/bin/python3", "{{here}}/../hostile.py", "unprivileged",
                 "{{address}}", "{{port}}", "{{data}}"])
    shutil.copy(HOSTILE, "hostile.py")
    shutil.copy(TARGET, "patched-target")
    define("patch", like="pitwall", argv=["../patched-target"])
    far = {"managed": False, "url": "http://127.0.0.1:28999",
           "ready": {"path": "/health", "expect": "ready"},
           "stats": {"path": "/stats", "map": {"docs": "/counts/docs"}}}
    pair = {"managed": False,
            "urls": [f"http://127.0.0.1:{port}" for port in PORTS]}
    pathlib.Path("agent.json").write_text(json.dumps({
        "version": 1, "state": os.path.abspath("state"),
        "targets": {"far": far, "pair": pair,
                    "absent": {"argv": ["/nowhere/server"]}}}))


before = links()
with Scratch():
    URL = f"ipc://{os.getcwd()}/state/gate/agent.sock"
    os.chmod(".", 0o711)  # the gate passes through, unprivileged
    configure()
    check_local()
    agent = start(AGENT, "--config", "agent.json")
    wait_until(lambda: os.path.exists(URL.removeprefix("ipc://")), 10,
               "the agent listens")
    check_refusals()
    if NGINX:
        check_builds()
        check_reads()
    else:
        print("LEFT OUT: builds beside nginx, its reads: no nginx here")
    check_unmanaged()
    check_nodes()
    check_user()
    check_hostile()
    check_rmem()
    agent.terminate()
    agent.wait(10)
    check_nothing_left(before, 3, "after all targets")
done()
