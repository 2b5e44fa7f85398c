"""The mirror of a client: entities, components, changes, events and moments."""

from __future__ import annotations

import ctypes
import json
from typing import TYPE_CHECKING, Any, Callable, Iterator, NamedTuple

from . import _binding
from ._session import Options, Session, Status, sized
from .entity import Entity, EntityInfo, Pose, Position
from .enums import NO_COMPONENT, NO_FIELD, ChangeKind, Code, FieldFlags, FieldKind, Presence, name_of
from .errors import Error
from .schema import ComponentType, Field, Rotation, make_enum
from .tokens import Token, TokenSource

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray


class Component(NamedTuple):
    """A component: its name, its type and its number. "Fog" may be the name of a RenderData."""

    name: str
    type: ComponentType
    number: int


class Change(NamedTuple):
    """A change of the last update. `component` is the name of the component that has another value, or None."""

    kind: ChangeKind
    entity: Entity
    component: str | None


class Event(NamedTuple):
    """An event of the game. `about` is None if it is about no entity. `data` is of the game, and not verified."""

    tick: int
    about: Entity | None
    presence: Presence
    data: bytes


class Clock(NamedTuple):
    """Ticks of a moment: where the server is, for which commands are given, and which to show."""

    server_tick: float
    target_tick: float
    view_tick: float


class Column(NamedTuple):
    """A component of many entities: their handles, and their values in the same order."""

    entities: NDArray[numpy.uint64]
    values: NDArray[Any]


# Readers of a value of the C interface, by its kind. All other kinds hold `integer`.
HELD: dict[int, Callable[[_binding.Value], Any]] = {
    FieldKind.BOOL: lambda value: bool(value.as_.integer),
    FieldKind.UINT64: lambda value: value.as_.unsigned_integer,
    FieldKind.FLOAT32: lambda value: value.as_.real,
    FieldKind.FLOAT64: lambda value: value.as_.real,
    FieldKind.QUATERNION: lambda value: Rotation(*value.as_.rotation),
    FieldKind.ENTITY: lambda value: value.as_.entity,
    FieldKind.TEXT: lambda value: ctypes.string_at(value.as_.text or 0, value.size).decode("utf-8", "replace"),
    FieldKind.NAME: lambda value: value.as_.name,
}


class Mirror(Session):
    """Reads what the server has sent. All of it stays the same until the next update."""

    def __init__(self, token: Token, options: Options, source: TokenSource | None) -> None:
        super().__init__(token, options, source)
        self._forget()

    def _forget(self) -> None:
        self._types: list[ComponentType] = []
        self._components: list[Component] = []
        self._named: dict[str, list[Component]] = {}
        self._value = ctypes.create_string_buffer(0)  # as large as the largest component

    def _after_update(self) -> Status:
        before = self._status.mirror
        after = super()._after_update()
        if after.mirror != before:
            self._forget()
        return after

    # --- Schema ---

    @property
    def types(self) -> dict[str, ComponentType]:
        """The component types that the server declares, by name."""
        return {each.name: each for each in self._read_types()}

    def _read_types(self) -> list[ComponentType]:
        if not self._types:
            count = ctypes.c_uint32()
            self._call("type_count", ctypes.byref(count))
            self._types = [self._read_type(number) for number in range(count.value)]
            self._value = ctypes.create_string_buffer(max((each.size for each in self._types), default=0))
        return self._types

    def _read_type(self, number: int) -> ComponentType:
        info = sized(_binding.TypeInfo)
        self._call("type", number, ctypes.byref(info))
        fields = [self._read_field(number, at) for at in range(info.fields)]
        default = ctypes.string_at(info.default_value, info.size)
        name = info.name.decode("utf-8", "replace")
        return ComponentType(name, info.size, info.alignment, default, fields, self._referred)

    def _read_field(self, number: int, at: int) -> Field:
        info = sized(_binding.FieldInfo)
        self._call("field", number, at, ctypes.byref(info))
        path = info.path.decode("utf-8", "replace")
        named = [self._read_enum_value(number, at, each) for each in range(info.enum_values)]
        counted_by = None if info.count_field == NO_FIELD else info.count_field
        return Field(path, FieldKind(info.kind), info.offset, info.size, info.count, info.stride,
                     FieldFlags(info.flags), info.low, info.high, info.step, info.tolerance,
                     path[: info.array_length], counted_by, make_enum(path, named) if named else None)

    def _read_enum_value(self, number: int, at: int, each: int) -> tuple[str, int]:
        name, value = ctypes.c_char_p(), ctypes.c_int64()
        self._call("enum_value", number, at, each, ctypes.byref(name), ctypes.byref(value))
        return (name.value or b"").decode("utf-8", "replace"), value.value

    @property
    def schema(self) -> bytes:
        """The server's schema, a .bfbs."""
        start, size = ctypes.c_void_p(), ctypes.c_uint64()
        self._call("schema", ctypes.byref(start), ctypes.byref(size))
        return ctypes.string_at(start.value or 0, size.value)

    # --- Components ---

    @property
    def components(self) -> list[Component]:
        """The components that the server has named. More may come."""
        count = ctypes.c_uint32()
        self._call("component_count", ctypes.byref(count))
        types = self._read_types()
        for number in range(len(self._components), count.value):
            info = sized(_binding.ComponentInfo)
            self._call("component", number, ctypes.byref(info))
            component = Component(info.instance.decode("utf-8", "replace"), types[info.type], number)
            self._components.append(component)
            self._named.setdefault(component.name, []).append(component)
        return self._components

    def component(self, name: str, type: str | None = None) -> Component:
        """Returns a component by its name, and by its type's where several types have one of this name."""
        for found in self._all_named(name):
            if type is None or found.type.name == type:
                return found
        raise Error(Code.NO_COMPONENT, f"the server has no component {name!r}" + (f" of type {type!r}" if type else ""))

    def _all_named(self, name: str) -> list[Component]:
        return self._named.get(name) or (self.components and self._named.get(name)) or []

    def _numbered(self, number: int) -> Component:
        return self._components[number] if number < len(self._components) else self.components[number]

    # --- Entities ---

    def _referred(self, handle: int) -> Entity | None:
        return Entity(self, handle) if handle else None

    def entity(self, handle: int | str) -> Entity:
        """Returns the entity of a handle, which is a number or text such as "12.1"."""
        if isinstance(handle, str):
            index, _, generation = handle.partition(".")
            handle = int(generation) << 32 | int(index)
        return Entity(self, handle)

    def entities(self, component: str | None = None) -> list[Entity]:
        """Returns all entities in the mirror, or those with a component."""
        if not self._status.mirror:
            return []
        if component is None:
            return [Entity(self, handle) for handle in self._array("read_entities", _binding.Entity)]
        return [Entity(self, handle) for handle in
                dict.fromkeys(handle for each in self._all_named(component) for handle in self._having(each.number))]

    def _having(self, component: int) -> list[int]:
        info = sized(_binding.ComponentInfo)
        self._call("component", component, ctypes.byref(info))
        handles = (_binding.Entity * info.entities)()
        count = ctypes.c_uint32()
        self._call("read_column", component, handles, None, 0, info.entities, ctypes.byref(count))
        return list(handles[: count.value])

    @property
    def player(self) -> Entity | None:
        """The player's own entity. None while it has none, or the mirror does not have it yet. It may change."""
        entity = Entity(self, self._status.player)
        return entity if self._status.player and entity.exists else None

    def has(self, entity: Entity) -> bool:
        """Returns whether an entity is in the mirror."""
        info = sized(_binding.EntityInfo)
        return self._function("entity")(self._handle, entity.handle, ctypes.byref(info)) == Code.OK

    def entity_info(self, entity: Entity) -> EntityInfo:
        """Returns an entity's state in the mirror."""
        info = sized(_binding.EntityInfo)
        self._call("entity", entity.handle, ctypes.byref(info))
        return EntityInfo(bool(info.stale), bool(info.owned), info.tick, info.prototype)

    def components_of(self, entity: Entity) -> list[str]:
        """Returns the names of an entity's components; none if it is not in the mirror."""
        try:
            numbers = self._array("components_of", ctypes.c_uint32, entity.handle)
        except Error as error:
            if error.code in (Code.NO_ENTITY, Code.NO_MIRROR):
                return []
            raise
        return [self._numbered(number).name for number in numbers]

    # --- Values ---

    def _read_any(self, name: str, component: str, call: Any) -> Any:
        """Reads the component of this name that the entity has. `call` gets its number."""
        found = self._all_named(component) or [self.component(component)]
        for at, each in enumerate(found):
            try:
                self._call(name, *call(each.number), self._value, len(self._value))
                return each.type.read(self._value)
            except Error as error:
                if error.code != Code.NO_COMPONENT or at + 1 == len(found):
                    raise
        return None

    def read(self, entity: Entity, component: str) -> Any:
        """Returns a component's newest value as a named tuple."""
        return self._read_any("read", component, lambda number: (entity.handle, number))

    def sample(self, entity: Entity, component: str, tick: float | None = None) -> Any:
        """Returns a component as it was at a moment, by default at the view tick of now."""
        moment = self._view_tick(tick)
        return self._read_any("sample", component, lambda number: (entity.handle, number, moment))

    def read_value(self, entity: Entity, path: str) -> Any:
        """Returns one value by its path, such as "Transform/position.x"."""
        value = _binding.Value()
        self._call("read_value", entity.handle, path.encode(), ctypes.byref(value))
        held = HELD.get(value.kind, lambda value: value.as_.integer)(value)
        return self._referred(held) if value.kind == FieldKind.ENTITY else held

    def read_json(self, entity: Entity, path: str) -> Any:
        """Returns a component, struct, array or value as JSON has it."""
        return json.loads(self._text("read_json", entity.handle, path.encode()) or "null")

    # --- Moments ---

    @property
    def clock(self) -> Clock | None:
        """Estimates of now, or None before the first delta."""
        read = sized(_binding.Clock)
        self._call("clock", self._now(), ctypes.byref(read))
        return Clock(read.server_tick, read.target_tick, read.view_tick) if read.known else None

    def _view_tick(self, tick: float | None) -> float:
        if tick is not None:
            return tick
        clock = self.clock
        if clock is None:
            raise Error(Code.WRONG_STATE, "the server's tick is not known before the first delta")
        return clock.view_tick

    def sample_pose(self, entity: Entity, tick: float | None = None) -> Pose:
        """Returns an entity's place and rotation in the world at a moment, by default at the view tick of now."""
        pose = _binding.Pose()
        self._call("sample_pose", entity.handle, self._view_tick(tick), ctypes.byref(pose))
        return Pose(Position(*pose.position), Rotation(*pose.rotation))

    # --- Columns ---

    def column(self, component: str, *, tick: float | None = None) -> Column:
        """Copies a component of all entities to arrays of numpy, whose dtype is that of the component's type.

        With a tick they are the values of that moment, of the entities that had the component then.
        """
        from . import columns

        return columns.copy(self, self.component(component), tick)

    def map_column(self, component: str) -> Iterator[Column]:
        """Yields a component of all entities as read-only arrays over the library's memory, some entities at a time.

        Nothing is copied but the handles. The arrays must not be used after the next update.
        """
        from . import columns

        return columns.view(self, self.component(component))

    # --- Changes and events ---

    def changes(self) -> list[Change]:
        """Returns what the last update has changed, in order."""
        return [Change(ChangeKind(each.kind), Entity(self, each.entity),
                       None if each.component == NO_COMPONENT else self._numbered(each.component).name)
                for each in self._array("read_changes", _binding.Change)]

    def events(self) -> list[Event]:
        """Returns the events of ticks that the mirror has reached with the last update, by tick."""
        return [Event(each.tick, self._referred(each.about), Presence(each.presence),
                      ctypes.string_at(each.bytes or 0, each.size) if each.size else b"")
                for each in self._array("read_events", _binding.Event)]
