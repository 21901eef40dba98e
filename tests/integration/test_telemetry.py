#!/usr/bin/env python3
"""What a trial's telemetry holds, from a real trial over an emulated link."""
from lab import Scratch, check, done, one, pitwall, query, skip

RATE = 200e6


def link_and_kernel():
    ran = pitwall("run", "--track", "geonames", "--test-mode", "-n", "1",
                   "-m", "link=eth@veth:mtu=1500+rate=200mbit+burst=32kb+"
                   "offloads=off", "--db", "a.db")
    if "cannot do link veth" in ran.stderr:
        skip("no link veth here")
    check(ran.returncode == 0, f"run: {ran.stderr}")
    capacity = one("a.db", "select link_bit_s from driver_ceiling")
    check(capacity and 0 < capacity <= RATE,
          f"capacity {capacity} within the shaper's rate")
    row = query("a.db", "select link_capacity, link_utilization, link_rx_bit_s "
                "from v_trial")[0]
    check(row[0] == int(capacity), f"the trial's capacity: {row}")
    check(abs(row[1] - row[2] / row[0]) < 1e-9, f"utilization: {row}")
    for table in ("link", "tcp", "cpu", "pressure", "proc"):
        for side in ("target", "load"):
            check(one("a.db", f"select count(*) from sample_{table} where side "
                      f"= '{side}' and second >= 0") > 0,
                  f"samples of {table} on the {side}'s side")
    check(one("a.db", "select count(*) from sample_tcp where side = 'load' "
              "and delivery_rate_bit_s > 0") > 0, "delivery rates")
    shown = pitwall("show", "1:1", "--db", "a.db").stdout
    check("link's capacity over eth" in shown, f"show: {shown}")


def own_capacity():
    ran = pitwall("run", "--track", "geonames", "--test-mode", "-n", "1",
                   "--no-ceiling", "--telemetry", "link,capacity",
                   "-m", "link=loopback", "--db", "b.db")
    check(ran.returncode == 0, f"run: {ran.stderr}")
    check(one("b.db", "select link_capacity from v_trial") > 0,
          "capacity of the trial's own")
    check(one("b.db", "select count(*) from fact where name in "
              "('capacity.bit_s.1', 'capacity.bit_s.4')") == 2,
          "one stream and four")
    check(one("b.db", "select count(*) from sample_cpu") == 0,
          "only what was asked for")


with Scratch():
    link_and_kernel()
    own_capacity()
done()
