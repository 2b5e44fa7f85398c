"""The demo's village on a real server, for tests, and clients of it."""

import functools
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAMS = pathlib.Path(os.environ.get("PROGRAMS", ROOT / "build/release/bin"))
LEVELS = ROOT / "server/examples/demo/level"
PATIENCE = 60.0  # seconds, for all waits; only what hangs reaches it

sys.path.insert(0, str(ROOT / "tests/inspector"))

import mobula  # noqa: E402
import village  # noqa: E402


class Served(unittest.TestCase):
    """Tests with a server that all tests of a class share. `entities` are added to the village."""

    entities = {}

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.village = village.Village(PROGRAMS, cls.write_level(), cls.folder, bots=0)
        cls.addClassCleanup(cls.village.close)
        cls.commands = PROGRAMS.parent / "schema/mobula_schema_demo_commands/demo_commands.bfbs"

    @classmethod
    def write_level(cls):
        """Writes the level as JSON. Returns its path."""
        shutil.copy(LEVELS / "prefabs.json", cls.folder)
        level = json.loads((LEVELS / "village.json").read_text(encoding="utf-8"))
        level["entities"] |= cls.entities
        path = cls.folder / "village.json"
        path.write_text(json.dumps(level), encoding="utf-8")
        return path

    @property
    def admin(self):
        return self.village.url.rstrip("/")

    def join(self, **options):
        """Returns a client that is closed at the test's end."""
        client = mobula.connect(**{"admin": self.admin, "timeout": PATIENCE} | options)
        self.addCleanup(client.close)
        return client

    def ask(self, path, method="GET", body=None):
        return self.village.ask(path, method, body)


def updates(client, until):
    """Updates until a condition is true."""
    end = time.monotonic() + PATIENCE
    while not until():
        client.update()
        if time.monotonic() > end:
            raise AssertionError("the condition has not become true")


@functools.singledispatch
def json_of(value):
    """Returns a value of this package as the library writes it as JSON."""
    return value


@json_of.register
def _(value: mobula.Entity):
    return str(value)


@json_of.register
def _(value: tuple):
    fields = getattr(value, "_fields", None)
    if fields is None or isinstance(value, mobula.Rotation):
        return [json_of(each) for each in value]
    return {name: json_of(each) for name, each in zip(fields, value)}
