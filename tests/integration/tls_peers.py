"""Peers of tls+tcp that misbehave, each in one way: as controllers (strangers,
and those with a good certificate that die at the worst moment) and as agents.
They speak TLS through memory, so that a flight of the handshake can be held
back, and count flights: 1 is ClientHello, 2 our certificate to Finished."""
import socket
import ssl
import struct
import threading
import warnings

REQ = b"\0SP\0\0\x30\0\0"


def context(folder=None, old=False):
    """A client's; folder: of credentials, None: without any. old: speaks
    nothing newer than TLS 1.1."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.check_hostname = False
    made.verify_mode = ssl.CERT_NONE
    made.maximum_version = ssl.TLSVersion.TLSv1_2
    if old:
        made.set_ciphers("ALL:@SECLEVEL=0")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            made.minimum_version = ssl.TLSVersion.TLSv1_1
            made.maximum_version = ssl.TLSVersion.TLSv1_1
    if folder:
        made.load_cert_chain(f"{folder}/cert.pem", f"{folder}/key.pem")
    return made


def reset(sock):
    """Close it by a reset."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                    struct.pack("ii", 1, 0))
    sock.close()


class Peer:
    """One connection to port, its handshake under our control."""

    def __init__(self, port, tls):
        self.sock = socket.create_connection(("127.0.0.1", port), 10)
        self.inside, self.outside = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = tls.wrap_bio(self.inside, self.outside)
        self.flights = 0

    def shake(self, flights=99):
        """Until this many flights of ours have left, or to the end; whether
        that was reached. An alert of the other side is ssl.SSLError."""
        while True:
            try:
                self.tls.do_handshake()
                ended = True
            except ssl.SSLWantReadError:
                ended = False
            data = self.outside.read()
            if data:
                self.sock.sendall(data)
                self.flights += 1
            if ended or self.flights >= flights:
                return ended
            data = self.sock.recv(65536)
            if not data:
                raise ssl.SSLError("closed in the handshake")
            self.inside.write(data)

    def send(self, data):
        self.tls.write(data)
        self.sock.sendall(self.outside.read())

    def read(self, size):
        """Exactly size bytes; b"" when the other side has ended."""
        got = b""
        while len(got) < size:
            try:
                more = self.tls.read(size - len(got))
                if not more:
                    return b""
                got += more
            except ssl.SSLWantReadError:
                data = self.sock.recv(65536)
                if not data:
                    return b""
                self.inside.write(data)
            except ssl.SSLError:
                return b""
        return got

    def greet(self):
        """SP's greeting both ways; whether it came back."""
        self.send(REQ)
        return len(self.read(8)) == 8

    def close(self, by_reset=False):
        if by_reset:
            reset(self.sock)
        else:
            self.sock.close()


def refused(port, tls):
    """Whether the agent serves nobody with these papers: the handshake fails,
    or nothing is said after it."""
    try:
        peer = Peer(port, tls)
        peer.shake()
        return not peer.greet()
    except (ssl.SSLError, OSError):
        return True


# Each: what a controller that dies does; flights of 2 end its handshake.

def die(port, tls, how):
    """One that ends after a flight, in one of the ways of DEATHS."""
    flights, by_reset, half = DEATHS[how]
    try:
        peer = Peer(port, tls)
        peer.shake(flights)
        if half:
            peer.send(REQ[:3])
        peer.close(by_reset)
    except (ssl.SSLError, OSError):
        pass


DEATHS = {"hello": (1, False, False), "hello-reset": (1, True, False),
          "finished": (2, False, False), "finished-reset": (2, True, False),
          "end": (99, False, False), "end-reset": (99, True, False),
          "half-greeting": (99, True, True)}


def poke(port, data, by_reset=False):
    """Plain bytes, then the end."""
    try:
        sock = socket.create_connection(("127.0.0.1", port), 10)
        sock.sendall(data)
        if by_reset:
            reset(sock)
        else:
            sock.close()
    except OSError:
        pass


POKES = {"nothing": b"", "http": b"GET / HTTP/1.0\r\n\r\n" * 5,
         "half-hello": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" +
                       b"A" * 40,
         "greeting": REQ, "length": b"\x16\x03\x03\xff\xff"}


class Agent(threading.Thread):
    """An agent's end that takes connections and fails each in one way: close,
    reset, garbage, end (of the handshake, then close), end-reset."""

    def __init__(self, port, folder, how):
        super().__init__(daemon=True)
        self.how, self.count = how, 0
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.load_cert_chain(f"{folder}/cert.pem", f"{folder}/key.pem")
        self.tls.load_verify_locations(f"{folder}/ca.pem")
        self.tls.verify_mode = ssl.CERT_REQUIRED
        self.tls.maximum_version = ssl.TLSVersion.TLSv1_2
        self.listener = socket.create_server(("127.0.0.1", port))
        self.start()

    def run(self):
        while True:
            try:
                sock, _ = self.listener.accept()
            except OSError:
                return
            self.count += 1
            try:
                self.fail(sock)
            except (ssl.SSLError, OSError):
                pass

    def fail(self, sock):
        sock.settimeout(5)
        if self.how == "garbage":
            sock.sendall(b"HTTP/1.0 400\r\n\r\n")
        if self.how.startswith("end"):
            sock = self.tls.wrap_socket(sock, server_side=True)
        if self.how.endswith("reset"):
            reset(sock)
        else:
            sock.close()

    def stop(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.join()
