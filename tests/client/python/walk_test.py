"""The example: a client that moves along the x axis, and prints where it is."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import unittest

import mobula
from served import ROOT, Served

WALK = ROOT / "client/python/examples/walk.py"
PACKAGE = pathlib.Path(mobula.__file__).parent.parent
LINE = re.compile(r"tick (\d+) of \d+ entities: the player is at (-?[\d.]+) -?[\d.]+ -?[\d.]+")
LINES = 40


class Walk(Served):
    def test_each_line_has_a_newer_tick_and_x_grows(self):
        bot = subprocess.Popen([sys.executable, "-B", WALK, self.admin, self.commands], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": str(PACKAGE)})
        try:
            lines = [LINE.fullmatch(bot.stdout.readline().rstrip("\n")) for _ in range(LINES)]
        finally:
            bot.send_signal(signal.SIGINT)
            errors = bot.communicate(timeout=60)[1]
        self.assertNotIn(None, lines, errors)
        ticks = [int(line[1]) for line in lines]
        self.assertEqual(ticks, sorted(set(ticks)))
        self.assertGreater(float(lines[-1][2]), float(lines[0][2]) + 1)
        self.assertIn("KeyboardInterrupt", errors)  # nothing else has ended it


if __name__ == "__main__":
    unittest.main()
