#!/usr/bin/env python3
"""Lets the entities of a world in four zones roam, and harms it: zones.py BIN HANDOFFS FAULTS [SEED]

Three members of etcd, mobula-cluster, and four nodes with a zone each. Players are put beyond borders, and their clients
follow. Mobs cross borders by themselves. In the end all nodes are stopped, and their saves are read. A line of JSON:

  handoffs            roots of entities that arrived in another zone
  kills               nodes that were killed by SIGKILL; another process was started in place of each, as below
  pauses              nodes that were stopped by SIGSTOP for longer than their lease, and then ended by themselves
  ends                nodes that were ended by SIGTERM
  etcd_kills          members of etcd that were killed by SIGKILL, and started again
  lost                entities of the level and players that are in no save and no record of etcd, and players that
                      are not the same any more
  duplicated          entities that are in several saves, and in no record
  mismatched          ticks in which the mirror of a client was wrong
  ghost_mismatches    ticks of neighbours whose hash was wrong, and ghosts that were not as the mirror has them
  ghost_checks        comparisons of both kinds

Status 0 if the four are 0. Status 77 without etcd. The logs are kept if it fails.
"""
import base64
import json
import os
import random
import re
import sqlite3
import sys
import time
import urllib.request
from collections import Counter, defaultdict
from pathlib import Path

from real_cluster import ETCD, FAULTS, Cluster, ask, folder_of_logs, put, wait

NODES = 4
PLAYERS = 4
TAGS = 1000  # the tags of player i are TAGS + i
MAP = {"zones": [{"name": "nw", "x": [None, 0], "z": [None, 0]}, {"name": "ne", "x": [0, None], "z": [None, 0]},
                 {"name": "sw", "x": [None, 0], "z": [0, None]}, {"name": "se", "x": [0, None], "z": [0, None]}],
       "hysteresis": 1}
PLACES = [(x, z) for x in (-9, 9) for z in (-9, 9)]  # one in each zone


def count_metrics(text):
    totals = Counter()
    for name, value in re.findall(r"^(mobula_zone_\w+){[^}]*} (\S+)$", text, re.MULTILINE):
        totals[name] += float(value)
    return totals


class Zones:
    def __init__(self, cluster, seed):
        self.cluster = cluster
        self.random = random.Random(seed)
        self.newest = {}  # counters by process
        self.harms = dict.fromkeys(FAULTS, 0)
        for i in range(PLAYERS):
            self.enter(f"roamer-{i}", cluster.worlds[i % len(cluster.worlds)], TAGS + i)
        cluster.wait_until_saved()

    def enter(self, account, world, tags):
        self.cluster.processes.mobula(account, "mobula-client", "--cluster", self.cluster.url, "--world", world, "--account",
                                      account, "--name", account)
        wait(lambda: self.mark(account, tags), f"{account} plays")

    def mark(self, account, tags):
        """A player that crosses meanwhile is marked where it is a ghost, which does not last."""
        found = self.find(account)
        if found:
            put(f"{self.cluster.admin_of(found[1])}/entities/{found[0]['entity']}/Avatar/tags?world={found[1]}", tags)
            time.sleep(0.3)
        now = found and self.find(account)
        return now and now[1] == found[1] and self.cluster.tags(found[1], found[0]) == tags

    def find(self, account):
        """Returns the player and its world. None while it plays nowhere."""
        for world in self.cluster.worlds:
            for each in self.cluster.sessions(world) or []:
                if each["account"] == account and each["state"] == "playing" and each["entity"]:
                    return each, world
        return None

    def move(self, account):
        """Puts a player to another place, mostly beyond a border. Killed nodes do not answer."""
        found = self.find(account)
        admin = found and self.cluster.admin_of(found[1])
        if not admin:
            return
        for axis, value in zip("xz", self.random.choice(PLACES)):
            try:
                put(f"{admin}/entities/{found[0]['entity']}/Pose/position.{axis}?world={found[1]}", value)
            except OSError:
                return

    def measure(self):
        """Reads the counters of all nodes, which those of ended ones are added to. Returns the sums."""
        for name in list(self.cluster.processes.running):
            port = name.startswith("n") and self.cluster.found(name, r"admin address http://127\.0\.0\.1:(\d+)")
            if not port:
                continue
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
                    self.newest[name] = count_metrics(answer.read().decode())
            except OSError:
                pass
        return sum(self.newest.values(), Counter())

    def roam(self, handoffs, faults):
        harm_at = sorted(self.random.sample(range(handoffs), faults))
        begun = time.monotonic()
        while True:
            # One zone counts the departure, and another the arrival.
            crossed = self.measure()["mobula_zone_crossings_total"] / 2
            while harm_at and harm_at[0] <= crossed:
                harm_at.pop(0)
                self.harms[self.cluster.harm(self.random)] += 1
            if crossed >= handoffs and not harm_at:
                return int(crossed)
            if time.monotonic() - begun > 120 + 2 * handoffs:
                raise TimeoutError(f"{crossed} handoffs")
            self.move(f"roamer-{self.random.randrange(PLAYERS)}")

    def settle(self):
        """Waits until no crossing is on its way for long."""
        self.cluster.wait_until_open(self.cluster.worlds)
        for i in range(PLAYERS):
            wait(lambda i=i: self.find(f"roamer-{i}"), f"roamer-{i} plays")

    def mismatches(self):
        total = 0
        for i in range(PLAYERS):
            process = self.cluster.processes.running.pop(f"roamer-{i}")
            process.terminate()
            process.wait()
            log = self.cluster.processes.log(f"roamer-{i}")
            total += json.loads(re.findall(r"^{.*}$", log, re.MULTILINE)[-1])["mismatched_ticks"]
        return total

    def records(self):
        """Returns the entities that are on their way, by etcd."""
        prefix = base64.b64encode(b"mobula/crossings/").decode()
        end = base64.b64encode(b"mobula/crossings0").decode()
        answer = wait(lambda: ask(f"{self.cluster.etcd.split(',')[0]}/v3/kv/range", {"key": prefix, "range_end": end}), "etcd")
        records = [json.loads(base64.b64decode(each["value"])) for each in answer.get("kvs", [])]
        return {entity for record in records if record["pack"] for entity in record["entities"]}

    def saved(self):
        """Stops all nodes. Returns the worlds of each entity, and the tags of all avatars."""
        for name, process in list(self.cluster.processes.running.items()):
            if name.startswith("n"):
                process.terminate()
                process.wait()
        newest = {}
        for file in self.cluster.folder.glob("land.*.db"):
            world, epoch = re.fullmatch(r"(land\..+)\.(\d+)\.db", file.name).groups()
            newest[world] = max(newest.get(world, (0, None)), (int(epoch), file))
        worlds, tags = defaultdict(list), []
        for world, (_, file) in newest.items():
            with sqlite3.connect(file) as database:
                for handle, in database.execute("SELECT handle FROM entities"):
                    worlds[handle].append(world)
                tags += [each for each, in database.execute("SELECT tags FROM Avatar")]
        return worlds, tags


def main(programs, handoffs, faults, seed):
    with folder_of_logs("mobula-zones-", seed) as (folder, clusters):
        cluster = Cluster(programs, folder, NODES, "server/examples/demo/level/village.json")
        clusters.append(cluster)
        cluster.create_zones("land", MAP)
        zones = Zones(cluster, seed)
        crossed = zones.roam(handoffs, faults)
        zones.settle()
        counters = zones.measure()
        worlds, tags = zones.saved()
        moving = zones.records()
        mismatched = zones.mismatches()
        everywhere = set(worlds) | moving
        level = int(re.search(r"(\d+) entities", (folder / "compiled").read_text())[1])
        known = Counter(tags)
        strangers = sum(known[TAGS + i] != 1 for i in range(PLAYERS)) if not moving else 0
        lost = level + PLAYERS - len(everywhere) + strangers
        result = {"handoffs": crossed, **zones.harms, "lost": lost,
                  "duplicated": sum(len(each) > 1 for handle, each in worlds.items() if handle not in moving),
                  "mismatched": mismatched,
                  "ghost_mismatches": int(counters["mobula_zone_ghosts_corrected_total"] +
                                          counters["mobula_zone_mirror_mismatches_total"]),
                  "ghost_checks": int(counters["mobula_zone_ghost_checks_total"] + counters["mobula_zone_mirror_checks_total"])}
        print(json.dumps(result))
        assert not (result["lost"] or result["duplicated"] or mismatched or result["ghost_mismatches"])
        cluster.processes.expect_ends()


if __name__ == "__main__":
    if not os.path.exists(ETCD):
        sys.exit(77)
    given = [int(each) for each in sys.argv[2:]]
    main(Path(sys.argv[1]).resolve(), given[0], given[1], given[2] if len(given) > 2 else random.randrange(1 << 32))
