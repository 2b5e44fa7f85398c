"""The example: a bot that follows the nearest player."""

import math
import os
import pathlib
import signal
import subprocess
import sys
import unittest

import mobula
from served import ROOT, Served, updates

FOLLOW = ROOT / "client/python/examples/follow.py"
PACKAGE = pathlib.Path(mobula.__file__).parent.parent


class Follow(Served):
    def test_it_goes_where_the_player_goes(self):
        with self.join(commands=self.commands, name="leader") as leader:
            updates(leader, lambda: leader.player is not None)
            bot = subprocess.Popen([sys.executable, "-B", FOLLOW, self.admin, self.commands], stderr=subprocess.PIPE, text=True,
                                   env=os.environ | {"PYTHONPATH": str(PACKAGE)})
            try:
                updates(leader, lambda: self.follower(leader) is not None)
                for x, z in ((12, 12), (-12, 0)):
                    leader.command({"body_type": "WalkTo", "body": {"x": x, "z": z}})
                    updates(leader, lambda: self.distance(leader, (x, 0, z)) < 1)
            finally:
                bot.send_signal(signal.SIGINT)
                text = bot.communicate(timeout=60)[1]
                print(text)
            self.assertIn("KeyboardInterrupt", text)  # nothing else has ended it

    def distance(self, leader, place):
        return math.dist(self.follower(leader)["Transform"].position, place)

    @staticmethod
    def follower(client):
        return next((each for each in client.entities("Avatar") if each["Name"].text == "follower"), None)

    def test_it_has_at_most_30_lines(self):
        self.assertLessEqual(len(FOLLOW.read_text(encoding="utf-8").splitlines()), 30)


if __name__ == "__main__":
    unittest.main()
