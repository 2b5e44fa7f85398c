"""Predictions whose steps are written in Python, on a real server."""

import math
import subprocess
import sys
import unittest

import mobula
import numpy
from mobula import Code
from mobula.enums import EffectKind, PredictedState, SpawnKind
from mobula.prediction import Prediction, Smoothing
from served import Served, updates

WALK = {"body_type": "Move", "body": {"x": 1}}


class Predictions(Served):
    def predict(self, **options):
        client = self.join(commands=self.commands)
        return client, Prediction(client, **{"reads": ["Health"]} | options)

    def test_ticks_are_stepped_and_effects_end_once(self):
        client, prediction = self.predict()
        ticks, effects = [], []

        def step(step):
            ticks.append((step.tick, step.replayed))
            for command in step.commands:
                self.assertEqual(command.entity, client.status.player)
                step.effect("walk", command.number, command.data[:4])
            entities = step.visible("Health")
            self.assertEqual(len(step.read("Health", entities)), len(entities))
            self.assertLess(step.random(5).below(10), 10)
            mine = step.random_of(client.status.player)
            self.assertEqual(mine.next(), step.random_of(client.status.player).next())
            self.assertNotEqual(mine.next(), step.random(5).next())
            self.assertIsNone(step.find_static(5), "the level has no static data")

        first = client.status.tick
        while client.status.tick < first + 100:
            if client.status.tick % 20 == 0 and client.status.tick < first + 60:
                client.command(WALK)
            client.update()
            prediction.update(step)
            effects += prediction.effects()
        fresh = [tick for tick, replayed in ticks if not replayed]
        self.assertEqual(fresh, sorted(set(fresh)))
        self.assertGreater(len(fresh), 60)
        self.assertEqual(prediction.counters.ticks, len(fresh))
        self.assertEqual(prediction.counters.ticks_replayed, len(ticks) - len(fresh))
        self.assertTrue(effects)
        self.assertEqual({each.name for each in effects}, {prediction.hash_of("walk")})
        self.assertEqual({len(each.payload) for each in effects}, {4})
        begun = [each.key for each in effects if each.kind is EffectKind.BEGUN]
        self.assertEqual(sorted(begun), sorted(each.key for each in effects if each.kind is not EffectKind.BEGUN))

    def test_a_written_walk_is_that_of_the_server(self):
        client, prediction = self.predict()

        def step(step):
            """The demo's rules for an avatar on free ground that is sent east."""
            for command in step.commands:
                velocity = step.read("Velocity", [command.entity])
                velocity["linear"] = (4, 0, 0)
                step.write("Velocity", [command.entity], velocity)
            avatars = step.stepped("Velocity", "Pose")
            velocities, poses = step.read("Velocity", avatars), step.read("Pose", avatars)
            moving = velocities["linear"]["x"] != 0
            poses["position"]["x"][moving] += velocities["linear"]["x"][moving] * numpy.float32(step.seconds)
            poses["rotation"][moving] = tuple(numpy.sqrt(numpy.float32([0, 0.5, 0, 0.5])))
            step.write("Pose", avatars, poses)

        updates(client, lambda: prediction.update(step) or prediction.info.started)
        begin = prediction.read(client.status.player, "Pose").position.x
        first = client.status.tick
        while client.status.tick < first + 60:
            client.command(WALK)
            client.update()
            prediction.update(step)
        self.assertGreater(prediction.read(client.status.player, "Pose").position.x, begin + 4)
        shown = prediction.column("Pose")
        own = shown.values[shown.entities == client.status.player]
        self.assertEqual(own["position"]["x"], [prediction.sample(client.status.player, "Pose").position.x])
        self.assertEqual(prediction.counters.remote_mispredictions, 0, prediction.last_misprediction)

    def test_a_spawn_continues_as_the_servers_entity(self):
        client, prediction = self.predict()

        def step(step):
            for command in step.commands:
                stone = step.spawn(command, "Pose", "Velocity", "Stone")
                step.write("Pose", [stone], step.read("Pose", [command.entity]))

        updates(client, lambda: prediction.update(step) or prediction.info.started)
        spawns = []

        def matched():
            prediction.update(step)
            spawns.extend(prediction.spawns())
            return any(each.kind is SpawnKind.MATCHED for each in spawns)

        client.command({"body_type": "Throw", "body": {"y": 0.6, "z": 0.8}})
        updates(client, matched)
        self.assertEqual([each.kind for each in spawns], [SpawnKind.PREDICTED, SpawnKind.MATCHED])
        self.assertEqual(spawns[0].local, spawns[1].local)
        stone = client.read(mobula.Entity(client, spawns[1].real), "Stone")
        self.assertEqual(stone.command, spawns[1].command)

    def test_a_step_that_raises_leaves_the_client_usable(self):
        client, prediction = self.predict()

        def step(step):
            raise KeyError("a mistake")

        with self.assertRaises(KeyError):
            updates(client, lambda: prediction.update(step))
        self.assertFalse(prediction.info.started)
        updates(client, lambda: prediction.update(lambda step: None) or prediction.info.started)

    def test_an_error_of_a_step_that_has_closed_the_prediction(self):
        for error in (KeyError, KeyboardInterrupt):
            with self.subTest(error=error.__name__):
                client, prediction = self.predict()

                def step(step):
                    prediction.close()
                    raise error("a mistake")

                with self.assertRaises(error):
                    updates(client, lambda: prediction.update(step))
                updates(client, lambda: True)
                client.close()

    def test_numbers_and_payloads_that_do_not_fit_are_refused(self):
        client, prediction = self.predict()
        refused = []

        def step(step):
            for key in (2**64 + 5, -1):
                self.assertRaisesRegex(OverflowError, "the key", step.effect, "walk", key)
                self.assertRaisesRegex(OverflowError, "the key", step.random, key)
            self.assertRaisesRegex(OverflowError, "the bound", step.random(1).below, 2**32)
            self.assertRaisesRegex(OverflowError, "the handle", step.destroy, 2**64 + client.status.player)
            for payload in ("steps", 5):
                self.assertRaises(TypeError, step.effect, "walk", 1, payload)
            self.assertRaises(TypeError, step.effect, "walk", "1")
            step.effect("walk", 2**64 - 1, bytearray(b"steps"))
            refused.append(True)

        updates(client, lambda: prediction.update(step) or refused)
        effect = next(each for each in prediction.effects() if each.kind is EffectKind.BEGUN)
        self.assertEqual((effect.key, effect.payload), (2**64 - 1, b"steps"))

    def test_options_that_do_not_fit_are_refused(self):
        client = self.join()
        for options in ({"input_delay": (-1, 2)}, {"input_delay": (0, 2**32)}, {"predicted_max": -1},
                        {"switch_duration": -0.1}, {"switch_duration": 1e300}, {"smoothing": [Smoothing(duration=-1)]}):
            with self.subTest(options=options), self.assertRaises(OverflowError):
                Prediction(client, **options)
        for options in ({"switch_duration": 4000}, {"smoothing": [Smoothing(snap_distance=-1)]},
                        {"smoothing": [Smoothing(snap_distance=math.nan)]}, {"position_component": "x" * 300}):
            with self.subTest(options=options), self.assertRaises(mobula.Error) as raised:
                Prediction(client, **options)
            self.assertEqual(raised.exception.code, Code.INVALID_ARGUMENT)

    def test_names_of_no_predicted_component_are_refused_by_name(self):
        for options in ({"smoothing": [Smoothing("Weather")]}, {"position_component": "Weather"}):
            with self.subTest(options=options):
                client, prediction = self.predict(**options)
                with self.assertRaisesRegex(mobula.Error, "Weather") as raised:
                    updates(client, lambda: prediction.update() or prediction.info.started)
                self.assertEqual(raised.exception.code, Code.BAD_RULES)

    def moved(self, **options):
        """Moves on the server, but not in the step. Returns the part of the way that is shown, and the counters."""
        client, prediction = self.predict(position_component="Pose", position_field="position.x", **options)
        updates(client, lambda: prediction.update() or prediction.info.started)
        begin, first = prediction.sample(client.player, "Pose").position.x, client.status.tick
        while client.status.tick < first + 40:
            client.command(WALK)
            client.update()
            prediction.update()
        way = prediction.read(client.player, "Pose").position.x - begin
        shown = prediction.sample(client.player, "Pose").position.x - begin
        counters = prediction.counters
        client.close()
        return shown / way, counters

    def test_corrections_are_shown_and_measured_as_the_options_say(self):
        slow, counters = self.moved(smoothing=[Smoothing("Pose", duration=3600, snap_distance=1e6)])
        self.assertGreater(counters.corrections, 0)
        self.assertGreater(counters.sum_of_corrections, 0)
        snapped, _ = self.moved(smoothing=[Smoothing("Pose", duration=3600, snap_distance=0)])
        at_once, _ = self.moved(smoothing=[], switch_duration=0)
        self.assertLess(slow, 0.8)
        self.assertGreater(min(snapped, at_once), 0.9)

    def test_entities_are_given_by_handle_or_as_they_are(self):
        client, prediction = self.predict()
        destroyed = []

        def step(step):
            if destroyed:
                return
            me = client.player
            poses = step.read("Pose", [me])
            step.write("Pose", [me], poses)
            self.assertEqual(poses, step.read("Pose", [me.handle]))
            step.destroy(me)
            destroyed.append(me)

        updates(client, lambda: prediction.update(step) or destroyed)
        handle = numpy.uint64(destroyed[0].handle)
        self.assertIs(prediction.state_of(handle), PredictedState.ENDED)

    def test_misuse_is_refused_by_name(self):
        client, prediction = self.predict()
        texts = {}

        def step(step):
            for name, call in (("read", lambda: step.read("Inventory", [client.status.player])),
                               ("write", lambda: step.write("Health", [client.status.player], [(1, 1)])),
                               ("update", lambda: client.update())):
                with self.assertRaises(mobula.Error) as raised:
                    call()
                texts[name] = (raised.exception.code, str(raised.exception))

        updates(client, lambda: prediction.update(step) or texts)
        self.assertEqual(texts["read"][0], Code.NO_ACCESS)
        self.assertIn("reads Inventory", texts["read"][1])
        self.assertEqual(texts["write"][0], Code.NO_ACCESS)
        self.assertEqual(texts["update"][0], Code.WRONG_STATE)
        with self.assertRaises(mobula.Error) as raised:
            Prediction(client)
        self.assertEqual(raised.exception.code, Code.WRONG_STATE)
        prediction.close()
        with self.assertRaises(mobula.Error) as raised:
            Prediction(client, rules="nobody's")
        self.assertEqual(raised.exception.code, Code.BAD_RULES)


class WithoutNumpy(unittest.TestCase):
    def test_the_module_is_imported_without_numpy(self):
        script = "import sys; sys.modules['numpy'] = None; import mobula.prediction"
        subprocess.run([sys.executable, "-B", "-c", script], check=True)


if __name__ == "__main__":
    unittest.main()
