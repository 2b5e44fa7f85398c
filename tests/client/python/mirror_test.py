"""A mirror of a real server's world, against JSON of the library and answers of the admin port."""

import itertools
import math
import struct
import unittest

import mobula
from mobula import ChangeKind, Code, FieldKind, Presence
from served import Served, json_of, updates

try:
    import numpy
except ImportError:
    numpy = None


def alike(ours, theirs):
    """Returns whether two values as JSON are equal. Floats are compared as 32 bits."""
    if isinstance(ours, dict):
        return ours.keys() == theirs.keys() and all(alike(ours[key], theirs[key]) for key in ours)
    if isinstance(ours, list):
        return len(ours) == len(theirs) and all(map(alike, ours, theirs))
    if isinstance(ours, float):
        return struct.pack("<f", ours) == struct.pack("<f", theirs)
    return ours == theirs


class Mirror(Served):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.client = mobula.connect(admin=cls.village.url, name="reader", commands=cls.commands, timeout=60)
        cls.addClassCleanup(cls.client.close)
        updates(cls.client, lambda: cls.client.player is not None)

    def test_values_are_those_of_the_library_s_json(self):
        kinds = set()
        for entity in self.client.entities():
            for name, value in dict(entity).items():
                component = self.client.component(name)
                kinds |= {field.kind for field in component.type.fields}
                self.compare(entity, component, value)
        self.assertLessEqual({FieldKind.FLOAT32, FieldKind.QUATERNION, FieldKind.TEXT, FieldKind.ENTITY, FieldKind.NAME,
                              FieldKind.BOOL, FieldKind.UINT16}, kinds)

    def compare(self, entity, component, value):
        ours, theirs = json_of(value), entity.json(component.name)
        for field in component.type.fields:
            if field.enum is not None:
                ours[field.path] = field.enum(ours[field.path]).name
        self.assertTrue(alike(ours, theirs), f"{entity} {component.name}: {ours} is not {theirs}")

    def test_values_are_those_of_the_server(self):
        compared = 0
        for entity in self.client.entities("Name"):
            self.assertEqual(entity["Name"].text, self.ask(f"entities/{entity}/Name/text"))
            compared += 1
        for entity in self.client.entities("Team"):
            self.assertEqual(entity["Team"].color.name, self.ask(f"entities/{entity}/Team/color"))
            compared += 1
        self.assertGreater(compared, 8)

    def test_each_value_is_found_by_its_path(self):
        for entity in self.client.entities()[:100]:
            for name in entity:
                whole = entity[name]
                for field in self.client.component(name).type.fields:
                    if field.count > 1:
                        continue
                    value = whole
                    for part in field.path.split("."):
                        value = getattr(value, part)
                    self.assertEqual(entity.value(f"{name}/{field.path}"), value, f"{name}/{field.path}")

    def test_components_are_found_by_name(self):
        well = next(each for each in self.client.entities("Name") if each["Name"].text == "The Old Well")
        self.assertIn("Body", well)
        self.assertNotIn("Avatar", well)
        self.assertEqual(sorted(well), sorted(dict(well)))
        self.assertIsNone(well.get("Avatar"))
        self.assertEqual(well.get("Avatar", 7), 7)
        self.assertEqual(self.client.component("Body").type.name, "RenderData")
        self.assertEqual(self.client.component("Body", "RenderData"), self.client.component("Body"))
        self.assertEqual(self.client.types["RenderData"].default.tint, 0xFFFFFF)

    def test_a_missing_value_is_an_error_with_a_code(self):
        player, nobody = self.client.player, self.client.entity("4000000.77")
        for code, call in ((Code.NO_COMPONENT, lambda: player["Nothing"]), (Code.NO_COMPONENT, lambda: player["SpawnPoint"]),
                           (Code.NO_ENTITY, lambda: nobody["Transform"]), (Code.NO_ENTITY, lambda: nobody.info),
                           (Code.NO_PROPERTY, lambda: player.value("Transform/nothing")),
                           (Code.NO_COMPONENT, lambda: player.json("Nothing")), (Code.NO_COMPONENT, lambda: player.sample("Nothing"))):
            with self.assertRaises(mobula.Error) as raised:
                call()
            self.assertEqual(raised.exception.code, code)
            self.assertGreater(len(raised.exception.text), 8)
        self.assertEqual((list(nobody), nobody.exists), ([], False))

    def test_a_handle_is_a_number_and_a_text(self):
        player = self.client.player
        self.assertEqual(self.client.entity(str(player)), player)
        self.assertEqual(self.client.entity(int(player)), player)
        self.assertEqual({player: 1}[self.client.entity(player.handle)], 1)
        self.assertEqual(str(self.client.entity(3 << 32 | 12)), "12.3")
        self.assertTrue(player.owned)
        self.assertFalse(player.stale)

    def test_references_are_entities(self):
        for gate in self.client.entities("Target"):
            other = gate["Target"].entity
            if other is not None and other.exists:
                self.assertEqual(other["Target"].entity, gate)
                return
        self.fail("no gate leads to another")

    def test_entities_with_a_component_are_those_that_have_it(self):
        for name in ("Transform", "Avatar", "Fog"):
            self.assertEqual(set(self.client.entities(name)), {each for each in self.client.entities() if name in each})
        self.assertEqual(len(self.client.entities()), len(set(self.client.entities())))

    def test_moments_are_sampled(self):
        updates(self.client, lambda: self.client.clock is not None and self.client.clock.view_tick > 1)
        player, clock = self.client.player, self.client.clock
        self.assertLess(clock.view_tick, clock.server_tick)
        self.assertLess(clock.server_tick, clock.target_tick + 1)
        shown = player.sample("Transform", clock.view_tick)
        pose = player.pose(clock.view_tick)
        self.assertEqual((tuple(pose.position), tuple(pose.rotation)), (tuple(shown.position), tuple(shown.rotation)))
        self.assertLess(math.dist(player.pose().position, player["Transform"].position), 20)

    def test_a_pose_is_below_its_parents(self):
        child = next(each for each in self.client.entities("Parent") if each["Parent"].entity is not None
                     and math.hypot(*each["Parent"].entity["Transform"].position) > 1
                     and math.hypot(*each["Transform"].position) > 0)
        # No rotation changes the distance to the parent.
        updates(self.client, lambda: self.client.clock is not None)
        tick = self.client.clock.view_tick
        parent = child["Parent"].entity
        self.assertAlmostEqual(math.dist(child.pose(tick).position, parent.pose(tick).position),
                               math.hypot(*child.sample("Transform", tick).position), places=3)

    def test_changes_lead_from_one_state_to_the_next(self):
        with self.join(name="passer-by", commands=self.commands) as other, self.join(name="watcher") as watcher:
            updates(other, lambda: other.player is not None)
            known = set(watcher.entities())
            values = {each: each["Transform"] for each in watcher.entities("Transform")}
            kinds, met = set(), other.player
            for round in range(60):
                if round == 5:
                    other.command({"body_type": "Move", "body": {"x": 1, "z": 0}})
                if round == 30:
                    other.close()
                elif round < 30:
                    other.update(0)
                watcher.update()
                for change in watcher.changes():
                    kinds.add(change.kind)
                    self.assertEqual(change.component is not None, change.kind is ChangeKind.CHANGED)
                    if change.kind is ChangeKind.DESTROYED:
                        known.discard(change.entity)
                        values.pop(change.entity, None)
                    else:
                        known.add(change.entity)
                    if change.kind in (ChangeKind.SPAWNED, ChangeKind.COMPOSED) or change.component == "Transform":
                        if change.entity.exists and "Transform" in change.entity:
                            values[change.entity] = change.entity["Transform"]
                self.assertEqual(known, set(watcher.entities()))
                self.assertEqual(values, {each: each["Transform"] for each in watcher.entities("Transform")})
            self.assertIn(ChangeKind.CHANGED, kinds)
            self.assertIn(ChangeKind.DESTROYED, kinds)
            self.assertNotIn(met, known)

    def test_events_are_those_of_the_game(self):
        seen, rounds = [], itertools.count()

        def throws():
            # Again and again: the client was not updated for a while, so its first commands may come too late.
            if next(rounds) % 20 == 0:
                self.client.command({"body_type": "Throw", "body": {"x": 0, "y": 1, "z": 0}})
            seen.extend(each for each in self.client.events() if each.about == self.client.player)
            return seen

        updates(self.client, throws)
        self.assertLessEqual(seen[0].tick, self.client.status.tick)
        self.assertIs(seen[0].presence, Presence.IN_VIEW)
        # The event itself names the thrower: the struct by.
        self.assertIn(struct.pack("<Q", self.client.player.handle), seen[0].data)


class Twins(Served):
    """Two components of one name, of different types."""

    entities = {"healthy": {"components": {"Transform": {}, "Twin": {"$type": "Health", "current": 7}}},
                "red": {"components": {"Transform": {}, "Twin": {"$type": "Team", "color": "red"}}}}

    def test_an_entity_has_the_component_of_its_own_type(self):
        client = self.join()
        updates(client, lambda: client.player is not None)
        values = {type(each["Twin"]).__name__: each["Twin"] for each in client.entities("Twin")}
        self.assertEqual(values.keys(), {"Health", "Team"})
        self.assertEqual((values["Health"].current, values["Team"].color.name), (7, "red"))
        self.assertNotEqual(client.component("Twin", "Health").number, client.component("Twin", "Team").number)
        with self.assertRaisesRegex(mobula.Error, "no component 'Twin' of type 'Name'"):
            client.component("Twin", "Name")
        with self.assertRaises(mobula.Error) as raised:
            client.player["Twin"]
        self.assertEqual(raised.exception.code, Code.NO_COMPONENT)


@unittest.skipIf(numpy is None, "numpy is not installed")
class Columns(Served):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.client = mobula.connect(admin=cls.village.url, timeout=60)
        cls.addClassCleanup(cls.client.close)

    def test_a_column_has_the_values_of_all_entities(self):
        for name in ("Transform", "Name", "Body", "Team"):
            entities, values = self.client.column(name)
            self.assertEqual(set(map(int, entities)), {int(each) for each in self.client.entities(name)})
            self.assertEqual(values.dtype, self.client.component(name).type.dtype)
            for handle, value in zip(entities, values):
                self.check(self.client.entity(int(handle))[name], value)

    def check(self, one, stored):
        for name in stored.dtype.names:
            ours, theirs = getattr(one, name), stored[name]
            if isinstance(ours, mobula.Rotation) or not hasattr(ours, "_fields"):
                theirs = bytes(theirs).decode() if isinstance(ours, str) else theirs
                self.assertTrue(numpy.array_equal(numpy.asarray(ours), theirs), f"{ours} {theirs}")
            else:
                self.check(ours, theirs)

    def test_mapped_columns_are_the_same_without_a_copy(self):
        entities, values = self.client.column("Transform")
        parts = list(self.client.map_column("Transform"))
        self.assertTrue(numpy.array_equal(numpy.concatenate([each.entities for each in parts]), entities))
        self.assertTrue(numpy.array_equal(numpy.concatenate([each.values for each in parts]), values))
        for each in parts:
            self.assertFalse(each.values.flags.owndata)
            with self.assertRaises(ValueError):
                each.values["position"]["x"] = 0

    def test_a_mapping_does_not_continue_after_an_update(self):
        parts = self.client.map_column("Transform")
        next(parts)
        self.client.update()
        with self.assertRaisesRegex(mobula.Error, "map it anew"):
            next(parts)

    def test_a_column_of_a_moment_has_the_samples(self):
        updates(self.client, lambda: self.client.clock is not None and self.client.clock.view_tick > 1)
        tick = self.client.clock.view_tick
        entities, values = self.client.column("Transform", tick=tick)
        self.assertGreater(len(entities), 10)
        for handle, value in zip(entities, values):
            self.check(self.client.entity(int(handle)).sample("Transform", tick), value)

    def test_a_column_is_the_caller_s_own(self):
        _, values = self.client.column("Transform")
        values["position"]["x"] = 12345
        self.assertNotIn(12345, self.client.column("Transform").values["position"]["x"])
        self.client.update()
        self.assertTrue((values["position"]["x"] == 12345).all())

    def test_a_column_that_is_not_there_is_an_error(self):
        for call in (self.client.column, lambda name: list(self.client.map_column(name))):
            with self.assertRaises(mobula.Error) as raised:
                call("Nothing")
            self.assertEqual(raised.exception.code, Code.NO_COMPONENT)


if __name__ == "__main__":
    unittest.main()
