"""The village in four zones on four nodes, for zones.py and show.py: its counters, its entities on their way and saved."""
import base64
import json
import re
import sqlite3
import subprocess
import urllib.request
from collections import Counter, defaultdict

from real_cluster import ask, wait

NODES = 4
LEVEL = "server/examples/demo/level/village.json"
MAP = {"zones": [{"name": "nw", "x": [None, 0], "z": [0, None]}, {"name": "ne", "x": [0, None], "z": [0, None]},
                 {"name": "sw", "x": [None, 0], "z": [None, 0]}, {"name": "se", "x": [0, None], "z": [None, 0]}],
       "hysteresis": 1}
WRONG = ["lost", "duplicated", "commands_twice", "mismatched", "ghost_mismatches"]  # each is 0


def count_metrics(text):
    totals = Counter()
    for name, value in re.findall(r"^(mobula_zone_\w+){[^}]*} (\S+)$", text, re.MULTILINE):
        totals[name] += float(value)
    return totals


class Land:
    def __init__(self, cluster):
        self.cluster = cluster
        self.newest = {}  # counters by process

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

    def handoffs(self):
        """One zone counts the departure, and another the arrival."""
        return int(self.measure()["mobula_zone_crossings_total"] / 2)

    def level_size(self):
        """Returns the number of the level's entities without pickups: one that was taken is missing until it respawns."""
        inspected = subprocess.run([self.cluster.processes.programs / "mobula-compile", "inspect", self.cluster.folder / "level"],
                                   check=True, capture_output=True, text=True).stdout
        entities, pickups = (int(re.search(each, inspected)[1]) for each in (r"(\d+) entities", r"Pickup +Pickup +(\d+)"))
        return entities - pickups

    def records(self):
        """Returns the entities that are on their way, by etcd."""
        prefix = base64.b64encode(b"mobula/crossings/").decode()
        end = base64.b64encode(b"mobula/crossings0").decode()
        answer = wait(lambda: ask(f"{self.cluster.etcd.split(',')[0]}/v3/kv/range", {"key": prefix, "range_end": end}), "etcd")
        records = [json.loads(base64.b64decode(each["value"])) for each in answer.get("kvs", [])]
        return {entity for record in records if record["pack"] for entity in record["entities"]}

    def saved(self):
        """Stops all nodes. Returns the worlds of each entity, the pickups, and the tags of all avatars."""
        for name, process in list(self.cluster.processes.running.items()):
            if name.startswith("n"):
                process.terminate()
                process.wait()
        newest = {}
        for file in self.cluster.saves.glob("land.*.db"):
            world, epoch = re.fullmatch(r"(land\..+)\.(\d+)\.db", file.name).groups()
            newest[world] = max(newest.get(world, (0, None)), (int(epoch), file))
        worlds, pickups, tags = defaultdict(list), set(), []
        for world, (_, file) in newest.items():
            with sqlite3.connect(file) as database:
                for handle, in database.execute("SELECT handle FROM entities"):
                    worlds[handle].append(world)
                pickups |= {handle for handle, in database.execute("SELECT handle FROM Pickup")}
                tags += [each for each, in database.execute("SELECT tags FROM Avatar")]
        return worlds, pickups, tags

    def judge(self, players):
        """Stops all nodes. Returns what became of the level's entities and the players, and the tags of the avatars."""
        counters = self.measure()
        worlds, pickups, tags = self.saved()
        moving = self.records()
        everywhere = (set(worlds) | moving) - pickups
        return {"lost": self.level_size() + players - len(everywhere),
                "duplicated": sum(len(each) > 1 for handle, each in worlds.items() if handle not in moving),
                "ghost_mismatches": int(counters["mobula_zone_ghosts_corrected_total"] +
                                        counters["mobula_zone_mirror_mismatches_total"]),
                "ghost_checks": int(counters["mobula_zone_ghost_checks_total"] +
                                    counters["mobula_zone_mirror_checks_total"])}, tags, moving
