#!/usr/bin/env python3
"""Sends players between the worlds of a cluster of real processes, and harms it: roam.py BIN HANDOFFS FAULTS [SEED]

Three members of etcd, mobula-cluster, four nodes with a world each, and bots that follow their players and count in the
chat. Each player has a number of tags of its own, which does not change, and by which it is recognised. A line of JSON:

  handoffs     crossings after which the client played in the other world
  kills        nodes that were killed by SIGKILL; another process was started in place of each, as below
  pauses       nodes that were stopped by SIGSTOP for longer than their lease, and then ended by themselves
  ends         nodes that were ended by SIGTERM
  etcd_kills   members of etcd that were killed by SIGKILL, and started again
  etcd_outages times that two or three members of etcd were killed, for longer than leases. No node ended
  cuts         nodes that were cut off from etcd for longer than their lease, and then ended by themselves
  partitions   nodes that were cut off from clients for longer than the timeout of sessions
  full_disks   times that no space was left for saves while a node was killed. No other node ended
  clock_jumps  nodes whose date was wrong for some seconds, by up to an hour. No node ended
  lost         players who are in no world at the end, or are not the same any more
  duplicated   players who are in several worlds at the end
  mismatched   ticks in which the mirror of a bot was wrong
  commands_twice
               numbers that a bot has received twice: the server has executed a command twice

Status 0 if the last four are 0. Status 77 without etcd. The logs are kept if it fails.
"""
import json
import os
import random
import sys
from pathlib import Path

from real_cluster import ETCD, FAULTS, NETWORK, Cluster, ask, folder_of_logs, own_network, put, wait

NODES = 4
PLAYERS = 6


class Roaming:
    def __init__(self, cluster, seed):
        self.cluster = cluster
        self.random = random.Random(seed)
        self.place = {}  # world by account
        self.handoffs = 0
        self.harms = dict.fromkeys(FAULTS, 0)
        cluster.start_bots(PLAYERS, cluster.worlds[0], NETWORK)
        for i in range(PLAYERS):
            self.mark(f"bot-{i + 1}", cluster.worlds[0], 1000 + i)
        cluster.wait_until_saved()

    def mark(self, account, world, tags):
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
        """Sends a player to another world. A node that was harmed may have forgotten it: then it is sent again."""
        source = self.place[account]
        target = self.random.choice([world for world in self.cluster.worlds if world != source])

        def arrives():
            if self.playing(account, target):
                return True
            if self.playing(account, source):
                ask(f"{self.cluster.url}/players", {"world": target, "account": account})
            return False

        wait(arrives, f"{account} crosses from {source} to {target}")
        self.place[account] = target
        self.handoffs += 1

    def roam(self, handoffs, faults):
        accounts = list(self.place)
        harm_at = sorted(self.random.sample(range(handoffs), faults))
        while self.handoffs < handoffs:
            while harm_at and harm_at[0] <= self.handoffs:
                harm_at.pop(0)
                self.harms[self.cluster.harm(self.random)] += 1
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
        return {"lost": lost, "duplicated": duplicated}


def main(programs, handoffs, faults, seed):
    with folder_of_logs("mobula-roam-", seed) as (folder, clusters):
        cluster = Cluster(programs, folder, NODES, "tests/server/levels/hamlet.json")
        clusters.append(cluster)
        cluster.create_worlds([f"w{i}" for i in range(NODES)])
        roaming = Roaming(cluster, seed)
        roaming.roam(handoffs, faults)
        wrong = roaming.judge() | cluster.end_bots()
        print(json.dumps({"handoffs": roaming.handoffs, **roaming.harms, **wrong}))
        assert not any(wrong.values())
        cluster.processes.expect_ends()


if __name__ == "__main__":
    if not os.path.exists(ETCD):
        sys.exit(77)
    own_network.enter()
    given = [int(each) for each in sys.argv[2:]]
    main(Path(sys.argv[1]).resolve(), given[0], given[1], given[2] if len(given) > 2 else random.randrange(1 << 32))
