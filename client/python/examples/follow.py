#!/usr/bin/env python3
"""A bot that follows the nearest player of the demo: follow.py ADMIN_URL COMMANDS.bfbs

The second is demo_commands.bfbs, which the build of the server makes. Packages have it in share/mobula.
"""

import math
import sys

import mobula

with mobula.connect(admin=sys.argv[1], commands=sys.argv[2], name="follower") as client:
    goal = None
    for status in client:
        me = client.player
        others = [each for each in client.entities("Avatar") if each != me]
        if me is None or not others:
            continue
        here = me["Transform"].position
        place = min((each["Transform"].position for each in others), key=lambda there: math.dist(there, here))
        if goal is None or math.dist(place, goal) > 0.5:
            client.command({"body_type": "WalkTo", "body": {"x": place.x, "z": place.z}})
            goal = place
