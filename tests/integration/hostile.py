"""A tiny HTTP server that misbehaves in one way: hostile.py HOW ADDRESS PORT.

Bodies are read whole and counted; /stats has the count."""
import json
import os
import signal
import socket
import sys
import threading
import time

HOW, ADDRESS, PORT = sys.argv[1], sys.argv[2], int(sys.argv[3])
counts = {"docs": 0, "requests": 0, "feeders": 0}  # these: connections
lock = threading.Lock()


def answer(conn, text, kind="application/json", more=""):
    conn.sendall((f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n{more}"
                  f"Content-Length: {len(text)}\r\n\r\n{text}").encode())


def answer_path(conn, path):
    """What GET gives; True: the body of anything else."""
    html = "<!DOCTYPE html><html><body>Please log in</body></html>"
    if HOW == "html-ready":
        answer(conn, html, "text/html")
    elif path == "/stats" and HOW == "html-stats":
        answer(conn, html, "text/html")
    elif path == "/stats" and HOW == "negative-stats":
        answer(conn, '{"counts": {"docs": -1}}')
    elif path == "/stats":
        answer(conn, json.dumps({"counts": counts}))
    elif HOW == "garbage":
        conn.sendall(b"\x00\xff\x16\x03 this is not HTTP at all\r\n" * 3)
    elif HOW == "never-ready":
        conn.sendall(b"HTTP/1.1 503 Service Unavailable\r\n"
                     b"Content-Length: 8\r\n\r\nstarting")
    else:
        answer(conn, '{"status": "ready"}')


def serve(conn):
    data = b""
    fed = False
    while True:
        while b"\r\n\r\n" not in data:
            more = conn.recv(65536)
            if not more:
                return
            data += more
        head, data = data.split(b"\r\n\r\n", 1)
        lines = head.decode("latin-1").split("\r\n")
        method, path = lines[0].split()[:2]
        length = next((int(line.split(":")[1]) for line in lines
                       if line.lower().startswith("content-length:")), 0)
        got, body_lines = len(data), data[:length].count(b"\n")
        while got < length:
            more = conn.recv(min(1 << 20, length - got))
            if not more:
                return
            got += len(more)
            body_lines += more.count(b"\n")
        data = data[length:]
        if method == "GET":
            answer_path(conn, path)
            continue
        if HOW == "dies-in-window" and "_bulk" in path:
            print("a bulk? that is too much for me", file=sys.stderr,
                  flush=True)
            os._exit(3)
        with lock:
            counts["requests"] += 1
            if "_bulk" in path:
                counts["docs"] += body_lines // 2
                counts["feeders"] += not fed
                fed = True
        if HOW == "flood":
            sys.stdout.write("f" * 200_000 + "\n")
            sys.stderr.write("F" * 200_000 + "\n")
        answer(conn, "{}")
        if HOW == "closes":  # without having said so
            conn.close()
            return


def safe_serve(conn):
    try:
        serve(conn)
    except OSError:
        pass
    finally:
        conn.close()


def main():
    port = PORT
    if HOW == "unprivileged":  # and its folder is its own
        with open(os.path.join(sys.argv[4], "mine"), "w") as file:
            print(os.getuid(), file=file)
        print(f"uid {os.getuid()}", file=sys.stderr, flush=True)
    if HOW == "dies-at-start":
        sys.exit("no licence found, good bye")
    if HOW == "forks-away":
        if os.fork():
            time.sleep(0.1)
            os._exit(0)
        os.setsid()
        if os.fork():
            os._exit(0)
    if HOW == "ignores-term":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if HOW == "other-port":
        port += 7
    if HOW == "own-buffers":
        # What one that listened before tcp_rmem was set has: other buffers.
        server = socket.socket()
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 100_000)
        server.bind((ADDRESS, port))
        server.listen(64)
    else:
        server = socket.create_server((ADDRESS, port), backlog=64)
    while True:
        conn, _ = server.accept()
        conn.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=safe_serve, args=(conn,), daemon=True).start()


main()
