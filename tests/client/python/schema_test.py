"""Values of components: named tuples and dtypes against a plain reading of each field by its path."""

import enum
import os
import random
import struct
import unittest

from mobula.enums import FieldFlags, FieldKind
from mobula.schema import FORMATS, ComponentType, Field, Rotation, attribute, make_enum

try:
    import numpy
except ImportError:
    numpy = None

SIZES = {kind: struct.calcsize("<" + layout) for kind, (layout, _) in FORMATS.items()}
LETTERS = make_enum("letter", [("a", 1), ("class", 2), ("mro", 3), ("a", 4)])


def make_field(path, kind, offset, **others):
    size = others.pop("size", SIZES[kind])
    given = {"count": 1, "stride": 0, "array": "", "count_field": None, "enum": None} | others
    return Field(path, kind, offset, size, flags=FieldFlags(0), low=0, high=0, step=0, tolerance=0, **given)


def make_type(fields, size):
    return ComponentType("Thing", size, 1, bytes(size), fields, lambda handle: ("entity", handle))


class RandomType:
    """Random fields: values, structs of values, arrays of both, with gaps, in the order of their offsets."""

    def __init__(self, random):
        self.random, self.fields, self.at = random, [], 0
        for number in range(random.randrange(1, 6)):
            self.add(f"f{number}")
        self.size = self.at + random.randrange(4)

    def add(self, path):
        shape, start = self.random.choice(["value", "struct", "values", "structs"]), self.at
        names = [path] if shape in ("value", "values") else [f"{path}.m{at}" for at in range(self.random.randrange(1, 4))]
        count, made = self.random.randrange(2, 5) if shape in ("values", "structs") else 1, []
        for name in names:
            kind = self.random.choice(list(FORMATS))
            size = self.random.randrange(1, 9) if kind == FieldKind.TEXT else SIZES[kind]
            # A value in an array has no gap before it: its stride is its size.
            self.at += self.random.randrange(3) if shape in ("struct", "structs") else 0
            enum = LETTERS if kind == FieldKind.UINT8 and self.random.random() < 0.5 else None
            made.append((name, kind, self.at, size, enum))
            self.at += size
        start = made[0][2]
        stride = self.at - start + (self.random.randrange(3) if shape == "structs" else 0) if count > 1 else 0
        for name, kind, at, size, enum in made:
            self.fields.append(make_field(name, kind, at, size=size, enum=enum, count=count, stride=stride,
                                          array=path if count > 1 else ""))
        self.at = start + stride * count if count > 1 else self.at

    def bytes(self):
        made = bytearray(self.random.randbytes(self.size))
        for field in self.fields:
            if field.kind == FieldKind.BOOL:
                for at in range(field.count):
                    made[field.offset + at * field.stride] &= 1
        return bytes(made)


def expected(field, data, at):
    """Reads a value of a field; the reference."""
    where = field.offset + at * field.stride
    if field.kind == FieldKind.TEXT:
        return data[where : where + field.size].split(b"\0")[0].decode("utf-8", "replace")
    value = struct.unpack_from("<" + FORMATS[field.kind][0], data, where)
    if field.kind == FieldKind.QUATERNION:
        return value
    return ("entity", value[0]) if field.kind == FieldKind.ENTITY else value[0]


def by_path(value, path, index):
    """Follows a path through named tuples. An array takes the index."""
    for part in path.split("."):
        value = getattr(value, part)
        if isinstance(value, tuple) and not hasattr(value, "_fields") and value[:1] != ("entity",):
            value = value[index]
    return value


class Values(unittest.TestCase):
    def test_random_types_are_read_as_by_their_paths(self):
        first = int(os.environ.get("SEED", random.randrange(1 << 32)))
        print(f"seed {first}")
        for seed in range(first, first + 200):
            with self.subTest(seed=seed):
                made = RandomType(random.Random(seed))
                self.check(make_type(made.fields, made.size), made)

    def check(self, component, made):
        data = made.bytes() + made.bytes()
        for start in (0, made.size):
            value, one = component.read(data, start), data[start : start + made.size]
            for field in made.fields:
                for at in range(field.count):
                    # Bits are compared, as a float may be no number.
                    self.assertEqual(repr(tuple_of(by_path(value, field.path, at))),
                                     repr(tuple_of(expected(field, one, at))), field)
        if numpy is not None:
            self.check_dtype(component, made, data)

    def check_dtype(self, component, made, data):
        self.assertEqual(component.dtype.itemsize, made.size)
        rows = numpy.frombuffer(data, component.dtype)
        for field in made.fields:
            values = rows
            for part in field.path.split("."):
                values = values[part]
            for row in range(2):
                one = data[row * made.size : (row + 1) * made.size]
                for at in range(field.count):
                    where = field.offset + at * field.stride
                    stored = values[row] if field.count == 1 else values[row][at]
                    self.assertEqual(stored.tobytes().ljust(field.size, b"\0"), one[where : where + field.size], field)

    def test_an_array_with_a_counter_is_cut(self):
        fields = [make_field("items", FieldKind.UINT8, 0, count=4, stride=1, array="items", count_field=1),
                  make_field("used", FieldKind.UINT8, 4)]
        component = make_type(fields, 5)
        self.assertEqual(component.read(bytes([7, 8, 9, 10, 2])).items, (7, 8))
        self.assertEqual(component.read(bytes([7, 8, 9, 10, 0])).items, ())
        self.assertEqual(component.read(bytes([7, 8, 9, 10, 200])).items, (7, 8, 9, 10))

    def test_values_have_the_types_of_python(self):
        team = make_enum("color", [("neutral", 0), ("red", 1)])
        component = make_type([make_field("position.x", FieldKind.FLOAT32, 0), make_field("position.z", FieldKind.FLOAT32, 4),
                               make_field("turn", FieldKind.QUATERNION, 8), make_field("name", FieldKind.TEXT, 24, size=6),
                               make_field("color", FieldKind.UINT8, 30, enum=team)], 31)
        value = component.read(struct.pack("<6f6sB", 1, 2, 0, 0, 0, 1, "zoë".encode(), 1))
        self.assertEqual(repr(value), "Thing(position=Position(x=1.0, z=2.0), turn=Rotation(x=0.0, y=0.0, z=0.0, w=1.0), "
                                      "name='zoë', color=<Color.red: 1>)")
        x, z = value.position
        self.assertEqual((x, z, value.turn, value.color), (1, 2, Rotation(0, 0, 0, 1), team.red))

    def test_a_number_without_a_name_stays_a_number(self):
        component = make_type([make_field("letter", FieldKind.UINT8, 0, enum=LETTERS)], 1)
        self.assertEqual(component.read(b"\1").letter, LETTERS.a)
        self.assertEqual(component.read(b"\x63").letter, 99)

    def test_names_that_python_lacks_are_replaced(self):
        for name, wanted in (("class", "class_"), ("_hidden", "hidden"), ("a b", "a_b"), ("", "field"), ("1", "field1"),
                             ("__", "field"), ("größe", "größe")):
            self.assertEqual(attribute(name), wanted)
        self.assertEqual([each.name for each in LETTERS], ["a", "class_", "mro_"])
        component = make_type([make_field(path, FieldKind.UINT8, at) for at, path in
                               enumerate(["from", "from_", "_make", "1"])], 4)
        self.assertEqual(tuple(component.read(b"\1\2\3\4")), (1, 2, 3, 4))


def tuple_of(value):
    if isinstance(value, enum.IntEnum):
        return int(value)
    return tuple(value) if isinstance(value, tuple) else value


if __name__ == "__main__":
    unittest.main()
