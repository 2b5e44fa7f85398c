#!/usr/bin/env python3
"""Lets the entities of a world in four zones roam, and harms it: zones.py BIN HANDOFFS FAULTS [SEED]

Three members of etcd, mobula-cluster, and four nodes with a zone each. Bots walk about, count in the chat, and are put
beyond borders. A player with the client of TypeScript counts too, if that is built and Node is installed. Mobs cross
borders by themselves. A zone is cut in two, and later merged again. In the end all nodes are stopped, and their saves are read. A line of JSON:

  handoffs            crossings that arrived in another zone: of a player, or of entities without one that left together
  kills               nodes that were killed by SIGKILL; another process was started in place of each, as below
  pauses              nodes that were stopped by SIGSTOP for longer than their lease, and then ended by themselves
  ends                nodes that were ended by SIGTERM
  etcd_kills          members of etcd that were killed by SIGKILL, and started again
  etcd_outages        times that two or three members of etcd were killed, for longer than leases. No node ended
  cuts                nodes that were cut off from etcd for longer than their lease, and then ended by themselves
  partitions          nodes that were cut off from clients and neighbours for longer than the timeout of sessions
  full_disks          times that no space was left for saves while a node was killed. No other node ended
  clock_jumps         nodes whose date was wrong for some seconds, by up to an hour. No node ended
  lost                entities of the level and players that are in no save and no record of etcd, and players that
                      are not the same any more
  duplicated          entities that are in several saves, and in no record
  commands_twice      numbers that a bot has received twice: the server has executed a command twice
  mismatched          ticks in which the mirror of a bot was wrong
  ghost_mismatches    ticks of neighbours whose hash was wrong, and ghosts that were not as the mirror has them
  ghost_checks        comparisons of both kinds
  web                 what the client of TypeScript has counted, see client/web/test/cluster/web_player.ts

Status 0 if the five are 0. Status 77 without etcd. The logs are kept if it fails.
"""
import json
import os
import random
import sys
import time
from collections import Counter
from pathlib import Path

from land import LEVEL, MAP, NODES, WRONG, Land
from real_cluster import ETCD, FAULTS, NETWORK, Cluster, ask, folder_of_logs, own_network, put, wait

BOTS = 8
WEB = "web-1"
TAGS = 1000  # the tags of account i are TAGS + i
PLACES = [(x, z) for x in (-9, 9) for z in (-9, 9)]  # one in each zone


class Zones(Land):
    def __init__(self, cluster, seed):
        super().__init__(cluster)
        self.random = random.Random(seed)
        self.harms = dict.fromkeys(FAULTS, 0)
        self.accounts = [f"bot-{i + 1}" for i in range(BOTS)]
        cluster.start_bots(BOTS, cluster.worlds[0], NETWORK)
        self.has_web = cluster.start_web_player(cluster.worlds[0], WEB)
        if self.has_web:
            self.accounts.append(WEB)
        for i, account in enumerate(self.accounts):
            wait(lambda account=account, i=i: self.mark(account, TAGS + i), f"{account} plays")
        cluster.wait_until_saved()

    def mark(self, account, tags):
        """A player that crosses meanwhile is marked where it is a ghost, which does not last."""
        if account == WEB and self.cluster.processes.running[WEB].poll() is not None:  # a slow machine: no first handshake
            self.cluster.start_web_player(self.cluster.worlds[0], WEB)
        found = self.find(account)
        if found:
            put(f"{self.cluster.admin_of(found[1])}/entities/{found[0]['entity']}/Avatar/tags?world={found[1]}", tags)
            time.sleep(0.3)
        return found and self.has(account, tags)

    def has(self, account, tags):
        """Returns whether a player has its tags. One that plays before it has arrived from another zone has none yet."""
        found = self.find(account)
        return found and self.cluster.tags(found[1], found[0]) == tags

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

    def roam(self, handoffs, faults):
        harm_at = sorted(self.random.sample(range(handoffs), faults))
        change_at = [(handoffs // 3, self.split), (2 * handoffs // 3, self.merge)]
        begun = time.monotonic()
        while True:
            crossed = self.handoffs()
            while harm_at and harm_at[0] <= crossed:
                harm_at.pop(0)
                self.harms[self.cluster.harm(self.random)] += 1
            while change_at and change_at[0][0] <= crossed:
                change_at.pop(0)[1]()
            if crossed >= handoffs and not harm_at:
                return crossed
            if time.monotonic() - begun > 120 + 2 * handoffs:
                raise TimeoutError(f"{crossed} handoffs")
            self.move(self.random.choice(self.accounts))

    def split(self):
        self.change_map("split", {"zone": "ne", "name": "far", "x": 5}, lambda zones: len(zones) == 5)
        self.cluster.worlds.append("land.far")

    def merge(self):
        self.change_map("merge", {"zone": "far", "into": "ne"}, lambda zones: zones[-1]["merged"])

    def change_map(self, how, order, done):
        """An answer may be lost, so the map counts."""
        def is_done():
            ask(f"{self.cluster.url}/maps/land/{how}", order)
            answer = ask(f"{self.cluster.url}/maps/land")
            return answer and done(answer["zones"])
        wait(is_done, how)

    def settle(self):
        """Waits until no crossing is on its way for long."""
        self.cluster.wait_until_open(self.cluster.worlds)
        for i, account in enumerate(self.accounts):
            wait(lambda account=account, i=i: self.has(account, TAGS + i), f"{account} plays")


def main(programs, handoffs, faults, seed):
    with folder_of_logs("mobula-zones-", seed) as (folder, clusters):
        cluster = Cluster(programs, folder, NODES, LEVEL)
        clusters.append(cluster)
        cluster.create_zones("land", MAP)
        zones = Zones(cluster, seed)
        crossed = zones.roam(handoffs, faults)
        zones.settle()
        players = len(zones.accounts)
        judged, tags, moving = zones.judge(players)
        known = Counter(tags)
        judged["lost"] += sum(known[TAGS + i] != 1 for i in range(players)) if not moving else 0
        judged |= cluster.end_bots()
        if zones.has_web:
            judged["web"] = cluster.end_web_player(WEB)
            for each in ("mismatched", "commands_twice"):
                judged[each] += judged["web"][each]
        print(json.dumps({"handoffs": crossed, **zones.harms, **judged}))
        assert not any(judged[each] for each in WRONG)
        cluster.processes.expect_ends()


if __name__ == "__main__":
    if not os.path.exists(ETCD):
        sys.exit(77)
    own_network.enter()
    given = [int(each) for each in sys.argv[2:]]
    main(Path(sys.argv[1]).resolve(), given[0], given[1], given[2] if len(given) > 2 else random.randrange(1 << 32))
