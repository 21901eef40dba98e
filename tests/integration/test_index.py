#!/usr/bin/env python3
"""The target's index as a client sees it: round trip, limits, crashes."""
import atexit
import http.client
import random
import signal
import socket
import threading
from concurrent import futures

from lab import (LOAD, TARGET, Scratch, can_make_namespaces, check, done, json, one,
                 os, pathlib, pitwall, query, start, subprocess, wait_until)

SEED = 7
HOST = "127.0.0.1"


class Target:
    """A pitwall-target with an index, and requests to it."""

    def __init__(self, *options, before=(), **more):
        self.process = start(*before, TARGET, "--listen", f"{HOST}:0", "--index", "fts",
                             "--heap", "64m", "--shards", "3", *options,
                             **more)
        atexit.register(self.process.kill)  # when a check fails
        line = self.process.stderr.readline()
        check("url=http://" in line, f"the target says where it is: {line}")
        self.port = int(line.rsplit(":", 1)[1])

    def ask(self, method, path, body=None, connection=None):
        mine = connection or http.client.HTTPConnection(HOST, self.port,
                                                        timeout=60)
        mine.request(method, path, body if body is None or
                     isinstance(body, (str, bytes)) else json.dumps(body))
        answer = mine.getresponse()
        text = answer.read()
        if not connection:
            mine.close()
        return answer.status, json.loads(text) if text else None

    def bulk(self, lines, connection=None, index="geo"):
        body = "".join(json.dumps(line) + "\n" for line in lines)
        return self.ask("POST", f"/{index}/_bulk", body, connection)

    def count(self, term=None):
        self.ask("POST", "/geo/_refresh")
        body = {"query": {"term": term}} if term else None
        return self.ask("GET", "/geo/_count", body)[1]["count"]

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        out, err = self.process.communicate(timeout=30)
        check(self.process.returncode == 0, f"it ends well: {err}")
        return json.loads(out)

    def kill(self):
        self.process.kill()
        self.process.communicate(timeout=30)


def round_trip():
    t = Target()
    status, made = t.ask("PUT", "/geo", {
        "settings": {"index.number_of_shards": 2, "index.store.type": "fs",
                     "index.refresh_interval": "-1"},
        "mappings": {"properties": {
            "name": {"type": "text", "fields": {"raw": {"type": "keyword"}}},
            "code": {"type": "keyword"}}}})
    check(status == 200 and made["index"] == "geo", f"created: {made}")
    check(t.ask("PUT", "/geo")[0] == 400, "created once")
    check(t.ask("HEAD", "/geo")[0] == 200, "it exists")
    shown = t.ask("GET", "/geo")[1]["geo"]
    check(shown["created_with"]["settings"]["index.store.type"] == "fs",
          "settings are shown back")
    status, answer = t.bulk([
        {"index": {"_id": "1"}}, {"name": "Sao Paulo", "code": "BR"},
        {"index": {"_id": "2"}}, {"name": "Paulo Alto", "code": "US"},
        {"create": {"_id": "1"}}, {"name": "again"},
        {"update": {"_id": "2"}}, {"doc": {"seen": True}},
        {"delete": {"_id": "9"}},
        {"index": {}}, {"name": "Nowhere \u00e9"}])
    ends = [(next(iter(item.values()))["status"],
             next(iter(item.values())).get("result"))
            for item in answer["items"]]
    check(status == 200 and ends == [
        (201, "created"), (201, "created"), (409, None), (200, "updated"),
        (404, "not_found"), (201, "created")], f"ends: {ends}")
    hidden = t.ask("GET", "/geo/_search")[1]["hits"]["total"]
    check(hidden == 0, "nothing is visible before a refresh")
    check(t.count() == 3, "three documents")
    hits = t.ask("POST", "/geo/_search", {
        "query": {"match": {"name": "PAULO"}}})[1]["hits"]
    check(hits["total"] == 2 and hits["max_score"] > 0, f"match: {hits}")
    check({hit["_id"] for hit in hits["hits"]} == {"1", "2"}, "their ids")
    two = [hit for hit in hits["hits"] if hit["_id"] == "2"][0]
    check(two["_source"] == {"name": "Paulo Alto", "code": "US",
                             "seen": True}, f"the update is seen: {two}")
    check(t.count({"name.raw": "Sao Paulo"}) == 1, "a term of a multi-field")
    check(t.count({"name.raw": "sao paulo"}) == 0, "is exact")
    status, error = t.ask("POST", "/geo/_search", {"query": {"fuzzy": {}}})
    check(status == 400 and "[fuzzy]" in error["error"]["reason"],
          "what is not supported is named")
    for path in ("/geo/_flush", "/geo/_forcemerge?max_num_segments=1"):
        check(t.ask("POST", path)[0] == 200, path)
    stats = t.ask("GET", "/_stats?level=shards")[1]
    all_of = stats["_all"]["primaries"]
    check(all_of["docs"]["count"] == 3 and all_of["segments"]["count"] == 2,
          f"statistics: {all_of}")
    check(len(stats["indices"]["geo"]["shards"]) == 2, "of each shard")
    check("throttle" not in json.dumps(stats), "no row pretends to throttle")
    check(t.ask("DELETE", "/geo")[0] == 200 and
          t.ask("DELETE", "/geo")[0] == 404, "deleted once")
    check(t.ask("GET", "/geo/_search")[0] == 404, "it is gone")
    final = t.stop()
    check(final["total"]["docs"] == 4 and final["index"]["docs"] == 0,
          "the final record")


def documents():
    """What the field's own clients ask beside bulks: single documents, lists
    of what there is, and the shapes of errors."""
    t = Target()
    status, made = t.ask("PUT", "/geo/_doc/a%20b", '{"name":\n "x"}')
    check(status == 201 and made == {
        "_index": "geo", "_type": "_doc", "_id": "a b", "_version": 1,
        "result": "created", "_shards": {"total": 1, "successful": 1,
                                         "failed": 0}}, f"created: {made}")
    check(t.ask("GET", "/geo/_doc/a%20b") == (200, {
        "_index": "geo", "_type": "_doc", "_id": "a b", "_version": 1,
        "found": True, "_source": {"name": "x"}}), "read before a refresh")
    check(t.ask("HEAD", "/geo/_doc/a%20b")[0] == 200, "it is there")
    check(t.ask("POST", "/geo/doc/a%20b", {"name": "y"})[1]["_version"] == 2,
          "written again, by a type's name")
    status, error = t.ask("PUT", "/geo/_create/a%20b", {"name": "z"})
    check(status == 409 and error["error"]["type"] ==
          "version_conflict_engine_exception", f"not created: {error}")
    made = t.ask("POST", "/geo/_doc", {"name": "made"})[1]
    check(t.ask("GET", f"/geo/_doc/{made['_id']}")[1]["_source"] ==
          {"name": "made"}, "by the id that the index made")
    check(t.count() == 2, "two documents")
    check(t.ask("DELETE", "/geo/_doc/a%20b")[1]["result"] == "deleted" and
          t.ask("DELETE", "/geo/_doc/a%20b")[0] == 404, "deleted once")
    status, gone = t.ask("GET", "/geo/_doc/a%20b")
    check(status == 404 and gone["found"] is False, f"gone: {gone}")
    status, error = t.ask("PUT", "/geo/_doc/1", '{"name":')
    check(status == 400 and "failed to parse" in error["error"]["reason"],
          f"no document: {error}")
    check(t.ask("GET", "/other/_doc/1")[0] == 404, "no such index")
    check(t.bulk([{"index": {"_id": "1"}}, {"name": "b"}])[0] == 200,
          "bulks go on")

    listed = t.ask("GET", "/_cat/indices?format=json")[1]
    check(listed[0]["index"] == "geo" and listed[0]["pri"] == "3" and
          listed[0]["docs.count"] == "2", f"indices: {listed}")
    check(t.ask("GET", "/_cat/count/geo?format=json")[1][0]["count"] == "2",
          "documents")
    check(t.ask("GET", "/_cat/health?format=json")[1][0]["status"] == "green"
          and t.ask("GET", "/_cat/nodes?format=json")[1][0]["master"] == "*",
          "health and nodes")
    raw = http.client.HTTPConnection(HOST, t.port, timeout=60)
    raw.request("GET", "/_cat/indices?v")
    answer = raw.getresponse()
    text = answer.read().decode()
    check(answer.headers["content-type"].startswith("text/plain") and
          text.splitlines()[0].startswith("health status index uuid pri rep")
          and text.splitlines()[1].startswith("green open geo "), text)
    raw.close()
    check(t.ask("GET", "/_cluster/stats")[1]["indices"]["docs"]["count"] == 2
          and "pitwall-target" in t.ask("GET", "/_nodes")[1]["nodes"],
          "cluster and nodes")
    t.ask("PUT", "/m", {"mappings": {"properties": {"k": {
        "type": "keyword"}}}})
    check(t.ask("GET", "/m/_mapping")[1] == {"m": {"mappings": {
        "properties": {"k": {"type": "keyword"}}}}}, "the mapping as given")
    status, error = t.ask("GET", "/_foo/bar")
    check(status == 400 and "no handler found" in error["error"],
          f"an unknown path: {error}")
    check(t.stop()["total"]["docs"] == 5, "documents acknowledged are counted")


def pages(folder):
    """A scroll's pages hold every hit once, in the order of the documents."""
    t = Target()
    t.ask("PUT", "/geo", {"settings": {"index.number_of_shards": 3}})
    t.bulk([line for i in range(250) for line in
            ({"index": {"_id": str(i)}}, {"code": "AB"[i % 2]})])
    t.ask("POST", "/geo/_refresh")
    for body, n in (({"query": {"match_all": {}}}, 250),
                    ({"query": {"term": {"code": "a"}}}, 125),
                    ({"query": {"term": {"code": "none"}}}, 0)):
        status, page = t.ask("POST", "/geo/_search?scroll=10s&size=40&"
                             "sort=_doc", body)
        check(status == 200 and page["hits"]["total"] == n, f"{page}")
        found, sizes = [], []
        while page["hits"]["hits"]:
            sizes.append(len(page["hits"]["hits"]))
            found += [hit["_id"] for hit in page["hits"]["hits"]]
            status, page = t.ask("POST", "/_search/scroll", {
                "scroll": "10s", "scroll_id": page["_scroll_id"]})
            check(status == 200 and page["hits"]["total"] == n, f"{page}")
        check(len(found) == n == len(set(found)), f"every hit once: {found}")
        check(sizes == [40] * (n // 40) + ([n % 40] if n else []),
              f"full pages: {sizes}")
    last = page["_scroll_id"]
    check(t.ask("DELETE", "/_search/scroll", {"scroll_id": [last]})[1] ==
          {"succeeded": True, "num_freed": 1}, "it is ended")
    for path, body, says in (
            ("/_search/scroll", {"scroll_id": "3130"}, "parse scroll id"),
            ("/_search/scroll", {}, "scrollId is missing"),
            ("/geo/_search?scroll=1m&size=0", None, "cannot be [0]"),
            ("/geo/_search?scroll=1m&from=1", None, "using [from]"),
            ("/geo/_search?scroll=1m", {"query": {"terms": {"code": [
                "x" * 2000]}}}, "at most 2000 bytes")):
        status, error = t.ask("POST", path, body)
        check(status == 400 and says in error["error"]["reason"],
              f"{path}: {status} {error}")
    t.ask("DELETE", "/geo")
    check(t.ask("POST", "/_search/scroll", {"scroll_id": last})[0] == 404,
          "its index is gone")

    # As the load generator does it: 13 pages of 20 and an end, an operation.
    track = pathlib.Path(folder) / "pages.json"
    track.write_text(json.dumps({
        "indices": [{"name": "geo"}],
        "corpora": [{"name": "g", "documents": [{
            "generator": "geonames", "document-count": 250}]}],
        "schedule": [
            {"operation": "create-index"},
            {"clients": 2, "operation": {"operation-type": "bulk",
                                         "bulk-size": 25}},
            {"operation": "refresh"},
            {"name": "scroll", "clients": 2, "iterations": 3, "operation": {
                "operation-type": "search", "pages": "all",
                "results-per-page": 20, "body": {"query": {
                    "match_all": {}}}}}]}))
    for engine in ("raw", "curl"):
        ran = subprocess.run(
            [LOAD, "--track", track, "--json", "--engine", engine, "--cache",
             folder, "--target", f"http://{HOST}:{t.port}"],
            capture_output=True, text=True, timeout=60, check=False)
        check(ran.returncode == 0, f"{engine}: {ran.stderr}")
        told = json.loads(ran.stdout)
        check(told["driver"]["requests"] == 10 + 6 * (13 + 1 + 1) and
              not any(task["errors"] for task in told["tasks"]),
              f"{engine}: bulks, and of each scroll 13 pages, an empty one "
              f"and its end: {told}")
        t.ask("DELETE", "/geo")
    t.stop()


def words(chance, n):
    return " ".join(f"w{chance.randrange(20000)}" for _ in range(n))


def native_limit():
    """Bulks of all sizes under a limit: each is there whole, or not at all."""
    t = Target("--native-limit", "12m")
    acknowledged, outcomes, lock = 0, set(), threading.Lock()

    def client(number):
        nonlocal acknowledged
        chance = random.Random(SEED + number)
        connection = http.client.HTTPConnection(HOST, t.port, timeout=60)
        for _ in range(12):
            n = chance.choice([5, 50, 4000])
            lines = []
            for _ in range(n):
                lines += [{"index": {}}, {"t": words(chance, 20)}]
            status, answer = t.bulk(lines, connection)
            good = sum(item["index"]["status"] == 201
                       for item in answer.get("items", []))
            check(good in (0, n), f"{good} of {n}: whole or not at all")
            check((status == 200) == (good == n), f"status {status}")
            with lock:
                acknowledged += good
                outcomes.add(status)
        connection.close()

    clients = [threading.Thread(target=client, args=[i]) for i in range(3)]
    for thread in clients:
        thread.start()
    for thread in clients:
        thread.join()
    check(outcomes == {200, 429}, f"outcomes: {outcomes}")
    check(t.count() == acknowledged, f"{t.count()} of {acknowledged}")
    final = t.stop()
    check(final["total"]["docs"] == acknowledged == final["index"]["docs"],
          "acknowledged = counted = committed")
    check(final["index"]["native_max_bytes"] <= 12 << 20, "within the limit")


def full_disk(folder):
    """A small file system, in a mount namespace of the target's own."""
    t = Target("--shards", "1", "--data", folder, before=[
        "unshare", "--mount", "--propagation", "private", "sh", "-c",
        'mount -t tmpfs -o size=4m none "$0" && exec "$@"', folder])
    chance, acknowledged, status = random.Random(SEED), 0, 200
    for _ in range(100):
        lines = []
        for _ in range(200):
            lines += [{"index": {}}, {"t": words(chance, 40)}]
        status, answer = t.bulk(lines)
        if status != 200:
            break
        acknowledged += 200
    check(status == 507 and len(answer["items"]) == 200 and
          answer["items"][0]["index"]["status"] == 507, f"full: {status}")
    check(t.count() == acknowledged > 0, f"{t.count()} of {acknowledged}")
    t.stop()


def crashes(folder):
    """kill -9 in the midst of bulks, on one folder again and again."""
    chance, bulks, size = random.Random(SEED), {}, 40
    for life in range(6):
        t = Target("--data", folder)
        for number, answered in bulks.items():
            n = t.count({"bulk": number})
            check(n == size or (n == 0 and not answered),
                  f"life {life}: {n} of bulk {number}, answered {answered}")
            bulks[number] = n == size
        if life == 5:
            check(t.count() == size * sum(bulks.values()), "nothing else")
            t.stop()
            return
        stop = threading.Event()

        def client(first):
            connection = http.client.HTTPConnection(HOST, t.port, timeout=60)
            for number in range(first, first + 10000):
                lines = []
                for i in range(size):
                    lines += [{"index": {"_id": f"{number}-{i}"}},
                              {"bulk": number, "t": "some words"}]
                bulks[number] = False
                try:
                    status, _ = t.bulk(lines, connection)
                except (OSError, http.client.HTTPException):
                    return
                bulks[number] = status == 200
                if stop.is_set():
                    return

        clients = [threading.Thread(target=client,
                                    args=[life * 100000 + i * 10000])
                   for i in range(2)]
        for thread in clients:
            thread.start()
        threading.Event().wait(0.2 + chance.random() * 0.3)
        t.kill()
        stop.set()
        for thread in clients:
            thread.join()


def out_of_heap(folder):
    """Unfinished bodies fill the heap while bulks are committed."""
    t = Target("--data", folder, "--heap", "16m")
    answered, size = [], 100

    def client(number):
        connection = http.client.HTTPConnection(HOST, t.port, timeout=60)
        for i in range(10000):
            lines = []
            for _ in range(size):
                lines += [{"index": {}}, {"b": f"{number}x{i}", "t": "x" * 500}]
            try:
                if t.bulk(lines, connection)[0] == 200:
                    answered.append(f"{number}x{i}")
            except (OSError, http.client.HTTPException):
                return f"{number}x{i}"

    with futures.ThreadPoolExecutor(2) as pool:
        last = [pool.submit(client, number) for number in range(2)]
        holders = [socket.create_connection((HOST, t.port)) for _ in range(8)]
        wait_until(lambda: len(answered) > 4, 60, "bulks are committed")
        head = b"POST /other/_bulk HTTP/1.1\r\nContent-Length: 9000000\r\n\r\n"
        try:
            for holder in holders:
                holder.sendall(head)
            for _ in range(8 << 20 >> 16):
                for holder in holders:
                    holder.sendall(b"x" * 65536)
        except OSError:
            pass  # it is gone
        out, err = t.process.communicate(timeout=60)
        last = [each.result() for each in last]
    for holder in holders:
        holder.close()
    check(t.process.returncode == 12, f"exit {t.process.returncode}: {err}")
    final = json.loads(out)
    check(final["outcome"] == "oom" and final["partial"],
          f"outcome {final['outcome']}, partial {final['partial']}")
    check(len(answered) > 0, "bulks were committed before")
    t = Target("--data", folder)
    kept = {b: t.count({"b": b}) for b in [*answered, *last]}
    check(all(kept[b] == size for b in answered), f"acknowledged: {kept}")
    check(all(kept[b] in (0, size) for b in last), f"whole or not: {kept}")
    check(t.count() == sum(kept.values()), "nothing else")
    t.stop()


def folders(folder):
    t = Target("--data", folder)
    second = start(TARGET, "--listen", f"{HOST}:0", "--index", "fts",
                   "--data", folder)
    _, err = second.communicate(timeout=30)
    check(second.returncode == 1 and "another target is using it" in err,
          f"a folder has one target: {err}")
    t.stop()
    own = pathlib.Path("own")
    own.mkdir()
    t = Target(env={**os.environ, "TMPDIR": str(own)})
    t.bulk([{"index": {}}, {"a": 1}])
    check(len(list(own.iterdir())) == 1, "a folder of its own")
    t.stop()
    check(not list(own.iterdir()), "is removed in the end")


def factor():
    """-m target.index=fts,none, and Rally's rows of a trial with an index."""
    run = pitwall("run", "--track", "geonames", "--track-param",
                  "bulk_size=200", "-m", "target.index=fts,none", "-n", "1",
                  "--warmup", "200ms", "--measure", "1s", "--seed", "1",
                  "--canary", "off", "--no-ceiling", "--db", "lab.db")
    print(run.stderr[-1500:])
    check(run.returncode == 0, f"run exits {run.returncode}")
    acked = dict(query("lab.db", """
        select v.cell, d.value from v_trial v join metric d
        on d.attempt = v.attempt and d.name = 'docs_acked'"""))
    kept = dict(query("lab.db", """
        select v.cell, d.value from v_trial v join metric d
        on d.attempt = v.attempt and d.name = 'index_docs'"""))
    (cell, n), = kept.items()
    check("fts" in cell and n == acked[cell] > 0, f"{kept}, {acked}")
    trial = one("lab.db", f"select trial from v_trial where cell = '{cell}'")
    shown = pitwall("show", str(trial), "--db", "lab.db").stdout
    for row in ("Cumulative indexing time of primary shards",
                "Cumulative merge count of primary shards",
                "Median cumulative flush time across primary shards",
                "Store size", "Segment count"):
        check(row in shown, f"{row} in {shown}")


with Scratch() as scratch:
    round_trip()
    documents()
    pages(scratch)
    native_limit()
    if can_make_namespaces():
        (scratch / "small").mkdir()
        full_disk(scratch / "small")
    data = scratch / "data"
    data.mkdir()
    crashes(data)
    folders(data)
    (scratch / "heap").mkdir()
    out_of_heap(scratch / "heap")
    if can_make_namespaces():
        factor()
done()
