"""Dead reckoning: the true path of a body, the courses that follow it, and what is sent."""

from drawing import Drawing

WIDTH, HEIGHT = 860, 430
LEFT, STEP = 96, 16.5
TICKS = 44
GROUND = 268  # height of a position of 0, in the picture
TOLERANCE = 13.0
SENT, LEGEND = 326, 372


def position(tick):
    """A straight climb, a throw after a collision, and a landing."""
    if tick <= 12:
        return 40 + 9.5 * tick
    flight = tick - 12
    return max(0.0, 154 + 8.0 * flight - 0.9 * flight * flight)


class Course:
    def __init__(self, tick, value, velocity, acceleration):
        self.tick, self.value, self.velocity, self.acceleration = tick, value, velocity, acceleration
        self.end = tick

    def at(self, tick):
        age = tick - self.tick
        return self.value + self.velocity * age + self.acceleration * age * (age + 1) / 2


def courses():
    """The courses of the path, chosen as the server does (course_keeper.cpp)."""
    found = [Course(0, position(0), 0, 0)]
    last, pull = 0.0, 0.0
    for tick in range(1, TICKS):
        step = position(tick) - position(tick - 1)
        now = step - last if tick > 1 else 0.0
        if abs(found[-1].at(tick) - position(tick)) > TOLERANCE:
            steady = abs(now - pull) < 0.5 * max(abs(now), abs(pull))
            found.append(Course(tick, position(tick), step, now if steady else 0.0))
        found[-1].end = tick
        last, pull = step, now
    return found


def place(tick, value):
    return LEFT + tick * STEP, GROUND - value


def make():
    every = courses()
    drawing = Drawing(WIDTH, HEIGHT, "Dead reckoning: a path, its courses, and what is sent",
                      "A body climbs, collides, flies and lands. A new course is sent only where the true position leaves "
                      "the tolerance of the old one.")
    for course in every:
        band(drawing, course)
    for before, course in zip(every, every[1:]):
        difference(drawing, before, course)
    for course in every:
        drawing.path([place(tick, course.at(tick)) for tick in range(course.tick, course.end + 1)], "line", "")
    starts = {course.tick for course in every}
    for tick in range(TICKS):
        drawing.circle(*place(tick, position(tick)), 5.5 if tick in starts else 2.6, "hot" if tick in starts else "warm")
    sent(drawing, starts)
    labels(drawing)
    legend(drawing)
    return drawing.svg()


def band(drawing, course):
    ticks = range(course.tick, course.end + 1)
    upper = [place(tick, course.at(tick) + TOLERANCE) for tick in ticks]
    lower = [place(tick, course.at(tick) - TOLERANCE) for tick in reversed(ticks)]
    way = "M" + " L".join(f"{x:.1f} {y:.1f}" for x, y in upper + lower) + " z"
    drawing.curve(way, "reach", "")


def difference(drawing, before, course):
    """Where the old course would have led, and how far the truth is from it."""
    drawing.path([place(before.end, before.at(before.end)), place(course.tick, before.at(course.tick))], "faint dashed", "")
    drawing.path([place(course.tick, before.at(course.tick)), place(course.tick, course.value)], "lost", "")
    drawing.circle(*place(course.tick, before.at(course.tick)), 3.5, "away")


def sent(drawing, starts):
    drawing.rect(20, SENT - 16, WIDTH - 40, 32, "band", 6)
    drawing.text(32, SENT + 4.5, "sent", "strong")
    for tick in range(TICKS):
        x = LEFT + tick * STEP
        if tick in starts:
            drawing.rect(x - 5, SENT - 9, 10, 18, "server", 2)
        else:
            drawing.circle(x, SENT, 1.6, "cold")


def labels(drawing):
    drawing.text(32, 32, "position", "strong")
    drawing.text(WIDTH - 24, 32, f"{TICKS} ticks, from left to right", "small", "end")
    x, y = place(6, position(6))
    drawing.text(x + 22, y + 44, "even motion: a course with a velocity", "small")
    x, y = place(20, position(20))
    drawing.text(x + 58, y - 14, "a throw: its acceleration belongs to the course", "small")
    x, y = place(16, position(16))
    drawing.text(x - 6, y - 34, "a collision ends the course", "small", "middle")
    x, y = place(34, 0)
    drawing.text(x, y - 26, "a landing; then at rest", "small")


def legend(drawing):
    x, y = 32, LEGEND

    def entry(draw, text, width):
        nonlocal x
        draw(x + 9, y)
        drawing.text(x + 26, y + 4.5, text, "small")
        x += width

    entry(lambda at, down: drawing.circle(at, down, 2.6, "warm"), "true position", 122)
    entry(lambda at, down: drawing.circle(at, down, 5.5, "hot"), "new course", 108)
    entry(lambda at, down: drawing.path([(at - 9, down), (at + 9, down)], "line", ""), "what clients compute", 170)
    entry(lambda at, down: drawing.rect(at - 9, down - 7, 18, 14, "reach", 2), "tolerance", 96)
    entry(lambda at, down: drawing.path([(at, down - 9), (at, down + 9)], "lost", ""), "the truth has left the tolerance", 220)
    drawing.text(32, y + 34, "In all other ticks nothing is sent: both sides compute the position from the course.", "small")
