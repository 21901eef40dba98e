#!/usr/bin/env python3
"""Both engines of pitwall-load against servers that behave and misbehave: what
one counts the other counts, and the server too; TLS that is not right is
refused in words; proxies and passwords."""
import base64
import json
import os
import pathlib
import re
import socket
import ssl
import struct
import subprocess
import threading
import time

from lab import LOAD, ROOT, TARGET, Scratch, check, done, start, wait_until

ENGINES = ["raw", "curl"]
RESET = struct.pack("ii", 1, 0)


class Server:
    """Answers by the request's path and counts by it: heads that came, answers
    that went out whole."""

    def __init__(self, context=None):
        self.context, self.lock = context, threading.Lock()
        self.heads, self.answers, self.last, self.connections = {}, {}, b"", 0
        self.before_first = None  # connections, when the first request came
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            conn, _ = self.socket.accept()
            conn.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.serve, args=(conn,),
                             daemon=True).start()

    def serve(self, conn):
        try:
            if self.context:
                conn = self.context.wrap_socket(conn, server_side=True)
            with self.lock:
                self.connections += 1
            with conn:
                left = b""
                while True:
                    head, left = self.request(conn, left)
                    if not head or not self.answer(conn, head):
                        return
        except OSError:
            pass

    def request(self, conn, data):
        while b"\r\n\r\n" not in data:
            more = conn.recv(65536)
            if not more:
                return None, b""
            data += more
        head, data = data.split(b"\r\n\r\n", 1)
        length = re.search(rb"(?i)content-length: (\d+)", head)
        length = int(length.group(1)) if length else 0
        while len(data) < length:
            data += conn.recv(65536)
        return head, data[length:]

    def count(self, counts, path):
        with self.lock:
            counts[path] = counts.get(path, 0) + 1
            return counts[path]

    def answer(self, conn, head):
        """False: close."""
        path = head.split(b" ")[1].decode()
        n = self.count(self.heads, path)
        if path == "/first" and n == 1:
            time.sleep(0.1)  # until the client's last handshake is seen here
            self.before_first = self.connections
        self.last = head
        ok = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine"
        if path == "/stall":
            conn.recv(1)
            return False
        if path == "/half" and n % 3 == 0:
            conn.sendall(ok[:-2])
            return False
        if path == "/drop" and n % 3 == 0:
            return False
        if path == "/reset" and n % 3 == 0:
            conn.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            return False
        if path == "/chunked":
            ok = (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                  b"2\r\nfi\r\n2\r\nne\r\n0\r\n\r\n")
        if path == "/continue":
            ok = b"HTTP/1.1 100 Continue\r\n\r\n" + ok
        if path == "/status" and n % 2:
            ok = ok.replace(b"200 OK", b"503 No")
        if path == "/last" and n % 5 == 0:
            ok = ok.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
        self.count(self.answers, path)
        conn.sendall(ok)
        # "/race": a kept connection ends without a word
        return not (path == "/race" and n % 5 == 0) and \
            not (path == "/last" and n % 5 == 0)


def load(*words, status=0, **more):
    run = subprocess.run([LOAD, *map(str, words)], capture_output=True,
                         text=True, timeout=60, stdin=subprocess.DEVNULL,
                         **more)
    check(run.returncode == status,
          f"{words}: exit {run.returncode}, not {status}: {run.stderr}")
    return run


def measured(engine, url, *words, lasts="250ms"):
    """One run's task and driver; every request's end was counted."""
    run = load("-c", "4", "-d", lasts, "--json", "--engine", engine, *words,
               url)
    result = json.loads(run.stdout)
    task, driver = result["tasks"][0], result["driver"]
    check(driver["engine"] == engine, f"{url}: engine {driver['engine']}")
    check(driver["retried"] == 0, f"{url}: {driver['retried']} sent twice")
    answered = sum(task["answers"].values())
    check(task["ops"] + task["errors"]
          == answered + task["lost"] + task["unsent"],
          f"{engine} {url}: ends do not add up: {task}")
    check(driver["requests"] == answered + task["lost"],
          f"{engine} {url}: {driver['requests']} sent, {answered} answered, "
          f"{task['lost']} lost")
    return task, driver


def counts(server, engine):
    """What the client counts and what the server counts, by misbehaviour."""
    for path in ["/ok", "/chunked", "/continue", "/status", "/last", "/race",
                 "/half", "/drop", "/reset"]:
        server.heads.pop(path, None)
        server.answers.pop(path, None)
        task, driver = measured(engine, f"http://127.0.0.1:{server.port}{path}",
                                *(["--body", "body"] if path == "/continue"
                                  else []))
        heads, answers = server.heads[path], server.answers[path]
        where = f"{engine} {path}: {task}, server {heads} heads, {answers}"
        check(sum(task["answers"].values()) == answers, where)
        check(task["ops"] > 0, where)
        if path == "/race":  # what ran into the end was never read
            check(driver["requests"] >= heads, where)
        else:
            check(driver["requests"] == heads, where)
            check(task["lost"] == heads - answers, where)
        if path in ["/ok", "/chunked", "/continue", "/status"]:
            check(driver["connects"] == 4, where)
        if path == "/status":
            check(task["answers"]["5xx"] == (heads + 1) // 2, where)
        if path in ["/half", "/drop", "/reset"]:
            check(task["lost"] == heads // 3, where)


def per_connection(server, engine):
    for n in [1, 10]:
        server.heads.clear()
        server.connections = 0
        _, driver = measured(engine, f"http://127.0.0.1:{server.port}/n{n}",
                             "--requests-per-connection", n)
        heads, connects = server.heads[f"/n{n}"], driver["connects"]
        # four clients: each has one connection that may not be full
        check(0 <= connects - heads / n < 4,
              f"{engine}: {heads} requests, {n} each, {connects} connections")
        check(server.connections == connects, f"{engine}: {connects} connects, "
              f"{server.connections} connections at the server")


def stalled(server, engine):
    task, _ = measured(engine, f"http://127.0.0.1:{server.port}/stall",
                       "--request-timeout", "350ms")
    check(task["given_up"] == task["lost"] == 4, f"{engine} /stall: {task}")
    check("within the timeout" in task["error_text"], task["error_text"])


def same_trial(engine):
    """Every document of a corpus once, counted by the target."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    target = start(TARGET, "--listen", f"127.0.0.1:{port}")
    try:
        def listens():
            with socket.socket() as s:
                return s.connect_ex(("127.0.0.1", port)) == 0
        wait_until(listens, 10, "the target listens")
        run = load("--track", ROOT / "tracks" / "geonames.json", "--json",
                   "--engine", engine, "--target", f"http://127.0.0.1:{port}",
                   "--track-param", "corpus_docs=20000", "--track-param",
                   "bulk_size=300", "--track-param", "looped=false",
                   "--challenge", "append-no-conflicts-index-only")
        result = json.loads(run.stdout)
        task = result["tasks"][0]
        check(task["errors"] == 0, f"{engine}: {task['error_text']}")
        return [result["driver"][k] for k in
                ["docs_acked", "docs_refused", "docs_unknown", "requests",
                 "body_bytes"]]
    finally:
        target.terminate()
        target.wait(20)


def openssl(*words):
    subprocess.run(["openssl", *map(str, words)], check=True,
                   capture_output=True)


def certificate(name, alternative, days):
    pathlib.Path(f"{name}.ext").write_text(f"subjectAltName={alternative}\n")
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
            "-nodes", "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out",
            f"{name}.csr")
    openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey",
            "ca.key", "-CAcreateserial", "-days", days, "-extfile",
            f"{name}.ext", "-out", f"{name}.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{name}.pem", f"{name}.key")
    return context


def handshakes_first(port, server, where, *words):
    """All connections, TLS too, are there before the clock starts: at four
    requests a second of four clients the others' first are still to come when
    the first one is there."""
    server.heads.clear()
    server.connections = 0
    task, driver = measured("curl", f"https://{where}:{port}/first", "-R", "4/s",
                            *words, lasts="500ms")
    check(server.before_first == 4 and not task["errors"],
          f"https://{where}: {server.before_first} of 4 connections before the "
          f"first request: {task}")
    check(driver["connects"] == server.connections == 4,
          f"https://{where}: {driver['connects']} connects")


def tls():
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt",
            "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=test authority",
            "-days", "2", "-keyout", "ca.key", "-out", "ca.pem")
    good = Server(certificate("good", "DNS:localhost,IP:127.0.0.1", 2))
    wrong = Server(certificate("wrong", "DNS:elsewhere.invalid", 2))
    expired = Server(certificate("expired", "DNS:localhost,IP:127.0.0.1", -1))
    for host in ["127.0.0.1", "localhost"]:
        good.heads.clear()
        task, driver = measured("curl", f"https://{host}:{good.port}/ok",
                                "--cacert", "ca.pem")
        check(driver["requests"] == good.heads["/ok"] and not task["errors"],
              f"https://{host}: {task}, {good.heads}")
    handshakes_first(good.port, good, "127.0.0.1", "--cacert", "ca.pem")
    task, _ = measured("curl", f"https://127.0.0.1:{expired.port}/ok", "-k")
    check(task["ops"] > 0 and not task["errors"], f"--insecure: {task}")
    url = f"https://127.0.0.1:{good.port}/ok"
    for words, text in [
            ([url], "unable to get local issuer certificate"),
            (["--cacert", "ca.pem", f"https://localhost:{wrong.port}/"],
             "no alternative certificate subject name matches target host name"
             " 'localhost'"),
            (["--cacert", "ca.pem", f"https://localhost:{expired.port}/"],
             "certificate has expired"),
            (["--cacert", "nowhere.pem", url], "nowhere.pem")]:
        run = load("-d", "1s", *words, status=2 if "nowhere" in text else 1)
        check(text in run.stderr and len(run.stderr.splitlines()) == 1,
              f"{words}: {run.stderr}")
    task, _ = measured("curl", url, "--cacert", "ca.pem", "--http2")
    plain = subprocess.run(
        [LOAD, "-d", "200ms", "--http2", f"http://127.0.0.1:{good.port}/"],
        capture_output=True, text=True)
    # libcurl 7 cannot, libcurl 8 can, but the server does not
    check(plain.returncode == 0 or
          "accepted: an https:// URL" in plain.stderr,
          f"--http2, plain: {plain.stderr}")
    check(task["ops"] == 0 and task["error_text"] == "the answer is not HTTP/2",
          f"--http2: {task}")


def splice(a, b):
    try:
        while data := a.recv(65536):
            b.sendall(data)
    except OSError:
        pass
    for s in [a, b]:
        try:
            s.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


class Proxy(Server):
    """Answers plain requests itself, and splices CONNECT to 127.0.0.1."""

    def answer(self, conn, head):
        word, target = head.split(b" ")[:2]
        if word != b"CONNECT":
            return super().answer(conn, head)
        self.count(self.heads, target.decode())
        port = int(target.rsplit(b":", 1)[1])
        behind = socket.create_connection(("127.0.0.1", port))
        conn.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        threading.Thread(target=splice, args=(behind, conn),
                         daemon=True).start()
        splice(conn, behind)
        return False


def proxies(server):
    proxy = Proxy()
    tls_server = Server(certificate("far", "DNS:far.invalid", 2))
    through = ["--proxy", f"http://127.0.0.1:{proxy.port}"]
    task, driver = measured("curl", "http://far.invalid/ok", *through)
    check(proxy.heads["http://far.invalid/ok"] == driver["requests"]
          and not task["errors"], f"--proxy: {task}, {proxy.heads}")
    task, driver = measured("curl", f"https://far.invalid:{tls_server.port}/ok",
                            *through, "--cacert", "ca.pem")
    check(tls_server.heads["/ok"] == driver["requests"]
          and not task["errors"], f"--proxy, TLS: {task}, {proxy.heads}")
    handshakes_first(tls_server.port, tls_server, "far.invalid", *through,
                     "--cacert", "ca.pem")
    nobody = dict(os.environ, http_proxy="http://127.0.0.1:1",
                  ALL_PROXY="http://127.0.0.1:1")
    for engine in ENGINES:
        load("-d", "200ms", "--engine", engine,
             f"http://127.0.0.1:{server.port}/ok", env=nobody)


def passwords(server):
    token = base64.b64encode(b"me:secret").decode()
    for engine in ENGINES:
        run = start(LOAD, "-d", "1s", "--engine", engine, "--user", "me:secret",
                    f"http://127.0.0.1:{server.port}/user")
        wait_until(lambda: server.heads.get("/user"), 10, "a request came")
        seen = pathlib.Path(f"/proc/{run.pid}/cmdline").read_text()
        out, err = run.communicate(timeout=30)
        check(run.returncode == 0, f"--user: {err}")
        check(f"Authorization: Basic {token}".encode() in server.last,
              f"--user: {server.last}")
        check("secret" not in seen + out + err, "the password can be seen")
        server.heads.clear()


with Scratch():
    pathlib.Path("body").write_text("x" * 3000)
    server = Server()
    for engine in ENGINES:
        counts(server, engine)
        per_connection(server, engine)
        stalled(server, engine)
    raw, curl = (same_trial(engine) for engine in ENGINES)
    check(raw == curl and raw[:3] == [20000, 0, 0],
          f"the same trial: raw {raw}, curl {curl}")
    tls()
    proxies(server)
    passwords(server)
done()
