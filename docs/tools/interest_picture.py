"""Interest: what one viewer sees, by layer, room and owner."""

from drawing import Drawing

WIDTH, HEIGHT = 780, 470
LEFT, TOP, CELL = 24, 24, 53
COLUMNS, ROWS = 9, 8
EYE = (LEFT + 4.45 * CELL, TOP + 4.1 * CELL)
NEAR, NEAR_LEAVE, FAR = 92, 106, 184

NEAR_SEEN = ((-40, -52), (58, -18), (-66, 26), (20, 70), (34, -70))
KEPT = ((-88, -46), (70, 72))  # between the radii, and in view already
BORDER = ((98, -25),)  # between the radii, not in view before
NEAR_UNSEEN = ((-150, -90), (150, 60), (-190, 40), (190, -140), (10, 172), (-60, 160))
FAR_SEEN = ((-120, 60), (100, -120), (-40, -150))
FAR_UNSEEN = ((222, 100), (-215, -150))
OWNED = (205, -60)
OTHER_ROOM = (-20, 36)


def square(drawing, x, y, kind):
    drawing.rect(x - 6, y - 6, 12, 12, kind, 2)


def marks(drawing, places, kind, draw):
    for x, y in places:
        draw(EYE[0] + x, EYE[1] + y, kind)


def make():
    drawing = Drawing(WIDTH, HEIGHT, "Interest: what one viewer sees",
                      "Circles around a viewpoint: the radius of each layer, and the leave radius of one.")
    for column in range(COLUMNS + 1):
        x = LEFT + column * CELL
        drawing.path([(x, TOP), (x, TOP + ROWS * CELL)], "cell", "")
    for row in range(ROWS + 1):
        y = TOP + row * CELL
        drawing.path([(LEFT, y), (LEFT + COLUMNS * CELL, y)], "cell", "")
    drawing.circle(*EYE, FAR, "wide")
    drawing.circle(*EYE, NEAR, "reach")
    drawing.circle(*EYE, NEAR_LEAVE, "away dashed")

    def dot(x, y, kind):
        drawing.circle(x, y, 5.5, kind)

    marks(drawing, NEAR_SEEN + KEPT + (OWNED,), "hot", dot)
    marks(drawing, NEAR_UNSEEN + BORDER + (OTHER_ROOM,), "away", dot)
    marks(drawing, FAR_SEEN, "warm", lambda x, y, kind: square(drawing, x, y, kind))
    marks(drawing, FAR_UNSEEN, "away", lambda x, y, kind: square(drawing, x, y, kind))
    viewpoint(drawing, *EYE)
    drawing.text(EYE[0] + OWNED[0] + 30, EYE[1] + OWNED[1] + 22, "owned by the player", "small", "end")
    drawing.text(EYE[0] + OTHER_ROOM[0] + 10, EYE[1] + OTHER_ROOM[1] + 4, "in another room", "small")
    legend(drawing)
    return drawing.svg()


def viewpoint(drawing, x, y):
    drawing.curve(f"M{x:.1f} {y - 10:.1f} L{x + 8:.1f} {y + 8:.1f} L{x:.1f} {y + 3:.1f} L{x - 8:.1f} {y + 8:.1f} z", "client", "")


def legend(drawing):
    x, y = LEFT + COLUMNS * CELL + 24, TOP + 14

    def entry(draw, *lines):
        nonlocal y
        draw(x + 10, y - 4)
        for line in lines:
            drawing.text(x + 32, y, line, "small")
            y += 17
        y += 12

    drawing.text(x, y, "What this viewer sees", "strong")
    y += 28
    entry(lambda at, down: viewpoint(drawing, at, down), "viewpoint: at first the", "player's entity, at most 8")
    entry(lambda at, down: drawing.circle(at, down, 8, "reach"), "radius of the layer", "“creatures”")
    entry(lambda at, down: drawing.circle(at, down, 8, "away dashed"), "its leave radius: what is in", "view stays so up to here")
    entry(lambda at, down: drawing.circle(at, down, 8, "wide"), "radius of the layer", "“landmarks”")
    entry(lambda at, down: drawing.circle(at, down, 5.5, "hot"), "creature in view")
    entry(lambda at, down: square(drawing, at, down, "warm"), "landmark in view")
    entry(lambda at, down: drawing.circle(at, down, 5.5, "away"), "out of view: not sent")
    for line in ("Each room, and each layer with a", "radius in it, has a grid of square", "cells. A query reads the cells that",
                 "the radius reaches, then compares", "distances."):
        drawing.text(x, y, line, "small")
        y += 17
