"""A cluster of real processes for roam.py, zones.py and show.py: three members of etcd, mobula-cluster and nodes."""
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import own_network  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
ETCD = "/usr/bin/etcd"
WEB_PLAYER = ROOT / "build/web/test/cluster/web_player.js"  # compiled by client/web/build.sh
PATIENCE = 60  # s
NETWORK = "latency=80ms jitter=20ms loss=2%"  # commands wait for their acknowledgement when their players cross
PAUSE = 4  # s, longer than a lease
PARTITION = 7  # s, longer than the timeout of sessions
PORTS_OF_NODE = 4  # at each member of etcd; starts of a node use them in turn
FAULTS_OF_NETWORK = ["cuts", "partitions", "full_disks"]  # they need a network of our own
JUMP = 6  # s, for which the date of a node is wrong
JUMPS = [-3600, -30, 30, 3600]  # s; tokens are valid for 60 s
LEASE = 2  # s
OUTAGE = 5  # s, longer than leases
FULL = 4  # s, many checkpoints
DISK = 64  # MiB, for the saves of all worlds


def wait(condition, what, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise TimeoutError(what)
        time.sleep(0.05)


def ask(url, body=None):
    """Returns the answer, or None if there is none."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:
            return json.load(answer)
    except (OSError, ValueError):
        return None


def put(url, value):
    request = urllib.request.Request(url, json.dumps(value).encode(), {"Content-Type": "application/json"}, method="PUT")
    with urllib.request.urlopen(request, timeout=5):
        pass


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def addresses(ports):
    return ",".join(f"http://127.0.0.1:{port}" for port in ports)


class Processes:
    """Those of the cluster, each with a log in the folder."""

    def __init__(self, programs, folder):
        self.programs, self.folder, self.running = programs, folder, {}
        self.paused, self.ending = [], []  # the latter with the status that is expected
        self.lasting = []  # faults: when each ends, and the function that ends it
        wrong_date = programs / "libwrong_date.so"
        self.wrong_date = wrong_date if wrong_date.exists() else None

    def start(self, name, *command, env=None):
        with open(self.folder / f"{name}.log", "ab") as log:
            self.running[name] = subprocess.Popen([str(each) for each in command], stdout=log, stderr=log, cwd=self.folder,
                                                  env={**os.environ, **(env or {})})

    def mobula(self, name, program, *options, env=None):
        self.start(name, self.programs / program, *options, env=env)

    def server(self, name, *options):
        """Starts a server whose date can be set."""
        self.date_file(name).write_bytes(bytes(8))
        preload = {"LD_PRELOAD": self.wrong_date, "WRONG_DATE_FILE": self.date_file(name)} if self.wrong_date else {}
        self.mobula(name, "mobula-server", *options, env={key: str(value) for key, value in preload.items()})

    def date_file(self, name):
        return self.folder / f"{name}.date"

    def set_date(self, name, seconds):
        with open(self.date_file(name), "r+b", buffering=0) as file:  # it is mapped, so it is never empty
            file.write(struct.pack("<q", seconds))

    def log(self, name):
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def kill(self, name):
        self.running[name].kill()
        self.running.pop(name).wait()

    def pause(self, name):
        """Stops a process with SIGSTOP, and no longer counts it among the running ones."""
        process = self.running.pop(name)
        process.send_signal(signal.SIGSTOP)
        self.paused.append((process, name, time.monotonic() + PAUSE))

    def wake(self, all_of_them=False):
        """Wakes processes whose pause is over. They have lost their lease, so they end by themselves."""
        due = [each for each in self.paused if all_of_them or each[2] <= time.monotonic()]
        for each in due:
            self.paused.remove(each)
            time.sleep(max(0, each[2] - time.monotonic()))
            each[0].send_signal(signal.SIGCONT)
            self.ending.append((*each[:2], 1))

    def cut(self, name, ports):
        """Cuts a node off from etcd. It has to end by itself, and no longer counts among the running ones."""
        self.drop("tcp", ports, PAUSE)
        self.ending.append((self.running.pop(name), name, 1))

    def drop(self, protocol, ports, seconds):
        own_network.drop(protocol, ports)
        self.later(seconds, lambda: own_network.drop(protocol, ports, begin=False))

    def jump(self, name, seconds):
        """Sets the date of a server wrong for a while."""
        def end():
            self.set_date(name, 0)
            assert name not in self.running or self.running[name].poll() is None, f"{name} ended while its date was wrong"
        self.set_date(name, seconds)
        self.later(JUMP, end)

    def later(self, seconds, end):
        self.lasting.append((time.monotonic() + seconds, end))

    def end_lasting(self):
        """Ends the faults that are due."""
        for each in [each for each in self.lasting if each[0] <= time.monotonic()]:
            self.lasting.remove(each)
            each[1]()

    def end(self, name):
        """Ends a node by SIGTERM: it saves its worlds, and other nodes open them."""
        process = self.running.pop(name)
        process.terminate()
        self.ending.append((process, name, 0))

    def expect_ends(self):
        self.wake(all_of_them=True)
        for process, name, status in self.ending:
            assert process.wait(timeout=10) == status, f"{name} ended with status {process.returncode}"

    def stop_all(self):
        for process, *_ in self.paused + self.ending:
            process.kill()
            process.wait()
        for each in self.running.values():
            each.kill()
        for each in self.running.values():
            each.wait()


class Cluster:
    """Nodes without a world. `level` is a path below the project's folder."""

    def __init__(self, programs, folder, nodes, level, port=0):
        self.processes = Processes(programs, folder)
        self.folder = folder
        self.starts = dict.fromkeys((f"n{i}" for i in range(nodes)), 0)
        subprocess.run([programs / "mobula-compile", ROOT / level, "-o", folder / "level"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([programs / "mobula-token", "--new-key", folder / "key"], check=True, stdout=subprocess.DEVNULL)
        self.saves = folder / "worlds"
        self.saves.mkdir()
        self.has_disk = own_network.mount_memory(self.saves, DISK)
        self.start_etcd()
        self.processes.mobula("cluster", "mobula-cluster", "serve", "--etcd", self.etcd, "--key-file", "key", "--port", port)
        self.url = wait(lambda: self.found("cluster", r"http://127\.0\.0\.1:\d+"), "mobula-cluster")
        for node in self.starts:
            self.start_node(node)

    def create_worlds(self, worlds):
        for world in worlds:
            order = {"world": world, "game": wait(self.game, "a node")}
            wait(lambda order=order: ask(f"{self.url}/worlds", order), world)
        self.wait_until_open(worlds)

    def create_zones(self, name, zones):
        """Returns the worlds of the zones."""
        order = {"map": name, "game": wait(self.game, "a node"), "zones": zones}
        made = wait(lambda: ask(f"{self.url}/maps", order), name)
        self.wait_until_open(made["zones"])
        return made["zones"]

    def start_bots(self, bots, world, network="loss=0%"):
        """Lets bots play, whose accounts are bot-1, bot-2 and so on."""
        self.processes.mobula("bots", "mobula-bots", "--cluster", self.url, "--world", world, "--behaviour", "count",
                              "--simulate", network, "--clients", bots, "--seconds", 100000, "--json", "bots.json")

    def end_bots(self):
        """Returns how often a mirror was wrong, and how many commands were executed twice."""
        bots = self.processes.running.pop("bots")
        bots.terminate()
        bots.wait()
        report = json.loads((self.folder / "bots.json").read_text())
        return {"mismatched": report["mismatches"], "commands_twice": report["commands_twice"]}

    def start_web_player(self, world, account):
        """Lets a player with the client of TypeScript play. Returns whether there is one."""
        node = subprocess.run([ROOT / "client/web/node.sh"], capture_output=True, text=True).stdout.strip()
        if node and WEB_PLAYER.exists():
            self.processes.start(account, node, WEB_PLAYER, self.url, world, account)
        return account in self.processes.running

    def end_web_player(self, account):
        """Returns what the player has counted."""
        player = self.processes.running.pop(account)
        player.terminate()
        player.wait()
        return json.loads(self.processes.log(account).splitlines()[-1])

    def wait_until_open(self, worlds):
        self.worlds = worlds
        for world in worlds:
            wait(lambda world=world: self.admin_of(world), f"{world} is open")

    def found(self, name, pattern):
        all_of_them = re.findall(pattern, self.processes.log(name))
        return all_of_them[0] if all_of_them else None

    def start_etcd(self):
        """Each member has a port for mobula-cluster, the first one, and ports for each node, which can be cut off."""
        sets = 1 + PORTS_OF_NODE * len(self.starts)
        peers, ports = free_ports(3), free_ports(3 * sets)
        self.etcd_ports = [ports[i::sets] for i in range(sets)]  # each with a port of each member
        members = ",".join(f"m{i}=http://127.0.0.1:{peers[i]}" for i in range(3))
        self.etcd_commands = []
        for i in range(3):
            clients, peer = [f"http://127.0.0.1:{each[i]}" for each in self.etcd_ports], f"http://127.0.0.1:{peers[i]}"
            self.etcd_commands.append(
                [ETCD, "--name", f"m{i}", "--data-dir", f"m{i}", "--listen-client-urls", ",".join(clients), "--advertise-client-urls",
                 clients[0], "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", members,
                 "--heartbeat-interval", "50", "--election-timeout", "300", "--unsafe-no-fsync"])
            self.processes.start(f"etcd{i}", *self.etcd_commands[i])
        self.etcd = addresses(self.etcd_ports[0])

    def etcd_ports_of(self, node):
        """Returns the ports of etcd that the present start of a node uses."""
        return self.etcd_ports[1 + PORTS_OF_NODE * list(self.starts).index(node) + self.starts[node] % PORTS_OF_NODE]

    def start_node(self, node):
        """Each start has a name of its own, since a lease outlives a killed node."""
        self.starts[node] += 1
        name = f"{node}.{self.starts[node]}"
        self.processes.server(name, "--cluster", addresses(self.etcd_ports_of(node)), "--node", name, "--capacity", f"worlds={len(self.starts)}",
                              "--port", "0", "--admin-port", "0", "--key-file", "key", "--db", self.saves, "--level", "level",
                              "--public-address", "127.0.0.1", "--checkpoint-seconds", "0.5", "--rejoin-grace-seconds", "60")

    def harm(self, random):
        """Does one of FAULTS. Another node is started in place of one that ends. Returns which."""
        can_all = own_network.may_drop() and self.has_disk
        possible = [each for each in FAULTS if can_all or each not in FAULTS_OF_NETWORK]
        kind = random.choice([each for each in possible if self.processes.wrong_date or each != "clock_jumps"])
        FAULTS[kind](self, random)
        return kind

    def any_node(self, random):
        """Returns a node, and the name of its present start."""
        node = random.choice(list(self.starts))
        return node, self.wait_for_node(node)

    def replace_node(self, random, end):
        node, name = self.any_node(random)
        end(name)
        self.start_node(node)

    def cut_node(self, random):
        node, name = self.any_node(random)
        self.processes.cut(name, self.etcd_ports_of(node))
        self.start_node(node)

    def part_node(self, random):
        ports = re.findall(r"listening on udp port (\d+)", self.processes.log(self.any_node(random)[1]))
        self.processes.drop("udp", ports, PARTITION)

    def jump_clock(self, random):
        self.processes.jump(self.any_node(random)[1], random.choice(JUMPS))

    def kill_etcd(self, random):
        i = random.randrange(3)
        self.processes.kill(f"etcd{i}")
        self.processes.start(f"etcd{i}", *self.etcd_commands[i])

    def wait_for_node(self, node):
        """Returns the name of the present start of a node, once it has its lease. Without one it would not lose it."""
        def serving():
            self.tend()  # a slow machine: it has lost its lease before it served
            name = f"{node}.{self.starts[node]}"
            return self.found(name, "serves its cluster") and name
        return wait(serving, f"{node} is a node")

    def etcd_outage(self, random):
        """Kills most members of etcd for a while. All nodes go on: none can know of another owner of its worlds."""
        members = random.sample(range(3), random.choice((2, 3)))
        nodes = [self.wait_for_node(node) for node in self.starts]
        time.sleep(0.5)  # a node that has just joined looks at all members
        for i in members:
            self.processes.kill(f"etcd{i}")
        self.pass_time(OUTAGE)
        self.expect_running(nodes, "without etcd")
        for i in members:
            self.processes.start(f"etcd{i}", *self.etcd_commands[i])
        wait(lambda: ask(f"{self.url}/health"), "etcd is back")
        self.pass_time(LEASE)  # all renew theirs, before etcd may end again

    def fill_disk(self, random):
        """Leaves no space for a while in which a node is killed. Its worlds are opened later, and the others go on."""
        killed, name = self.any_node(random)
        nodes = [f"{node}.{start}" for node, start in self.starts.items() if node != killed]
        filler = self.saves / "filler"
        with open(filler, "wb", buffering=0) as file:
            try:
                while file.write(bytes(4096)):
                    pass
            except OSError:
                pass
        self.processes.kill(name)
        self.start_node(killed)
        self.pass_time(FULL)
        filler.unlink()
        self.expect_running(nodes, "with a full disk")

    def end_disk(self, keep):
        if self.has_disk:
            if keep:
                shutil.copytree(self.saves, self.folder / "kept_worlds")
            own_network.unmount(self.saves)

    def pass_time(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.processes.wake()
            self.processes.end_lasting()
            time.sleep(0.05)

    def expect_running(self, nodes, when):
        ended = [name for name in nodes if self.processes.running[name].poll() is not None]
        assert not ended, f"{ended} ended {when}"

    def game(self):
        nodes = ask(f"{self.url}/nodes")
        return nodes["nodes"][0]["game"] if nodes and nodes["nodes"] else None

    def tend(self):
        """Wakes paused nodes. Starts others in place of nodes that have lost their lease, as a supervisor does."""
        self.processes.wake()
        self.processes.end_lasting()
        for node, start in self.starts.items():
            if self.processes.running[f"{node}.{start}"].poll() is not None:
                self.processes.running.pop(f"{node}.{start}")
                self.start_node(node)

    def record(self, world):
        """Returns where a world is, or None if nobody knows."""
        return ask(f"{self.url}/worlds/{world}")

    def admin_of(self, world):
        """Returns the admin address of the node that has the world open, or None."""
        self.tend()
        record = self.record(world)
        if not record or record["state"] != "open":
            return None
        port = self.found(record["node"], r"admin address http://127\.0\.0\.1:(\d+)")
        return port and f"http://127.0.0.1:{port}/api"

    def status(self, world):
        admin = self.admin_of(world)
        answer = admin and ask(f"{admin}/status")
        return next((each for each in answer["worlds"] if each["name"] == world), None) if answer else None

    def wait_until_saved(self):
        """A kill takes all worlds back to their last checkpoint: what they are now is kept from here on."""
        for world in self.worlds:
            tick = wait(lambda world=world: self.status(world), f"{world} is open")["tick"]
            wait(lambda world=world, tick=tick: (self.status(world) or {"store": {"tick": -1}})["store"]["tick"] >= tick,
                 f"{world} is saved")

    def sessions(self, world):
        """Returns the players of a world, disconnected ones included. None if it is not open."""
        admin = self.admin_of(world)
        answer = admin and ask(f"{admin}/sessions?world={world}&limit=500")
        return None if not answer else [each for each in answer["sessions"] if not each["spectator"]]

    def tags(self, world, player):
        """Returns the tags of a player; None if the world does not have it any more."""
        admin = self.admin_of(world)
        entity = ask(f"{admin}/entities/{player['entity']}?world={world}")
        if entity is None:
            return None
        values = {each["path"]: each["value"] for component in entity["components"] if component["name"] == "Avatar"
                  for each in component["properties"]}
        return values.get("tags")


FAULTS = {  # each is called with the cluster and random numbers
    "kills": lambda cluster, random: cluster.replace_node(random, cluster.processes.kill),
    "pauses": lambda cluster, random: cluster.replace_node(random, cluster.processes.pause),
    "ends": lambda cluster, random: cluster.replace_node(random, cluster.processes.end),
    "etcd_kills": Cluster.kill_etcd,
    "etcd_outages": Cluster.etcd_outage,
    "cuts": Cluster.cut_node,
    "partitions": Cluster.part_node,
    "full_disks": Cluster.fill_disk,
    "clock_jumps": Cluster.jump_clock,
}


@contextmanager
def folder_of_logs(prefix, seed):
    """A folder that is kept if the trial fails. A list with the processes to end is given with it."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # else the processes would stay
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    clusters = []
    good = False
    try:
        yield folder, clusters
        good = True
    finally:
        for cluster in clusters:
            cluster.processes.stop_all()
            cluster.end_disk(keep=not good)
        if good:
            shutil.rmtree(folder)
        else:
            print(f"seed {seed}; the logs are in {folder}", file=sys.stderr)
