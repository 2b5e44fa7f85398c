"""Clients of a real server: joining, leaving, commands and refusals."""

import gc
import json
import math
import os
import unittest
import weakref

import mobula
from mobula import Code, Reason, State
from served import PATIENCE, Served, updates


class Joining(Served):
    def test_a_client_plays_with_a_complete_mirror(self):
        with self.join(name="anna") as client:
            self.assertIs(client.status.state, State.PLAYING)
            self.assertTrue(client.status.complete)
            self.assertEqual(client.status.ticks_per_second, 20)
            self.assertEqual(client.reason, (Reason.NONE, ""))
            updates(client, lambda: client.player is not None)
            self.assertEqual(client.player["Name"].text, "anna")
            sessions = self.ask("sessions")["sessions"]
            self.assertIn(str(client.player), [each["entity"] for each in sessions if each["name"] == "anna"])

    def test_a_token_file_a_text_and_a_function_give_tokens(self):
        token = mobula.request_token(self.admin)
        path = self.folder / "token"
        path.write_text(mobula.request_token(self.admin))
        for source in ({"token": token}, {"token_file": path}, {"token": lambda: mobula.request_token(self.admin)}):
            with self.subTest(list(source)), self.join(admin=None, **source) as client:
                self.assertIs(client.status.state, State.PLAYING)

    def test_user_data_is_the_account(self):
        with self.join(user_data="account of anna"):
            self.assertIn("account of anna", [each["account"] for each in self.ask("sessions")["sessions"]])

    def test_a_client_that_is_closed_has_left(self):
        names = lambda: [each["name"] for each in self.ask("sessions")["sessions"]]
        with self.join(name="leaver") as client:
            self.assertIn("leaver", names())
        with self.join(spectate=True) as other:
            updates(other, lambda: "leaver" not in names())
        self.assertTrue(client.closed)
        client.close()
        self.assertEqual(list(client), [])
        for call in (client.update, client.entities, client.changes, lambda: client.command(b"x"), lambda: client.statistics):
            with self.assertRaises(mobula.Error) as raised:
                call()
            self.assertEqual(raised.exception.code, Code.INVALID_CLIENT)

    @unittest.skipUnless(hasattr(os, "fork"), "the system has no fork")
    def test_the_end_of_a_forked_child_does_not_end_the_session(self):
        with self.join() as client:
            child = os.fork()
            if child == 0:
                self.end_child(client)
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
            tick = client.status.tick
            updates(client, lambda: client.status.tick > tick + 20)
            self.assertIs(client.status.state, State.PLAYING)
            self.assertEqual(client.statistics.rejoins, 0)

    @staticmethod
    def end_child(client):
        """Ends the child as the interpreter does. Its status is 0 if the client was refused there, and then closed."""
        try:
            client.update(0)
            refused = False
        except mobula.Error as error:
            refused = error.code == Code.WRONG_STATE
        client._destroy()
        os._exit(0 if refused and client.closed else 1)

    def test_a_client_that_nobody_holds_is_destroyed(self):
        client = mobula.connect(admin=self.admin, timeout=PATIENCE)
        held, destroy = weakref.ref(client), client._destroy
        self.assertTrue(destroy.alive)
        del client
        gc.collect()
        self.assertIsNone(held())
        self.assertFalse(destroy.alive)

    def test_a_spectator_has_no_entity_and_no_commands(self):
        with self.join(spectate=True) as client:
            self.assertIsNone(client.player)
            with self.assertRaises(mobula.Error) as raised:
                client.command(b"x")
            self.assertEqual(raised.exception.code, Code.WRONG_STATE)

    def test_only_the_schema_of_the_server_is_accepted(self):
        with self.join() as client:
            schema = client.schema
        with self.join(schema=schema) as client:
            self.assertEqual(client.schema, schema)
        with self.assertRaises(mobula.Error) as raised:
            self.join(schema=b"no schema at all")
        self.assertEqual(raised.exception.code, Code.BAD_SCHEMA)

    def test_a_bad_token_is_refused_with_a_text(self):
        token = mobula.request_token(self.admin)
        for wrong in (b"", b"x", token[:-8], "x" * 5000):
            with self.subTest(wrong), self.assertRaises(mobula.Error) as raised:
                self.join(admin=None, token=wrong)
            self.assertEqual(raised.exception.code, Code.BAD_TOKEN)
            self.assertRegex(str(raised.exception), r".+ \[BAD_TOKEN\]")

    def test_a_server_that_does_not_answer_is_a_timeout(self):
        with self.assertRaisesRegex(TimeoutError, "not connected within 0.3 s: connecting"):
            self.join(address="127.0.0.1:9", timeout=0.3)

    def test_an_address_that_is_none_is_an_error(self):
        with self.assertRaises(mobula.Error) as raised:
            self.join(address="no address at all:::")
        self.assertEqual(raised.exception.code, Code.BAD_ADDRESS)

    def test_a_kicked_client_ends_with_the_reason(self):
        with self.join(name="unwanted") as client:
            player = next(each["player"] for each in self.ask("sessions")["sessions"] if each["name"] == "unwanted")
            self.ask(f"sessions/{player}/kick", "POST", {"reason": "for the test"})
            with self.assertRaisesRegex(mobula.Error, "for the test") as raised:
                for _ in client:
                    pass
            self.assertEqual((raised.exception.code, raised.exception.reason), (Code.CLOSED, Reason.KICKED))
            self.assertEqual(client.reason[0], Reason.KICKED)
            self.assertIs(client.status.state, State.CLOSED)
            self.assertGreater(len(client.entities()), 0)  # the last state can be read

    def test_statistics_count_what_was_received(self):
        with self.join() as client:
            updates(client, lambda: client.statistics.verified_ticks > 20)
            statistics = client.statistics
            self.assertEqual((statistics.mismatched_ticks, statistics.corrections), (0, 0))
            self.assertGreater(statistics.bytes_received, 1000)
            self.assertGreater(statistics.deltas, 20)
            self.assertTrue(0 < statistics.rtt < 5)


class Commands(Served):
    def walk(self, client, command, x, z):
        """Gives a command and waits until the player is there: an avatar stops within the step of a tick, 0.2 m."""
        client.command(command)
        updates(client, lambda: math.hypot(client.player["Transform"].position.x - x,
                                           client.player["Transform"].position.z - z) < 0.3)

    def test_a_dict_and_a_text_are_commands_of_the_schema(self):
        with self.join(commands=self.commands) as client:
            updates(client, lambda: client.player is not None)
            here = client.player["Transform"].position
            self.walk(client, {"body_type": "WalkTo", "body": {"x": here.x + 2, "z": here.z}}, here.x + 2, here.z)
            back = json.dumps({"body_type": "WalkTo", "body": {"x": here.x, "z": here.z}})
            self.walk(client, back, here.x, here.z)
            self.assertEqual(client.statistics.refused_commands, 0)

    def test_bytes_are_given_as_they_are(self):
        with self.join() as client:
            updates(client, lambda: client.player is not None)
            client.command(b"not a command of the demo")
            updates(client, lambda: client.statistics.refused_commands == 1)

    def test_an_unknown_command_leaves_the_client_usable(self):
        with self.join(commands=self.commands.read_bytes()) as client:
            for wrong in ("{", "[]", {"body_type": "Fly"}, {"body_type": "WalkTo", "body": {"y": 1}}, {"speed": 1}):
                with self.subTest(wrong), self.assertRaises(mobula.Error) as raised:
                    client.command(wrong)
                self.assertEqual(raised.exception.code, Code.BAD_JSON)
            with self.assertRaises(ValueError):
                client.command({"body_type": "WalkTo", "body": {"x": math.nan}})
            client.command({"body_type": "Move", "body": {"x": 0, "z": 1}})
            client.update()

    def test_a_dict_without_a_schema_is_an_error(self):
        with self.join() as client, self.assertRaises(mobula.Error) as raised:
            client.command({"body_type": "Move"})
        self.assertEqual(raised.exception.code, Code.BAD_SCHEMA)

    def test_a_schema_that_is_none_is_an_error(self):
        with self.assertRaises(mobula.Error) as raised:
            self.join(commands=b"no schema at all")
        self.assertEqual(raised.exception.code, Code.BAD_SCHEMA)


class Levels(Served):
    def test_a_level_is_downloaded_once(self):
        levels = {}
        with self.join(levels=levels) as client:
            updates(client, lambda: levels)
            first = client.statistics.bytes_received
            everything = set(client.entities())
        (digest, level), = levels.items()
        self.assertRegex(digest, "^[0-9a-f]{64}$")
        self.assertGreater(len(level), 10_000)
        with self.join(levels=levels) as client:
            updates(client, lambda: len(client.entities()) >= len(everything) // 2)
            self.assertLess(client.statistics.bytes_received, first / 2)
            self.assertEqual(levels, {digest: level})

    def test_a_level_that_is_damaged_is_an_error(self):
        for wrong in (b"", b"no level", b"x" * 100_000):
            with self.subTest(wrong[:8]), self.assertRaises(mobula.Error) as raised:
                self.join(levels={"0" * 64: wrong})
            self.assertIn(raised.exception.code, (Code.BAD_LEVEL, Code.INVALID_ARGUMENT))


class Log(Served):
    def test_the_library_s_lines_are_records(self):
        with self.assertLogs("mobula", "INFO") as caught, self.join() as client:
            client.command(b"not a command of the demo")
            updates(client, lambda: client.statistics.refused_commands == 1)
        self.assertRegex("\n".join(caught.output), "WARNING:mobula:.*refused command")


class Restart(Served):
    def test_a_client_reconnects_to_a_restarted_server(self):
        with self.join() as client:
            updates(client, lambda: client.status.rejoin_tokens > 0)
            mirror = client.status.mirror
            self.village.server.kill()
            self.village.server.wait()
            self.village.start(self.village.admin_port, self.village.udp_port)
            updates(client, lambda: client.status.mirror > mirror and client.status.complete)
            self.assertIs(client.status.state, State.PLAYING)
            self.assertEqual(client.statistics.rejoins, 2, "one rejoin without an answer, then the new token")
            self.assertIn("The Old Well", [each["Name"].text for each in client.entities("Name")])


if __name__ == "__main__":
    unittest.main()
