"""Component types of a server: their fields, and their values as Python objects and as numpy arrays."""

from __future__ import annotations

import enum
import keyword
import re
import struct
from collections import namedtuple
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable, Iterable, cast

from .enums import FieldFlags, FieldKind

if TYPE_CHECKING:
    import numpy

Read = Callable[[Any, int], Any]  # (buffer, offset) -> value

Rotation = namedtuple("Rotation", "x y z w")

# Format of struct and type of numpy, by kind. TEXT has its length before it.
FORMATS: dict[int, tuple[str, str]] = {
    FieldKind.BOOL: ("?", "?"),
    FieldKind.INT8: ("b", "i1"),
    FieldKind.UINT8: ("B", "u1"),
    FieldKind.INT16: ("h", "<i2"),
    FieldKind.UINT16: ("H", "<u2"),
    FieldKind.INT32: ("i", "<i4"),
    FieldKind.UINT32: ("I", "<u4"),
    FieldKind.INT64: ("q", "<i8"),
    FieldKind.UINT64: ("Q", "<u8"),
    FieldKind.FLOAT32: ("f", "<f4"),
    FieldKind.FLOAT64: ("d", "<f8"),
    FieldKind.QUATERNION: ("4f", "<f4"),
    FieldKind.ENTITY: ("Q", "<u8"),
    FieldKind.TEXT: ("s", "S"),
    FieldKind.NAME: ("I", "<u4"),
}


@dataclass(frozen=True)
class Field:
    """A value within a component. Nested structs are flattened: a Transform has `position.x`, `position.y` …

    `offset` counts bytes from the component's start, for arrays to element 0. `array` is the path of the array that a
    field is an element of, or empty. `count_field` is the number of the field that counts its used elements.
    """

    path: str
    kind: FieldKind
    offset: int
    size: int
    count: int
    stride: int
    flags: FieldFlags
    low: float
    high: float
    step: float
    tolerance: float
    array: str
    count_field: int | None
    enum: type[enum.IntEnum] | None


def attribute(name: str) -> str:
    """Returns a name that Python accepts after a dot. The server may send any text."""
    name = re.sub(r"\W", "_", name).lstrip("_")
    if not name.isidentifier():
        name = "field" + name
    return name + "_" if keyword.iskeyword(name) or name == "mro" else name  # an enum cannot have "mro"


def make_enum(path: str, values: list[tuple[str, int]]) -> type[enum.IntEnum]:
    """Makes an enum of a field's named values."""
    title = attribute(path.rpartition(".")[2].title().replace("_", ""))
    members: dict[str, int] = {}
    for name, value in values:
        members.setdefault(attribute(name), value)
    make: Any = enum.IntEnum  # mypy knows only its form with literals
    return cast("type[enum.IntEnum]", make(title, members))


@dataclass
class Node:
    """A struct, array or leaf of a component; a tree made of the paths of fields."""

    name: str
    offset: int = 0
    size: int = 0
    count: int = 1  # elements of an array
    stride: int = 0
    counter: Field | None = None
    leaf: Field | None = None
    children: dict[str, Node] = field(default_factory=dict)

    def child(self, name: str) -> Node:
        return self.children.setdefault(name, Node(name))


def tree_of(name: str, size: int, fields: list[Field]) -> Node:
    """Makes the tree of a component."""
    root = Node(name, size=size)
    for each in fields:
        node, path = root, ""
        for part in each.path.split("."):
            node = node.child(part)
            path = f"{path}.{part}" if path else part
            if each.array and path == each.array:
                node.count, node.stride = each.count, each.stride
                node.counter = None if each.count_field is None else fields[each.count_field]
        node.leaf, node.offset, node.size = each, each.offset, each.size
    for node in root.children.values():
        measure(node)
    return root


def measure(node: Node) -> None:
    """Sets offset and size of a struct from its children. A struct in an array has the array's stride as its size."""
    if node.leaf is not None:
        return
    for child in node.children.values():
        measure(child)
    node.offset = min(child.offset for child in node.children.values())
    end = max(child.offset + child.size * child.count for child in node.children.values())
    node.size = node.stride or end - node.offset


class Reader:
    """Makes functions that read values from a component's bytes. `entity` makes an object of a handle."""

    def __init__(self, entity: Callable[[int], Any]) -> None:
        self.entity = entity

    def value(self, node: Node) -> Read:
        """Returns a function that reads a node, which is a tuple if it is an array."""
        read = self.scalar(node.leaf) if node.leaf is not None else self.structure(node)
        if node.count == 1:
            return read
        count_of, stride = self.counter(node), node.stride
        # Offsets of an element's fields are those of element 0.
        return lambda buffer, base: tuple(read(buffer, base + at * stride) for at in range(count_of(buffer, base)))

    @staticmethod
    def counter(node: Node) -> Callable[[Any, int], int]:
        """Returns a function that reads the number of used elements."""
        count, counter = node.count, node.counter
        if counter is None:
            return lambda buffer, base: count
        layout = struct.Struct("<" + FORMATS[counter.kind][0])
        at = counter.offset
        return lambda buffer, base: min(count, int(layout.unpack_from(buffer, base + at)[0]))

    def structure(self, node: Node) -> Read:
        """Returns a function that reads a struct as a named tuple."""
        make = named_tuple(node.name, list(node.children))
        if all(is_plain(child) for child in node.children.values()):
            layout, at = layout_of(node), node.offset
            return lambda buffer, base: make(layout.unpack_from(buffer, base + at))
        reads = [self.value(child) for child in node.children.values()]
        return lambda buffer, base: make([read(buffer, base) for read in reads])

    def scalar(self, leaf: Field) -> Read:
        """Returns a function that reads a single value."""
        at = leaf.offset
        if leaf.kind == FieldKind.TEXT:
            layout = struct.Struct(f"{leaf.size}s")
            return lambda buffer, base: text_of(layout.unpack_from(buffer, base + at)[0])
        layout = struct.Struct("<" + FORMATS[leaf.kind][0])
        if leaf.kind == FieldKind.QUATERNION:
            return lambda buffer, base: Rotation._make(layout.unpack_from(buffer, base + at))
        convert: Callable[[Any], Any] | None = None
        if leaf.kind == FieldKind.ENTITY:
            convert = self.entity
        elif leaf.enum is not None:
            convert = named_or_number(leaf.enum)
        if convert is None:
            return lambda buffer, base: layout.unpack_from(buffer, base + at)[0]
        made = convert
        return lambda buffer, base: made(layout.unpack_from(buffer, base + at)[0])


def is_plain(node: Node) -> bool:
    """Returns whether `struct` reads a node as it is."""
    leaf = node.leaf
    converted = (FieldKind.TEXT, FieldKind.QUATERNION, FieldKind.ENTITY)
    return leaf is not None and node.count == 1 and leaf.enum is None and leaf.kind not in converted


def layout_of(node: Node) -> struct.Struct:
    """Returns the layout of a struct of plain fields, with its gaps. Fields are in the order of their offsets."""
    layout, at = "<", node.offset
    for child in node.children.values():
        assert child.leaf is not None
        layout += f"{child.offset - at}x{FORMATS[child.leaf.kind][0]}"
        at = child.offset + child.size
    return struct.Struct(layout)


def named_tuple(name: str, fields: list[str]) -> Callable[[Iterable[Any]], Any]:
    """Returns what makes named tuples of values. Names that Python cannot have are replaced."""
    kind = namedtuple(  # type: ignore[misc]
        attribute(name[:1].upper() + name[1:]), [attribute(each) for each in fields], rename=True)
    make: Callable[[Iterable[Any]], Any] = kind._make
    return make


def named_or_number(names: type[enum.IntEnum]) -> Callable[[int], int]:
    """Returns what makes an enum's member of a number, or leaves a number that has no name."""
    known = {int(each): each for each in names}
    return lambda value: known.get(value, value)


def text_of(stored: bytes) -> str:
    """Returns the text before the first zero byte."""
    return stored.partition(b"\0")[0].decode("utf-8", "replace")


class ComponentType:
    """A component type of the server's schema."""

    def __init__(self, name: str, size: int, alignment: int, default: bytes, fields: list[Field],
                 entity: Callable[[int], Any]) -> None:
        self.name, self.size, self.alignment, self.fields = name, size, alignment, fields
        self._tree = tree_of(name, size, fields)
        self._read = Reader(entity).structure(self._tree)
        self._dtype: numpy.dtype[Any] | None = None
        self.default = self.read(default)

    def __repr__(self) -> str:
        return f"<component type {self.name}: {', '.join(each.path for each in self.fields)}>"

    def read(self, value: Any, offset: int = 0) -> Any:
        """Returns the value in these bytes as a named tuple: `transform.position.x`."""
        return self._read(value, offset)

    @property
    def dtype(self) -> numpy.dtype[Any]:
        """The structured dtype of a value. Nested structs are nested fields: `values["position"]["x"]`."""
        if self._dtype is None:
            self._dtype = structured(self._tree, 0)
        return self._dtype


def structured(node: Node, start: int) -> numpy.dtype[Any]:
    """Makes the dtype of a struct that begins at a byte of its component."""
    import numpy

    names, formats, offsets = [], [], []
    for name, child in node.children.items():
        names.append(name)
        formats.append(element(child) if child.count == 1 else (element(child), (child.count,)))
        offsets.append(child.offset - start)
    return numpy.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": node.size})


def element(node: Node) -> Any:
    """Makes the dtype of a node, or of an array's element."""
    if node.leaf is None:
        return structured(node, node.offset)
    code = FORMATS[node.leaf.kind][1]
    if node.leaf.kind == FieldKind.QUATERNION:
        return (code, (4,))
    return f"S{node.leaf.size}" if node.leaf.kind == FieldKind.TEXT else code
