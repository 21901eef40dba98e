#!/usr/bin/env python3
"""The encrypted control plane: who is let in, who is not and why, what the
agent's gate survives (NNG 1.5.2's faults among it), and that a run goes on when
its agent is lost and comes back. Certificates are made by our own ca."""
import json
import os
import pathlib
import signal
import socket
import ssl
import struct
import threading
import time

import tls_peers as peers
from lab import (AGENT, PITWALL, Scratch, can_make_namespaces, check,
                 check_nothing_left, done, links, pitwall, query, reap, skip,
                 start, wait_until)

if not can_make_namespaces():
    skip("no network namespaces here: run as root")


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as s:
        return s.getsockname()[1]


def ca(*words):
    made = pitwall("ca", *words)
    check(made.returncode == 0, f"ca {words}: {made.stderr}")


def agents(*words):
    return pitwall("agents", "--json", *words, timeout=60)


def answers(*words):
    return agents(*words).returncode == 0


def says(part, *words):
    """The agent is not reached, for this reason."""
    told = agents(*words)
    text = told.stderr
    if told.stdout:
        text += json.loads(told.stdout)["rows"][0]["missing"]
    check(told.returncode != 0 and part in text, f"{words}: {part!r}: {text}")


def frame(body):
    """A REQ's message: its length, the request's number, the body."""
    return struct.pack(">QI", 4 + len(body), 0x80000001) + body


def ask_raw(body, length=None):
    """Send a message of any kind with good papers; the reply, b"" for none."""
    peer = peers.Peer(port, good)
    peer.shake()
    check(peer.greet(), "the agent greets")
    data = frame(body)
    if length is not None:
        data = struct.pack(">Q", length) + data[8:]
    peer.sock.settimeout(5)
    try:
        peer.send(data)
        head = peer.read(8)
        return peer.read(struct.unpack(">Q", head)[0]) if head else b""
    except TimeoutError:
        return b""
    finally:
        peer.close()


def record(to):
    """Carry one connection to a port; the port here, and what a client said."""
    said = bytearray()
    listener = socket.create_server(("127.0.0.1", 0))

    def carry(source, sink, note):
        try:
            while data := source.recv(65536):
                if note:
                    said.extend(data)
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def serve():
        for _ in range(2):  # the probe, and the channel
            ours, _ = listener.accept()
            said.clear()
            theirs = socket.create_connection(("127.0.0.1", to))
            back = threading.Thread(target=carry, args=(theirs, ours, False),
                                    daemon=True)
            back.start()
            threading.Thread(target=carry, args=(ours, theirs, True),
                             daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    return listener.getsockname()[1], said


before = links()
with Scratch() as folder:
    ca("init", "lab")
    ca("init", "other")
    ca("issue", "lab", "srv")
    ca("issue", "lab", "op", "--role", "controller")
    ca("issue", "lab", "late", "--role", "controller", "--valid", "1s")
    ended = time.monotonic() + 2.1  # whole seconds
    ca("issue", "other", "op", "--role", "controller")
    ca("issue", "other", "srv")
    ca("issue", "lab", "gen")
    # They trust our agent, so that it is the agent who refuses.
    pathlib.Path("other/op/ca.pem").write_bytes(
        pathlib.Path("lab/op/ca.pem").read_bytes())
    good = peers.context("lab/op")

    # A key that others may open, and papers of the other role, start nothing.
    port = free_port()
    url = f"tls+tcp://srv@127.0.0.1:{port}"
    pathlib.Path("agent.json").write_text(json.dumps(
        {"version": 1, "name": "srv", "listen": f"tls+tcp://127.0.0.1:{port}",
         "tls": "lab/srv"}))
    run_agent = (AGENT, "--config", "agent.json", "--state", "state")
    os.chmod("lab/srv/key.pem", 0o640)
    refused = start(*run_agent)
    text = refused.communicate(timeout=20)[1]
    check(refused.returncode == 1 and "key.pem" in text and "0640" in text,
          f"an open key: {text}")
    os.chmod("lab/srv/key.pem", 0o600)
    refused = start(*run_agent, "--tls", "lab/op")
    text = refused.communicate(timeout=20)[1]
    check(refused.returncode != 0 and "not an agent's" in text,
          f"a controller's papers: {text}")

    log = pathlib.Path("agent.log")
    logged = ("sh", "-c", f"exec \"$@\" 2>>{log}", "sh", *run_agent)
    process = start(*logged)
    pathlib.Path("lab/lab.json").write_text(json.dumps(
        {"version": 1, "tls": "op",
         "agents": [{"name": "srv", "url": f"tls+tcp://127.0.0.1:{port}"}],
         "benches": [{"name": "b", "target": "srv"}]}))
    lab = ("--agents", "lab/lab.json")
    wait_until(lambda: answers(*lab), 20, "the agent answers")
    row = json.loads(agents(*lab).stdout)["rows"][0]
    # 90 days, less the seconds since it was made.
    check(row["certificate"] in ("89 days left", "90 days left"),
          f"when its certificate ends: {row}")

    # Who is not let in, and what is said of it.
    time.sleep(max(0, ended - time.monotonic()))
    says("does not accept our certificate (of \"op\")", "--agent", url,
         "--tls", "other/op")
    says("does not accept our certificate (of \"late\": expired", "--agent",
         url, "--tls", "lab/late")
    says("is not a controller's", "--agent", url, "--tls", "lab/gen")
    says("is of \"srv\", not of \"gen\"", "--agent",
         f"tls+tcp://gen@127.0.0.1:{port}", "--tls", "lab/op")
    says("tls+tcp takes credentials", "--agent", url)
    says("no agent", "--agent", f"tcp://127.0.0.1:{port}", "--insecure-plain")
    for papers in (None, "other/op", "lab/gen", "lab/late"):
        tls = peers.context(papers)
        check(peers.refused(port, tls), f"served with {papers}")
    check(peers.refused(port, peers.context("lab/op", old=True)),
          "served by TLS 1.1")
    check(not peers.refused(port, good), "the same with good papers is served")

    # What an authenticated peer sends is still untrusted.
    check(b"0xc1" in ask_raw(b"\xc1"), "a malformed request is answered")
    check(ask_raw(b"\x00", length=1 << 40) == b"", "too long a request is cut")
    check(answers(*lab), "and the agent answers as before")

    # A recorded session is worth nothing.
    between, said = record(port)
    check(answers("--agent", f"tls+tcp://srv@127.0.0.1:{between}", "--tls",
                  "lab/op"), "through a recorder")
    check(len(said) > 1000, f"recorded {len(said)} bytes")
    with socket.create_connection(("127.0.0.1", port)) as again:
        again.settimeout(5)
        again.sendall(bytes(said))
        back = b""
        try:
            while data := again.recv(65536):
                back += data
        except OSError:
            pass
    check(b"SP\0\0\x31" not in back and len(back) < 4096,
          "its replay ends in the handshake")

    # Deaths at each point of the handshake, strangers, then half-open floods:
    # within seconds the agent answers again.
    for what in peers.POKES.values():
        for i in range(20):
            peers.poke(port, what, by_reset=i % 2 == 1)
    for how in peers.DEATHS:
        for _ in range(25 if how.startswith("finished") else 8):
            peers.die(port, good, how)
    wait_until(lambda: answers(*lab), 10, "it answers after all of them")
    held = []
    for _ in range(300):
        try:
            held.append(socket.create_connection(("127.0.0.1", port), 1))
        except OSError:
            time.sleep(0.01)  # it listens anew just now
    wait_until(lambda: answers(*lab), 10, "it answers among 300 idle ones")
    held.clear()

    # The agent is killed; who is in its place ends each handshake, after which
    # NNG's own dialer would never dial again. Then it is back, and so are we.
    run = start(PITWALL, "run", *lab, "--track", "geonames", "--test-mode",
                "-m", "heap=256m", "-n", "1", "--no-ceiling", "--db", "lab.db",
                "--retries", "2")
    wait_until(lambda: " running\n" in log.read_text(), 60,
               "a trial is measured")
    process.send_signal(signal.SIGKILL)
    process.wait()
    wait_until(lambda: not answers(*lab), 10, "its gate is gone")
    fake = peers.Agent(port, "lab/srv", "end")
    wait_until(lambda: fake.count > 2, 20, "the run dials again and again")
    fake.stop()
    process = start(*logged)
    out, err = run.communicate(timeout=120)
    print(err[-2000:])
    check(run.returncode == 0, f"the run goes on: exit {run.returncode}")
    check(query("lab.db", "select count(*) from v_trial where outcome='ok'")
          == [[1]], "its trial is stored")
    process.send_signal(signal.SIGTERM)
    check(process.wait(20) == 0, "SIGTERM ends the agent with 0")
    print(log.read_text()[-1500:])
    check_nothing_left(before, 3, "at the end")
reap()
done()
