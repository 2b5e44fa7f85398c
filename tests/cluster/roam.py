#!/usr/bin/env python3
"""Sends players between the worlds of a cluster of real processes, and kills nodes meanwhile: roam.py BIN HANDOFFS KILLS [SEED]

Three members of etcd, mobula-cluster, four nodes with a world each, and clients that follow their players. Each player
has a number of tags of its own, which does not change, and by which it is recognised. Ends with a line of JSON:

  handoffs     crossings after which the client played in the other world
  kills        nodes that were killed by SIGKILL, and started again
  lost         players who are in no world at the end, or are not the same any more
  duplicated   players who are in several worlds at the end
  mismatched   ticks in which the mirror of a client was wrong

Status 0 if the last three are 0. Status 77 without etcd. The logs are kept if it fails.
"""
import json
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ETCD = "/usr/bin/etcd"
NODES = 4
PLAYERS = 6
PATIENCE = 60  # s


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


class Processes:
    """Those of the cluster, each with a log in the folder."""

    def __init__(self, programs, folder):
        self.programs, self.folder, self.running = programs, folder, {}

    def start(self, name, *command):
        log = open(self.folder / f"{name}.log", "ab")
        self.running[name] = subprocess.Popen([str(each) for each in command], stdout=log, stderr=log, cwd=self.folder)
        log.close()

    def mobula(self, name, program, *options):
        self.start(name, self.programs / program, *options)

    def log(self, name):
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def kill(self, name):
        self.running[name].kill()
        self.running.pop(name).wait()

    def stop_all(self):
        for each in self.running.values():
            each.kill()
        for each in self.running.values():
            each.wait()


class Cluster:
    def __init__(self, programs, folder):
        self.processes = Processes(programs, folder)
        self.folder = folder
        self.starts = dict.fromkeys((f"n{i}" for i in range(NODES)), 0)
        subprocess.run([programs / "mobula-compile", ROOT / "tests/server/levels/hamlet.json", "-o", folder / "level"],
                       check=True, stdout=subprocess.DEVNULL)
        subprocess.run([programs / "mobula-token", "--new-key", folder / "key"], check=True, stdout=subprocess.DEVNULL)
        self.start_etcd()
        self.processes.mobula("cluster", "mobula-cluster", "serve", "--etcd", self.etcd, "--key-file", "key", "--port", "0")
        self.url = wait(lambda: self.found("cluster", r"http://127\.0\.0\.1:\d+"), "mobula-cluster")
        for node in self.starts:
            self.start_node(node)
        game = wait(self.game, "a node")
        self.worlds = [f"w{i}" for i in range(NODES)]
        for world in self.worlds:
            wait(lambda world=world: ask(f"{self.url}/worlds", {"world": world, "game": game}), world)
        for world in self.worlds:
            wait(lambda world=world: self.admin_of(world), f"{world} is open")

    def found(self, name, pattern):
        all_of_them = re.findall(pattern, self.processes.log(name))
        return all_of_them[0] if all_of_them else None

    def start_etcd(self):
        clients, peers = (free_ports(3) for _ in range(2))
        members = ",".join(f"m{i}=http://127.0.0.1:{peers[i]}" for i in range(3))
        for i in range(3):
            client, peer = f"http://127.0.0.1:{clients[i]}", f"http://127.0.0.1:{peers[i]}"
            self.processes.start(f"etcd{i}", ETCD, "--name", f"m{i}", "--data-dir", f"m{i}", "--listen-client-urls", client,
                                 "--advertise-client-urls", client, "--listen-peer-urls", peer,
                                 "--initial-advertise-peer-urls", peer, "--initial-cluster", members, "--unsafe-no-fsync")
        self.etcd = ",".join(f"http://127.0.0.1:{port}" for port in clients)

    def start_node(self, node):
        """Each start has a name of its own, since a lease outlives a killed node."""
        self.starts[node] += 1
        name = f"{node}.{self.starts[node]}"
        self.processes.mobula(name, "mobula-server", "--cluster", self.etcd, "--node", name, "--capacity", f"worlds={NODES}",
                              "--port", "0", "--admin-port", "0", "--key-file", "key", "--db", self.folder, "--level", "level",
                              "--public-address", "127.0.0.1", "--checkpoint-seconds", "0.5", "--rejoin-grace-seconds", "60")

    def game(self):
        nodes = ask(f"{self.url}/nodes")
        return nodes["nodes"][0]["game"] if nodes and nodes["nodes"] else None

    def admin_of(self, world):
        """Returns the admin address of the node that has the world open, or None."""
        record = ask(f"{self.url}/worlds/{world}")
        if not record or record["state"] != "open":
            return None
        port = self.found(record["node"], r"admin address http://127\.0\.0\.1:(\d+)")
        return port and f"http://127.0.0.1:{port}/api"

    def sessions(self, world):
        """Returns the players of a world, disconnected ones included. None if it is not open."""
        admin = self.admin_of(world)
        answer = admin and ask(f"{admin}/sessions?world={world}&limit=500")
        return None if not answer else [each for each in answer["sessions"] if not each["spectator"]]

    def tags(self, world, player):
        admin = self.admin_of(world)
        entity = ask(f"{admin}/entities/{player['entity']}?world={world}")
        values = {each["path"]: each["value"] for component in entity["components"] if component["name"] == "Avatar"
                  for each in component["properties"]}
        return values["tags"]


class Roaming:
    def __init__(self, cluster, seed):
        self.cluster = cluster
        self.random = random.Random(seed)
        self.place = {}  # world by account
        self.handoffs = self.kills = 0
        for i in range(PLAYERS):
            self.enter(f"roamer-{i}", cluster.worlds[i % NODES], 1000 + i)

    def enter(self, account, world, tags):
        self.cluster.processes.mobula(account, "mobula-client", "--cluster", self.cluster.url, "--world", world, "--account",
                                      account, "--name", account)
        player = wait(lambda: self.playing(account, world), f"{account} plays in {world}")
        admin = self.cluster.admin_of(world)
        put(f"{admin}/entities/{player['entity']}/Avatar/tags?world={world}", tags)
        self.place[account] = world

    def all_of(self, world):
        """Returns the accounts of a world and the empty one. None if it is not open."""
        players = self.cluster.sessions(world)
        return None if players is None else {"", *(each["account"] for each in players)}

    def playing(self, account, world):
        for each in self.cluster.sessions(world) or []:
            if each["account"] == account and each["state"] == "playing" and each["entity"]:
                return each
        return None

    def send(self, account):
        """Sends a player to another world. A node that was killed may have forgotten it: then it is sent again."""
        source = self.place[account]
        target = self.random.choice([world for world in self.cluster.worlds if world != source])

        def arrives():
            if self.playing(account, target):
                return True
            player, admin = self.playing(account, source), self.cluster.admin_of(source)
            if player and admin:
                ask(f"{admin}/sessions/{player['player']}/send?world={source}", {"target": target})
            return False

        wait(arrives, f"{account} crosses from {source} to {target}")
        self.place[account] = target
        self.handoffs += 1

    def kill(self):
        node = self.random.choice(list(self.cluster.starts))
        self.cluster.processes.kill(f"{node}.{self.cluster.starts[node]}")
        self.cluster.start_node(node)
        self.kills += 1

    def roam(self, handoffs, kills):
        accounts = list(self.place)
        kill_at = sorted(self.random.sample(range(handoffs), kills))
        while self.handoffs < handoffs:
            while kill_at and kill_at[0] <= self.handoffs:
                kill_at.pop(0)
                self.kill()
            self.send(self.random.choice(accounts))

    def judge(self):
        """Returns the numbers of players that are lost, and duplicated."""
        for account, world in self.place.items():
            wait(lambda account=account, world=world: self.playing(account, world), f"{account} plays in {world}")
        everywhere = {world: wait(lambda world=world: self.all_of(world), f"{world} is open") for world in self.cluster.worlds}
        lost = duplicated = 0
        for i, account in enumerate(self.place):
            worlds = [world for world, accounts in everywhere.items() if account in accounts]
            player = worlds and self.playing(account, worlds[0])
            same = player and self.cluster.tags(worlds[0], player) == 1000 + i
            lost += not same
            duplicated += len(worlds) > 1
            if not same or len(worlds) > 1:
                print(f"{account} is in {worlds}, expected in {self.place[account]}: {player}", file=sys.stderr)
        return lost, duplicated

    def mismatches(self):
        total = 0
        for account in self.place:
            process = self.cluster.processes.running.pop(account)
            process.terminate()
            process.wait()
            total += json.loads(self.cluster.processes.log(account).splitlines()[-1])["mismatched_ticks"]
        return total


def main(programs, handoffs, kills, seed):
    folder = Path(tempfile.mkdtemp(prefix="mobula-roam-"))
    failed = True
    cluster = None
    try:
        cluster = Cluster(programs, folder)
        roaming = Roaming(cluster, seed)
        roaming.roam(handoffs, kills)
        lost, duplicated = roaming.judge()
        mismatched = roaming.mismatches()
        print(json.dumps({"handoffs": roaming.handoffs, "kills": roaming.kills, "lost": lost, "duplicated": duplicated,
                          "mismatched": mismatched}))
        failed = bool(lost or duplicated or mismatched)
    finally:
        if cluster:
            cluster.processes.stop_all()
        if failed:
            print(f"seed {seed}; the logs are in {folder}", file=sys.stderr)
        else:
            shutil.rmtree(folder)
    return int(failed)


if __name__ == "__main__":
    if not os.path.exists(ETCD):
        sys.exit(77)
    given = [int(each) for each in sys.argv[2:]]
    sys.exit(main(Path(sys.argv[1]).resolve(), given[0], given[1], given[2] if len(given) > 2 else random.randrange(1 << 32)))
