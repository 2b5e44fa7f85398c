#!/usr/bin/env python3
"""Joins the demo, moves along the x axis, and prints where the player's entity is: walk.py ADMIN_URL COMMANDS.bfbs"""

import sys

import mobula

with mobula.connect(admin=sys.argv[1], commands=sys.argv[2], name="python") as client:
    shown = None
    for status in client:
        if client.player is None or status.tick == shown:  # not arrived yet, or no newer state
            continue
        if shown is None:
            client.command({"body_type": "Move", "body": {"x": 1}})
        shown = status.tick
        x, y, z = client.player.pose(shown).position
        print(f"tick {shown} of {status.entities} entities: the player is at {x:.2f} {y:.2f} {z:.2f}", flush=True)
