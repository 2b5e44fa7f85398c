"""The client for asyncio on a real server."""

import asyncio
import logging
import time
import unittest

import mobula
import mobula.aio
from mobula import Code, Reason, State
from mobula._address import split_address
from served import PATIENCE, Served


async def updates(client, until):
    """Updates until a condition is true."""
    async with asyncio.timeout(PATIENCE):
        while not until():
            await client.update()


class Aio(Served, unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        # Its debug mode would report each callback of 0.1 s, which a busy machine has.
        logging.getLogger("asyncio").setLevel(logging.ERROR)

    def connect(self, **options):
        return mobula.aio.connect(**{"admin": self.admin, "timeout": PATIENCE} | options)

    async def test_a_client_plays_and_leaves(self):
        async with self.connect(name="anna") as client:
            self.assertIs(client.status.state, State.PLAYING)
            await updates(client, lambda: client.player is not None)
            self.assertEqual(client.player["Name"].text, "anna")
            self.assertIn("anna", self.names())
        self.assertTrue(client.closed)
        async with self.connect(spectate=True) as other:
            await updates(other, lambda: self.has_left("anna"))
        with self.assertRaises(mobula.Error) as raised:
            await client.update()
        self.assertIn(raised.exception.code, (Code.INVALID_CLIENT, Code.WRONG_STATE))

    def has_left(self, name):
        """Returns whether the server has no such player. A silent one would be disconnected first."""
        states = [each["state"] for each in self.ask("sessions")["sessions"] if each["name"] == name]
        self.assertNotIn("away", states)
        return not states

    def names(self):
        return [each["name"] for each in self.ask("sessions")["sessions"]]

    async def test_iteration_yields_updates_until_the_client_is_closed(self):
        ticks = []
        async with self.connect() as client:
            async for status in client:
                ticks.append(status.tick)
                if ticks[-1] > ticks[0] + 10:
                    client.close()
        self.assertEqual(ticks, sorted(ticks))

    async def test_other_tasks_run_while_a_client_waits(self):
        rounds = 0

        async def count():
            nonlocal rounds
            while True:
                rounds += 1
                await asyncio.sleep(0.001)

        async with self.connect() as client:
            counting = asyncio.create_task(count())
            first = client.status.tick
            await updates(client, lambda: client.status.tick >= first + 10)  # half a second of the server
            counting.cancel()
        self.assertGreater(rounds, 2)  # on a busy machine too

    async def test_the_mirror_changes_in_updates_alone(self):
        async with self.connect() as client:
            before = [(each, dict(each)) for each in client.entities()]
            tick = client.status.tick
            await asyncio.sleep(0.3)
            self.assertEqual([(each, dict(each)) for each in client.entities()], before)
            await client.update()
            self.assertGreater(client.status.tick, tick)  # datagrams have arrived meanwhile

    async def test_many_clients_share_a_loop(self):
        all_play = asyncio.Barrier(8)

        async def play(name):
            async with self.connect(name=name) as client:
                await updates(client, lambda: client.player is not None and client.player["Name"].text == name)
                await all_play.wait()
                await updates(client, lambda: client.statistics.verified_ticks > 5)
                return client.statistics.mismatched_ticks

        self.assertEqual(await asyncio.gather(*(play(f"client {number}") for number in range(8))), [0] * 8)

    async def test_a_command_is_sent(self):
        async with self.connect(commands=self.commands) as client:
            await updates(client, lambda: client.player is not None)
            x = client.player["Transform"].position.x
            client.command({"body_type": "Move", "body": {"x": 1, "z": 0}})
            await updates(client, lambda: client.player["Transform"].position.x > x + 0.5)

    async def test_a_lost_pipe_is_replaced_and_the_player_stays(self):
        async with self.connect(name="tenacious") as client:
            await updates(client, lambda: client.player is not None)
            player, mirror, tick = client.player, client.status.mirror, client.status.tick
            await updates(client, lambda: client.status.rejoin_tokens > 0)
            client._call("pipe_closed", b"the cable was pulled", client._now())
            await updates(client, lambda: client.statistics.rejoins == 1 and client.status.state is State.PLAYING)
            self.assertEqual((client.player, client.status.mirror), (player, mirror))
            self.assertEqual(client.statistics.mismatched_ticks, 0)

    async def test_a_kicked_client_ends_with_the_reason(self):
        async with self.connect(name="unwanted") as client:
            player = next(each["player"] for each in self.ask("sessions")["sessions"] if each["name"] == "unwanted")
            self.ask(f"sessions/{player}/kick", "POST", {"reason": "for the test"})
            with self.assertRaisesRegex(mobula.Error, "for the test") as raised:
                async for _ in client:
                    pass
            self.assertEqual(raised.exception.reason, Reason.KICKED)

    async def test_a_server_that_does_not_answer_is_a_timeout(self):
        started = time.monotonic()
        with self.assertRaisesRegex(TimeoutError, "not connected within 0.3 s: connecting"):
            async with self.connect(address="127.0.0.1:9", timeout=0.3):
                self.fail("there is no server")
        self.assertLess(time.monotonic() - started, PATIENCE)

    async def test_an_address_that_is_none_is_an_error(self):
        for address in ("ws://nowhere", "127.0.0.1:", "nobody.invalid:7777"):
            with self.subTest(address), self.assertRaises(mobula.Error) as raised:
                async with self.connect(address=address):
                    self.fail("there is no such address")
            self.assertIn(raised.exception.code, (Code.BAD_ADDRESS, Code.SOCKET))

    async def test_an_address_is_a_host_or_a_url(self):
        for text, expected in (("village", ("village", 7777)), ("udp:village", ("village", 7777)),
                               ("udp://village:80/", ("village", 80)), ("[::1]", ("::1", 7777)),
                               ("udp:7777", ("udp", 7777))):
            with self.subTest(text):
                self.assertEqual(split_address(text), expected)
        for text in ("", ":", "udp:", "::1", "village:", "village:0", "village:65536", "village:77x", "[village]:1",
                     "udp://village/game", "ws://village", "tcp:village", "http://village"):
            with self.subTest(text), self.assertRaises(mobula.Error) as raised:
                split_address(text)
            self.assertEqual(raised.exception.code, Code.BAD_ADDRESS)

    async def test_a_bad_token_is_an_error(self):
        with self.assertRaises(mobula.Error) as raised:
            async with self.connect(admin=None, token=b"x"):
                self.fail("the token is bad")
        self.assertEqual(raised.exception.code, Code.BAD_TOKEN)


class Restart(Served, unittest.IsolatedAsyncioTestCase):
    async def test_a_client_reconnects_to_a_restarted_server(self):
        async with mobula.aio.connect(admin=self.admin, timeout=PATIENCE) as client:
            mirror = client.status.mirror
            self.village.server.kill()
            self.village.server.wait()
            self.village.start(self.village.admin_port, self.village.udp_port)
            client._call("pipe_closed", b"the server was killed", client._now())
            await updates(client, lambda: client.status.mirror > mirror and client.status.complete)
            self.assertIs(client.status.state, State.PLAYING)


class PipeTest(unittest.IsolatedAsyncioTestCase):
    async def test_datagrams_beyond_the_limit_are_dropped(self):
        times = iter(range(10**6))
        pipe = mobula.aio.Pipe(lambda: next(times))
        for number in range(mobula.aio.DATAGRAMS_MAX + 10):
            pipe.datagram_received(b"%d" % number, None)
        self.assertTrue(pipe.arrived.is_set())
        taken = pipe.take()
        self.assertEqual((len(taken), taken[0], taken[-1][0]),
                         (mobula.aio.DATAGRAMS_MAX, (b"0", 0), b"%d" % (mobula.aio.DATAGRAMS_MAX - 1)))
        self.assertEqual((pipe.take(), pipe.arrived.is_set()), ([], False))


if __name__ == "__main__":
    unittest.main()
