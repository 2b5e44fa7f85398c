"""Entities of a mirror."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, NamedTuple

from ._numbers import unsigned
from .schema import Rotation

if TYPE_CHECKING:
    from .mirror import Mirror


class Position(NamedTuple):
    """A place in metres, +y up."""

    x: float
    y: float
    z: float


class Pose(NamedTuple):
    """A place in the world and a rotation."""

    position: Position
    rotation: Rotation


class EntityInfo(NamedTuple):
    """State of an entity in the mirror.

    `stale`: it is out of view. `owned`: it is this player's own. `tick`: the tick of its newest state. Entities with
    equal `prototype` have the same components.
    """

    stale: bool
    owned: bool
    tick: int
    prototype: int


class Entity:
    """An entity: a handle, and the mirror that its components are read from.

    entity["Transform"].position.x     a component's value, as a named tuple
    "Fog" in entity                    whether it has the component
    dict(entity)                       all its components
    str(entity), int(entity)           its handle: "12.1", or 1 << 32 | 12
    """

    __slots__ = ("_mirror", "handle")

    def __init__(self, mirror: Mirror, handle: int) -> None:
        self._mirror = mirror
        self.handle = handle

    @property
    def index(self) -> int:
        return self.handle & 0xFFFFFFFF

    @property
    def generation(self) -> int:
        return self.handle >> 32

    def __int__(self) -> int:
        return self.handle

    def __str__(self) -> str:
        return f"{self.index}.{self.generation}"

    def __repr__(self) -> str:
        return f"<entity {self}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Entity) and other.handle == self.handle

    def __hash__(self) -> int:
        return hash(self.handle)

    def __getitem__(self, component: str) -> Any:
        """Returns a component's newest value. Raises Error with NO_ENTITY or NO_COMPONENT."""
        return self._mirror.read(self, component)

    def __contains__(self, component: object) -> bool:
        return component in self.keys()

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def keys(self) -> list[str]:
        """Returns the names of its components; none if it is not in the mirror."""
        return self._mirror.components_of(self)

    def get(self, component: str, default: Any = None) -> Any:
        """Returns a component's newest value, or `default` if the entity has none."""
        return self[component] if component in self else default

    def value(self, path: str) -> Any:
        """Returns one value by its path, such as "Transform/position.x"."""
        return self._mirror.read_value(self, path)

    def json(self, path: str) -> Any:
        """Returns a component, struct, array or value as JSON has it: dicts, lists, names of enums, handles as text."""
        return self._mirror.read_json(self, path)

    def sample(self, component: str, tick: float | None = None) -> Any:
        """Returns a component as it was at a moment, between two states. By default that is the view tick of now."""
        return self._mirror.sample(self, component, tick)

    def pose(self, tick: float | None = None) -> Pose:
        """Returns place and rotation in the world at a moment, below its parents. By default the view tick of now."""
        return self._mirror.sample_pose(self, tick)

    @property
    def exists(self) -> bool:
        """Whether it is in the mirror."""
        return self._mirror.has(self)

    @property
    def info(self) -> EntityInfo:
        """Its state in the mirror. Raises Error with NO_ENTITY."""
        return self._mirror.entity_info(self)

    @property
    def stale(self) -> bool:
        """Whether it is out of view, with its last values."""
        return self.info.stale

    @property
    def owned(self) -> bool:
        """Whether it is this player's own, so that its owner_only fields are sent."""
        return self.info.owned


def handle_of(entity: Entity | int) -> int:
    """Returns the handle of an entity, which may be given by it."""
    return entity.handle if isinstance(entity, Entity) else unsigned(entity, 64, "the handle of an entity")
