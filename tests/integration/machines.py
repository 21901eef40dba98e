"""Several machines on this one: network namespaces joined by a bridge, an agent
in each. Nothing has a name outside: the namespaces end with their holders."""
import json
import pathlib
import signal
import subprocess
import sys

from lab import AGENT, check, pitwall, start, wait_until


class Machine:
    """One namespace with eth0 at 10.99.0.N, and the agent in it."""

    def __init__(self, name, number):
        self.name, self.address = name, f"10.99.0.{number}"
        self.holder = start("unshare", "-n", "sleep", "600")
        self.agent = None

    def command(self, *words):
        return ["nsenter", "-n", "-t", str(self.holder.pid), *map(str, words)]

    def ip(self, *words):
        subprocess.run(self.command("ip", *words), check=True)

    def start_agent(self, roles="both"):
        config = pathlib.Path(f"{self.name}.json")
        config.write_text(json.dumps({
            "version": 1, "name": self.name, "roles": roles,
            "interface": "eth0"}))
        # Its output goes to a file: a pipe that nobody reads would fill.
        log = open(f"{self.name}.log", "a", encoding="utf-8")
        self.agent = subprocess.Popen(
            self.command(AGENT, "--config", config, "--state", self.state()),
            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        log.close()
        wait_until(lambda: pitwall("agents", "--agent",
                                   self.url()).returncode == 0, 20,
                   f"agent {self.name} answers")

    def state(self):
        return pathlib.Path(f"state-{self.name}").absolute()

    def url(self):
        return f"ipc://{self.state()}/gate/agent.sock"

    def kill_agent(self):
        self.agent.send_signal(signal.SIGKILL)
        self.agent.wait()

    def find(self, program):
        """The pid of a program that this machine's agent has started."""
        children, found = [self.agent.pid], None
        while children and not found:
            pid = children.pop()
            for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
                try:
                    text = task.read_text()
                except OSError:
                    continue
                children += map(int, text.split())
            try:
                name = pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
            except OSError:
                continue
            found = pid if name == program else None
        return found


class Machines:
    """A target's machine and n_loads for load, with lab.json in the working
    directory; the control plane is ipc, apart from the measured network."""

    def __init__(self, n_loads=2, delay_s=0):
        self.delay_s, self.wires = delay_s, []
        self.switch = Machine("switch", 0)
        self.target = Machine("srv", 1)
        self.loads = [Machine(f"gen{i + 1}", i + 2) for i in range(n_loads)]
        self.all = [self.target, *self.loads]

    def __enter__(self):
        for m in [self.switch, *self.all]:
            wait_until(lambda m=m: pathlib.Path(
                f"/proc/{m.holder.pid}/comm").read_text() == "sleep\n", 5,
                "a namespace is there")
        self.switch.ip("link", "add", "br0", "type", "bridge")
        self.switch.ip("link", "set", "br0", "up")
        for number, m in enumerate(self.all):
            m.ip("link", "set", "lo", "up")
            port = f"port{number}"
            if self.delay_s and m is not self.target:
                self.join_slowly(m, port)
            else:
                self.switch.ip("link", "add", port, "type", "veth", "peer",
                               "name", "eth0", "netns", m.holder.pid)
            self.switch.ip("link", "set", port, "master", "br0", "up")
            m.ip("addr", "add", f"{m.address}/24", "dev", "eth0")
            m.ip("link", "set", "eth0", "up")
        for m in self.all:
            m.start_agent()
        pathlib.Path("lab.json").write_text(json.dumps({
            "version": 1,
            "agents": [{"name": m.name, "url": m.url()} for m in self.all],
            "benches": [{"name": "rack", "target": "srv",
                         "load": [m.name for m in self.loads]}]}))
        return self

    def join_slowly(self, machine, port):
        """A wire on which each frame takes delay_s."""
        wire = subprocess.Popen(
            [sys.executable, pathlib.Path(__file__).with_name("slow_wire.py"),
             str(machine.holder.pid), "eth0", str(self.switch.holder.pid),
             port, str(self.delay_s)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.wires.append(wire)
        check(wire.stdout.readline() == "ready\n", "a slow wire is there")

    def __exit__(self, *_):
        for m in self.all:
            if m.agent and m.agent.poll() is None:
                m.agent.send_signal(signal.SIGTERM)
        for m in self.all:
            if m.agent:
                check(m.agent.wait(30) in (0, -signal.SIGKILL),
                      f"agent {m.name} ends")
        for wire in self.wires:
            wire.stdin.close()
            wire.wait(10)
        for m in [self.switch, *self.all]:
            m.holder.kill()
            m.holder.wait()
