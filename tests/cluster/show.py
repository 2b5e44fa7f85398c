#!/usr/bin/env python3
"""Shows a cluster at work: show.py BIN SECONDS [--open]

Three members of etcd, mobula-cluster, four nodes, and the village in a zone on each. Bots roam through it, and one node is
killed. It prints what happens, and in the end a line of JSON as zones.py does. --open opens the map in the browser.
Ctrl-C ends it earlier. Status 0 if nothing was lost. Status 77 without etcd.
"""
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from land import LEVEL, MAP, NODES, WRONG, Land
from real_cluster import ETCD, Cluster, folder_of_logs, wait

BOTS = 6
PORT = 7790
KILL_AFTER = 0.4  # share of the time


class Show(Land):
    def __init__(self, cluster, seconds):
        super().__init__(cluster)
        self.began = time.monotonic()
        self.end = self.began + seconds
        self.kill_at = self.began + seconds * KILL_AFTER
        self.kills = 0
        self.at = {}  # zone of each bot
        self.seen = {}  # zones in which each bot was

    def say(self, text):
        print(f"{time.monotonic() - self.began:5.1f} s  {text}", flush=True)

    def let_bots_in(self):
        self.cluster.start_bots(BOTS, "land.nw")
        wait(lambda: len(self.where()) == BOTS, "the bots play")
        self.cluster.wait_until_saved()

    def where(self):
        """Returns the zone of each bot that plays."""
        found = {}
        for world in self.cluster.worlds:
            for each in self.cluster.sessions(world) or []:
                if each["account"].startswith("bot-") and each["state"] == "playing" and each["entity"]:
                    found[each["account"]] = world.split(".")[1]
        return found

    def watch(self):
        for bot, zone in self.where().items():
            if self.at.get(bot) not in (None, zone):
                self.say(f"{bot} walks from {self.at[bot]} to {zone}")
            self.at[bot] = zone
            seen = self.seen.setdefault(bot, set())
            if zone not in seen and len(seen) == 3:
                self.say(f"{bot} was in all four zones")
            seen.add(zone)

    def kill(self):
        node, start = next(iter(self.cluster.starts.items()))
        name = f"{node}.{start}"
        worlds = [world for world in self.cluster.worlds if (self.cluster.record(world) or {}).get("node") == name]
        self.say(f"{name}, which has {' and '.join(worlds) or 'no zone'}, is killed")
        self.cluster.processes.kill(name)
        self.cluster.start_node(node)
        killed = time.monotonic()
        for world in worlds:
            record = wait(lambda world=world: self.opened_elsewhere(world, name), f"{world} is open again")
            self.say(f"{world} is open again on {record['node']}, {time.monotonic() - killed:.1f} s later")
        self.kills += 1

    def opened_elsewhere(self, world, node):
        record = self.cluster.record(world)
        return record if record and record["state"] == "open" and record["node"] != node else None

    def run(self):
        while time.monotonic() < self.end:
            self.watch()
            if not self.kills and time.monotonic() > self.kill_at:
                self.kill()
            time.sleep(0.3)


def usual_port():
    """Returns the port of mobula-cluster, or 0 if another program has it."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", PORT))
        except OSError:
            return 0
    return PORT


def main(programs, seconds, opens):
    with folder_of_logs("mobula-cluster-", 0) as (folder, clusters):
        cluster = Cluster(programs, folder, NODES, LEVEL, port=usual_port())
        clusters.append(cluster)
        cluster.create_zones("land", MAP)
        show = Show(cluster, seconds)
        print(f"Map, nodes and worlds: {cluster.url}/\n"
              f"{NODES} nodes with a zone each, {BOTS} bots that roam. A node is killed after {seconds * KILL_AFTER:.0f} s.", flush=True)
        if opens:
            subprocess.Popen(["xdg-open", f"{cluster.url}/"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        show.let_bots_in()
        try:
            show.run()
        except KeyboardInterrupt:
            show.say("stopped")
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the second Ctrl-C
        wait(lambda: len(show.where()) == BOTS, "all bots play")
        crossed = show.handoffs()
        judged, _, _ = show.judge(BOTS)
        judged |= cluster.end_bots()
        print(json.dumps({"handoffs": crossed, "kills": show.kills, **judged}))
        assert not any(judged[each] for each in WRONG)


if __name__ == "__main__":
    if not os.path.exists(ETCD):
        sys.exit(77)
    main(Path(sys.argv[1]).resolve(), float(sys.argv[2]), "--open" in sys.argv and shutil.which("xdg-open"))
