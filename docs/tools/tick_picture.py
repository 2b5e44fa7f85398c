"""Draws a change's path through a tick: from a client's command to every mirror."""

from drawing import Drawing

WIDTH = 860
BAND_LEFT, BAND_WIDTH = 20, 596
BOX_LEFT, BOX_WIDTH = 150, 250
ROW = 84
TOP = 52

# Phase of the tick, box, what it does; notes stand beside it.
STAGES = (
    ("receive", ("Session", "opens packets, takes acknowledgements"), ("The server knows what each", "client has, because the", "client acknowledged it.")),
    ("game", ("Game: commands, systems, tick", "writes components"), ("Mutable access sets the", "change tick of a block", "of 64 components.")),
    ("publish", ("Publisher", "quantises and compares changed blocks"), ("Once per tick, whatever", "the number of clients.", "Equal values are dropped.")),
    ("choose", ("Interest", "visibility query of each viewer"), ("Layers, interest groups,", "owners, and the game's", "own rule.")),
    ("encode", ("ClientView, one per client", "most important entities first"), ("A delta is encoded against", "acknowledged baselines. Equal", "bits are made once, copied.")),
    ("seal", ("Session", "packets, encryption, rate control"), ("One datagram or several,", "within the client's budget.",)),
)


def make():
    bottom = TOP + len(STAGES) * ROW
    drawing = Drawing(WIDTH, bottom + 146, "The way of a change through a tick",
                      "A command goes through session, game, publisher, interest and client view to every mirror.")
    drawing.text(BAND_LEFT + 10, 28, "server, one tick", "strong")
    drawing.text(WIDTH - 20, 28, "phases are those of the inspector and of the metrics", "small", "end")
    for place, (phase, lines, notes) in enumerate(STAGES):
        y = TOP + place * ROW
        drawing.rect(BAND_LEFT, y, BAND_WIDTH, ROW - 10, "band", 6)
        drawing.text(BAND_LEFT + 14, y + 41, phase, "code")
        drawing.box(BOX_LEFT, y + 11, BOX_WIDTH, 52, lines, "server")
        for line, note in enumerate(notes):
            drawing.text(BOX_LEFT + BOX_WIDTH + 18, y + 41 + (line - (len(notes) - 1) / 2) * 16, note, "small")
        if place:
            arrow(drawing, y - ROW + 63, y + 11)
    side_notes(drawing)
    client(drawing, bottom)
    return drawing.svg()


def arrow(drawing, from_y, to_y, x=BOX_LEFT + BOX_WIDTH / 2):
    drawing.path([(x, from_y), (x, to_y)])


def side_notes(drawing):
    """Draws the data that the stages read and write, at the right."""
    left, width = 640, 200
    rows = (
        (1, ("Registry", "values, change ticks,", "structural change log")),
        (2, ("Published values", "and the value log: former", "values, for baselines")),
        (4, ("Sent deltas", "what is acknowledged,", "in flight, or lost")),
    )
    for place, lines in rows:
        y = TOP + place * ROW
        drawing.box(left, y + 1, width, 72, lines, "shared")
        drawing.path([(BAND_LEFT + BAND_WIDTH, y + 37), (left, y + 37)], "faint")


def client(drawing, bottom):
    y = bottom + 56
    drawing.text(BOX_LEFT + BOX_WIDTH / 2 + 14, bottom + 28, "network: UDP, TCP, WebSocket", "small")
    arrow(drawing, bottom - 21, y)
    drawing.box(BOX_LEFT, y, BOX_WIDTH, 66, ("Connection", "checks a delta completely,", "then applies it"), "client")
    drawing.box(BOX_LEFT + BOX_WIDTH + 60, y, 200, 66, ("Mirror", "same handles, same values,", "verified by hash"), "client")
    drawing.path([(BOX_LEFT + BOX_WIDTH, y + 33), (BOX_LEFT + BOX_WIDTH + 60, y + 33)])
    x = 124
    drawing.curve(f"M{BOX_LEFT} {y + 33} L{x + 10} {y + 33} Q{x} {y + 33} {x} {y + 23} L{x} {TOP + ROW - 1} "
                  f"Q{x} {TOP + 48} {x + 12} {TOP + 48} L{BOX_LEFT} {TOP + 48}")
    drawing.text(x + 10, bottom + 22, "inputs: commands,", "small")
    drawing.text(x + 10, bottom + 38, "acknowledgements", "small")
