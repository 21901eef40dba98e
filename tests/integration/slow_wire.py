#!/usr/bin/env python3
"""A wire with a length: two interfaces, in two network namespaces, whose
frames arrive a fixed time after they were sent. For kernels without netem.

usage: slow_wire.py PID NAME PID NAME DELAY_S
Says "ready" when both are there; ends, and with it the interfaces, when its
standard input does, and after ten minutes at the latest."""
import collections
import ctypes
import fcntl
import os
import select
import struct
import sys
import time

TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x0002, 0x1000
CLONE_NEWNET = 0x40000000
FRAME_BYTES = 65536
QUEUE_MAX = 4096  # frames under way; more are lost, as on a real one
LIFE_S = 600


def tap(pid, name):
    """An interface in that process's namespace; ours afterwards, too."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open(f"/proc/{pid}/ns/net", encoding="ascii") as namespace:
        if libc.setns(namespace.fileno(), CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "setns")
    fd = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(fd, TUNSETIFF,
                struct.pack("16sH", name.encode(), IFF_TAP | IFF_NO_PI))
    return fd


def take(fd, queue, due):
    try:
        frame = os.read(fd, FRAME_BYTES)
    except OSError:  # it is down
        return False
    if len(queue) < QUEUE_MAX:
        queue.append((due, frame))
    return True


def give(fd, queue, now):
    while queue and queue[0][0] <= now:
        try:
            os.write(fd, queue.popleft()[1])
        except OSError:  # the other end is down, or full: lost
            pass


def carry(fds, delay_s):
    queues = [collections.deque(), collections.deque()]  # to fds[1], fds[0]
    poll = select.poll()
    for fd in (*fds, sys.stdin.fileno()):
        poll.register(fd, select.POLLIN)
    end = time.monotonic() + LIFE_S
    while (now := time.monotonic()) < end:
        due = min([q[0][0] for q in queues if q], default=now + 1)
        for fd, _ in poll.poll(max(0, (due - now) * 1000)):
            if fd == sys.stdin.fileno():
                return
            at = time.monotonic() + delay_s
            while take(fd, queues[fds.index(fd)], at):
                pass
        now = time.monotonic()
        give(fds[1], queues[0], now)
        give(fds[0], queues[1], now)


def main():
    ends = [tap(sys.argv[1], sys.argv[2]), tap(sys.argv[3], sys.argv[4])]
    print("ready", flush=True)
    carry(ends, float(sys.argv[5]))


main()
