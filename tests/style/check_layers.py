#!/usr/bin/env python3
"""Includes point downward only, and each third-party header has one owner.

usage: check_layers.py ROOT
"""
import pathlib
import re
import sys

# folder -> folders it may include from (itself is always allowed)
EDGES = {
    "common": [],
    "tracks": ["common"],
    "results": ["common"],
    "load": ["tracks", "common"],
    "target": ["target/heap", "common"],
    "target/heap": ["common"],
    "agent": ["common"],
    "agent/executor": ["agent", "common"],
    "agent/gate": ["agent", "common"],
    "agent/watch": ["agent", "common"],
    "controller": ["tracks", "results", "common"],
}

# header pattern -> files that may include it
OWNERS = {
    r"nng/.*": ["common/chan.c", "common/chan_server.c", "common/chan_nng.h",
                 "common/chan_listener.h"],
    r"msgpack.*": ["common/wire.c"],
    r"jansson\.h": ["common/json.c"],
    r"http_parser\.h": ["common/http1.c"],
    r"curl/.*": ["load/curl.h", "agent/watch/poll.c"],
    r"netlink/.*": ["agent/executor/link.c", "agent/executor/netlink.c",
                    "agent/executor/shaper.c",
                    "agent/executor/tcp_metrics.c"],
    r"linux/ethtool\.h": ["agent/executor/link.c",
                          "agent/executor/ethtool.c",
                          "agent/executor/nic_facts.c",
                          "agent/executor/nic_knob.c"],
    r"linux/(inet_diag|sock_diag)\.h": ["agent/watch/tcpinfo.c"],
    r"linux/perf_event\.h": ["agent/perf_event.c"],
    r"iperf_api\.h": ["agent/watch/capacity.c"],
    # The target's full text: its shards, their tokenizer, allocator and files.
    r"sqlite3\.h": ["results/db.c", "target/shard_sql.h",
                    "target/tokenizer.c", "target/native.c",
                    "target/disk.c"],
    r"mbedtls/.*": ["common/cert.c", "common/cert_key.c", "common/cert_key.h",
                    "common/handshake.c", "controller/ca.c", "load/corpus.c", "results/digest.c",
                    "agent/watch/digest.c"],
    r"zlib\.h": ["common/hdr.c"],
    r"microhttpd\.h": ["controller/serve.c"],
    r"libsmartcols.*": ["controller/table.c"],
}

INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]', re.M)


def faults_of(root, path):
    rel = path.relative_to(root).as_posix()
    folder = path.parent.relative_to(root).as_posix()
    for kind, name in INCLUDE.findall(path.read_text(errors="replace")):
        if kind == '"':
            target = pathlib.PurePosixPath(name).parent.as_posix()
            if not (root / name).is_file() and not name.startswith("build/"):
                if name not in GENERATED:
                    yield f'{rel}: "{name}" does not exist from the root'
            elif target != folder and target not in EDGES[folder]:
                yield f'{rel}: "{name}": {folder} may not include {target}'
        else:
            for pattern, owners in OWNERS.items():
                if re.fullmatch(pattern, name) and rel not in owners:
                    yield f"{rel}: <{name}> belongs to {', '.join(owners)}"


GENERATED = {"results/schema_sql.h"}


def main():
    root = pathlib.Path(sys.argv[1])
    count, faults = 0, []
    for folder in EDGES:
        for path in sorted((root / folder).glob("*.[ch]")):
            count += 1
            faults += faults_of(root, path)
    for fault in faults:
        print(fault)
    print(f"{count} files, {len(faults)} faults")
    return 1 if faults or count == 0 else 0


sys.exit(main())
