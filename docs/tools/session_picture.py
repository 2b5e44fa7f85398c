"""The packets of a session: handshake, greeting, deltas and inputs, a loss, a lost connection and its resumption."""

from drawing import Drawing

WIDTH = 780
CLIENT, SERVER = 250, 530
STEP = 37
SLOPE = 14

# from, what, note at the receiver's or sender's side; a lone text is a heading.
STEPS = (
    "Handshake (netcode 1.02)",
    ("client", "connection request, with the connect token", "token from the backend"),
    ("server", "challenge", ""),
    ("client", "response", ""),
    ("server", "keep-alive", "encrypted from here on"),
    "Greeting (reliable, control lane)",
    ("client", "Hello", "schemas, levels it has on disk"),
    ("server", "Welcome, Level, PlayerEntity", "schema, unless the client has it"),
    ("server", "Names, Prototypes", "before the first delta that needs them"),
    "Ticks (unreliable, once per tick)",
    ("server", "delta 1: full states", ""),
    ("client", "input 1: has delta 1; commands", ""),
    ("server", "delta 2, encoded against delta 1", ""),
    ("lost", "delta 3, encoded against delta 1", "counts as lost, not sent again"),
    ("client", "input 2: has delta 2; commands", "commands repeat until acknowledged"),
    ("server", "delta 4, encoded against delta 2", "newest values of what was lost"),
    ("server", "Events, RejoinTokens (reliable)", ""),
    "Connection lost, then resumed",
    ("client", "handshake, with a rejoin token", "any address, any pipe"),
    ("client", "Hello (resume)", ""),
    ("server", "Welcome (resumed)", "same player, same mirror"),
    "End",
    ("server", "disconnect reason, disconnect", "4 times each, so that one arrives"),
)


def make():
    height = 60 + sum(STEP + (8 if isinstance(step, str) else 0) for step in STEPS) + 14
    drawing = Drawing(WIDTH, height, "The packets of a session", "From the handshake to the end, client at the left, server at the right.")
    drawing.path([(CLIENT, 44), (CLIENT, height - 16)], "faint", "")
    drawing.path([(SERVER, 44), (SERVER, height - 16)], "faint", "")
    drawing.box(CLIENT - 50, 14, 100, 30, ("client",), "client")
    drawing.box(SERVER - 50, 14, 100, 30, ("server",), "server")
    y = 60
    for step in STEPS:
        if isinstance(step, str):
            y += 8
            drawing.rect(14, y, WIDTH - 28, 24, "band", 5)
            drawing.text(26, y + 16.5, step, "strong")
        else:
            packet(drawing, y, *step)
        y += STEP
    return drawing.svg()


def packet(drawing, y, sender, text, note):
    y += 12
    if sender == "client":
        drawing.path([(CLIENT, y), (SERVER, y + SLOPE)])
    elif sender == "server":
        drawing.path([(SERVER, y), (CLIENT, y + SLOPE)])
    else:
        drawing.path([(SERVER, y), (CLIENT + 60, y + SLOPE * 0.78)], "lost", "losthead")
    lost = sender == "lost"
    drawing.text((CLIENT + SERVER) / 2, y - 2, text, "losttext" if lost else "small", "middle")
    if sender == "client":
        drawing.text(CLIENT - 14, y + 6, note, "small", "end")
    else:
        drawing.text(SERVER + 14, y + 6, note, "losttext" if lost else "small")
