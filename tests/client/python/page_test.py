"""Each block of Python in docs/python.md runs, with a client of a real server."""

import ast
import asyncio
import contextlib
import inspect
import io
import itertools
import logging
import re
import unittest

import mobula
import mobula.aio
from served import ROOT, Served, updates

PAGE = ROOT / "docs/python.md"
ROUNDS = 5  # ends loops that would go on for ever


async def first(client):
    rounds = 0
    async for status in client:
        yield status
        rounds += 1
        if rounds == ROUNDS:
            return


def bounded(source, admin):
    """Returns the source with this server, and with loops over a client that end."""
    source = source.replace("http://127.0.0.1:7780", admin)
    source = re.sub(r"async for (\w+) in client:", r"async for \1 in first(client):", source)
    return re.sub(r"(?<!async )for (\w+) in client:", r"for \1 in islice(client, ROUNDS):", source)


def blocks():
    """Yields the line and the source of each block but the bot's, which has a test of its own."""
    text = PAGE.read_text(encoding="utf-8")
    for found in re.finditer(r"(<!-- all of [^\n]*\n)?```python\n(.*?)```", text, re.S):
        if not found[1]:
            yield text.count("\n", 0, found.start()) + 1, found[2]


class Page(Served):
    def test_every_block_runs(self):
        self.assertGreater(len(list(blocks())), 8)
        client = self.join(commands=self.commands)
        updates(client, lambda: client.player is not None and client.clock is not None)
        for line, source in blocks():
            with self.subTest(line=line), contextlib.redirect_stdout(io.StringIO()) as out:
                names = {"mobula": mobula, "logging": logging, "client": client, "entity": client.player, "first": first,
                         "islice": itertools.islice, "ROUNDS": ROUNDS}
                code = compile(bounded(source, self.admin), f"python.md:{line}", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
                if code.co_flags & inspect.CO_COROUTINE:
                    asyncio.run(eval(code, names))
                else:
                    exec(code, names)
                if "print(status.tick" in source:
                    self.assertEqual(len(out.getvalue().splitlines()), ROUNDS)

    def test_the_quick_start_has_five_lines(self):
        lines = [line for line in next(blocks())[1].splitlines() if line.strip()]
        self.assertLessEqual(len(lines), 5)


if __name__ == "__main__":
    unittest.main()
