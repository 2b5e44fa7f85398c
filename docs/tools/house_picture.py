"""The rooms of the tree and their arrows, from the table of tests/layering.sh.

An arrow goes from a room to one that it may include. Arrows that follow from others are left out. Rooms stand in
levels, each above all that it may include; the order within a level keeps arrows short.
"""

import re

from drawing import Drawing, number

LEVEL_HEIGHT = 64
BOX_HEIGHT = 32
GAP = 16
LETTER_WIDTH = 8.0
SWEEPS = 24
STRAIGHT = 6  # how much more the straightness of a long arrow counts than its ends
MARGIN = 26
CPP = frozenset({""})  # the rooms of C++, which stand below no root


def rows_of(table, name):
    found = re.search(rf"^{name}='\n(.*?)^'$", table, re.MULTILINE | re.DOTALL)
    return [line.split() for line in found[1].split("\n") if line.strip()] if found else []


def rooms_of(table):
    """Returns {room: rooms it may include} of the script's text, each after all that it may include.

    A header of its own, such as server.hpp, is a room too. A room whose row names nothing includes those headers alone
    that the table of other headers gives it.
    """
    rooms = {row[0]: row[1:] for row in rows_of(table, "rooms")}
    if not rooms:
        raise ValueError("tests/layering.sh has no table of rooms")
    for header, *places in rows_of(table, "others"):
        header = header.removeprefix("mobula/")
        for room, below in rooms.items():
            if header in rooms and room.split("/")[0] in places and all(each.endswith(".hpp") for each in below):
                below.append(header)
    ordered = {}

    def add(room):
        if room not in ordered:
            for each in rooms[room]:
                add(each)
            ordered[room] = rooms[room]

    for room in rooms:
        add(room)
    return ordered


def reduced(rooms):
    """Leaves out what is reached through another room."""
    reached = {}
    for room, below in rooms.items():
        reached[room] = set(below).union(*(reached[each] for each in below))
    return {room: [each for each in below if not any(each in reached[other] for other in below)]
            for room, below in rooms.items()}


def kind_of(room):
    if re.match(r"(server|client)[/.]", room):
        return room[:6]
    if room.startswith(("web/", "play/", "inspector/")):
        return "client"
    return "program" if room.split("/")[0] in ("examples", "token", "cluster", "demo", "headless", "bots", "lobby") else "shared"


def levels_of(rooms):
    """Each room stands right above the highest that it may include, those of server and client as high as they may."""
    level = {}
    for room, below in rooms.items():
        level[room] = 1 + max((level[each] for each in below), default=-1)
    for room in reversed(list(rooms)):
        above = [level[other] for other, below in rooms.items() if room in below]
        if above and kind_of(room) != "shared":
            level[room] = min(above) - 1
    return level


class Layout:
    """Where everything stands. A long arrow has a point, a list (from, to, level), in each level that it crosses."""

    def __init__(self, rooms):
        self.edges = [(room, each) for room, below in reduced(rooms).items() for each in below]
        self.level = levels_of(rooms)
        self.chains = {}
        self.rows = [[] for _ in range(max(self.level.values()) + 1)]
        for room in rooms:
            self.rows[self.level[room]].append(room)
        for high, low in self.edges:
            chain = [high]
            for level in range(self.level[high] - 1, self.level[low], -1):
                chain.append((high, low, level))
                self.rows[level].append(chain[-1])
            self.chains[high, low] = chain + [low]
        self.neighbours = {}
        for chain in self.chains.values():
            for above, below in zip(chain, chain[1:]):
                self.neighbours.setdefault(above, ([], []))[1].append(below)
                self.neighbours.setdefault(below, ([], []))[0].append(above)
        self.x = {}
        self.order()
        self.place()

    def width(self, node):
        return len(node) * LETTER_WIDTH + 22 if isinstance(node, str) else 6

    def order(self):
        """Sorts each level by the mean place of the neighbours, up and down in turn; keeps the best order."""
        side = {"server": 0, "shared": 1, "program": 1, "client": 2}
        for row in self.rows:
            row.sort(key=lambda node: side[kind_of(node if isinstance(node, str) else node[0])])
        best, fewest = [list(row) for row in self.rows], self.crossings()
        for sweep in range(SWEEPS):
            upwards = sweep % 2 == 0
            for row in self.rows if upwards else reversed(self.rows):
                places = {node: place for other in self.rows for place, node in enumerate(other)}

                def mean(node):
                    near = self.neighbours.get(node, ([], []))[1 if upwards else 0]
                    return sum(places[each] for each in near) / len(near) if near else places[node]

                row.sort(key=mean)
            if self.crossings() < fewest:
                best, fewest = [list(row) for row in self.rows], self.crossings()
        self.rows = best

    def crossings(self):
        count = 0
        for row, below in zip(self.rows[1:], self.rows):
            place = {node: at for at, node in enumerate(below)}
            ends = [place[each] for node in row for each in sorted(
                (low for low in self.neighbours.get(node, ([], []))[1]), key=lambda low: place[low])]
            count += sum(ends[i] > ends[j] for i in range(len(ends)) for j in range(i + 1, len(ends)))
        return count

    def place(self):
        for row in self.rows:
            self.settle(row, [0.0] * len(row))
        for sweep in range(SWEEPS * 8):
            for row in self.rows if sweep % 2 else reversed(self.rows):
                self.settle(row, [self.mean_x(node) for node in row])
        left = min(self.x[node] - self.width(node) / 2 for row in self.rows for node in row)
        self.x = {node: x - left + MARGIN for node, x in self.x.items()}

    def mean_x(self, node):
        """The mean of the neighbours, where long arrows count most, so that they run straight."""
        near = sum(self.neighbours.get(node, ([], [])), [])
        weights = [STRAIGHT if isinstance(node, tuple) and isinstance(each, tuple) else 1 for each in near]
        return sum(self.x[each] * weight for each, weight in zip(near, weights)) / sum(weights) if near else self.x[node]

    def settle(self, row, wanted):
        """Puts a level's nodes as near as can be to where they are wanted, in order and apart."""
        offsets, at = [], 0.0
        for place, node in enumerate(row):
            if place:
                at += (self.width(row[place - 1]) + self.width(node)) / 2 + GAP
            offsets.append(at)
        blocks = []  # (sum, weight, nodes): isotonic regression of what is left of the offsets
        for node, want, offset in zip(row, wanted, offsets):
            weight = STRAIGHT if isinstance(node, tuple) else 1
            blocks.append(((want - offset) * weight, weight, 1))
            while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] > blocks[-1][0] / blocks[-1][1]:
                blocks[-2:] = [tuple(sum(pair) for pair in zip(*blocks[-2:]))]
        means = [total / weight for total, weight, count in blocks for _ in range(count)]
        for node, mean, offset in zip(row, means, offsets):
            self.x[node] = mean + offset


def chosen(table, roots):
    """Leaves the rooms of some roots. Headers that stand in for others' are no rooms to know."""
    named = {name for _, name in rows_of(table, "roots")}

    def is_chosen(room):
        root = room.split("/")[0]
        return (root if root in named else "") in roots and "/headers/" not in room

    return {room: list(filter(is_chosen, below)) for room, below in rooms_of(table).items() if is_chosen(room)}


def make(table, roots=CPP):
    layout = Layout(chosen(table, roots))
    right = max(layout.x[node] + layout.width(node) / 2 for row in layout.rows for node in row)
    legend = 34
    width, height = round(right + MARGIN), len(layout.rows) * LEVEL_HEIGHT + legend
    drawing = Drawing(width, height, "The rooms of the tree",
                      "Each room may include the rooms that its arrows reach, directly or through others.")

    def top(level):
        return legend + 10 + (len(layout.rows) - 1 - level) * LEVEL_HEIGHT

    for chain in layout.chains.values():
        drawing.curve(way_of(layout, chain, top), "faint")
    for row in layout.rows:
        for node in row:
            if isinstance(node, str):
                wide = layout.width(node)
                drawing.rect(layout.x[node] - wide / 2, top(layout.level[node]), wide, BOX_HEIGHT, kind_of(node))
                drawing.text(layout.x[node], top(layout.level[node]) + BOX_HEIGHT / 2 + 4, node, "code", "middle")
    x = MARGIN
    for kind in () if roots != CPP else ("program", "server", "client", "shared"):
        drawing.rect(x, 14, 16, 16, kind, 3)
        drawing.text(x + 23, 27, kind, "small")
        x += 40 + 7.2 * len(kind)
    return drawing.svg()


def way_of(layout, chain, top):
    """A curve from the bottom of the first node to the top of the last, upright through the points between."""
    level = {node: node[2] if isinstance(node, tuple) else layout.level[node] for node in chain}
    x, y = layout.x[chain[0]], top(level[chain[0]]) + BOX_HEIGHT
    way = f"M{number(x)} {number(y)}"
    for node in chain[1:]:
        to_x, to_y = layout.x[node], top(level[node])
        bend = (to_y - y) * 0.55
        way += f" C{number(x)} {number(y + bend)} {number(to_x)} {number(to_y - bend)} {number(to_x)} {number(to_y)}"
        x, y = to_x, to_y
        if isinstance(node, tuple):
            y = to_y + BOX_HEIGHT
            way += f" L{number(x)} {number(y)}"
    return way
