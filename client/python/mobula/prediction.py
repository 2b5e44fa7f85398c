"""Prediction: a program runs the game's rules ahead of the server, so that commands take effect at once.

def step(step):
    entities = step.stepped("Body")
    bodies = step.read("Body", entities)
    bodies["position"]["x"] += bodies["velocity"]["x"] * numpy.float32(step.seconds)
    step.write("Body", entities, bodies)

prediction = Prediction(client, reads=["Surface"])
while True:
    client.update()
    prediction.update(step)

A step gives the bits of the server's step only if it computes with numpy.float32, in the same order.
"""

from __future__ import annotations

import contextlib
import ctypes
from typing import TYPE_CHECKING, Any, Callable, Iterable, NamedTuple

from . import _binding
from ._numbers import nanoseconds, unsigned
from ._session import sized
from .entity import Entity, handle_of
from .enums import Code, EffectKind, PredictedState, PredictionFlags, SpawnKind
from .errors import Error

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from .mirror import Column, Mirror


class Command(NamedTuple):
    """A command of the player in the tick in which it runs."""

    entity: int
    number: int
    data: bytes


class Effect(NamedTuple):
    """Beginning or end of an effect. `name` is the hash of its name, which Prediction.hash_of returns."""

    kind: EffectKind
    name: int
    key: int
    tick: int
    payload: bytes


class Spawn(NamedTuple):
    """A change of an entity that a step has spawned. `command` and `ordinal` identify it."""

    kind: SpawnKind
    local: int
    real: int
    command: int
    ordinal: int


class Static(NamedTuple):
    """Static data of a level. `kind` is the hash of its kind's name."""

    kind: int
    data: bytes


class Smoothing(NamedTuple):
    """How corrections of a component are shown, or of all without an entry of their own.

    `duration`: seconds in which a correction is shown, evenly; 0 shows it at once. `snap_distance`: a component whose
    position is corrected by more is shown at once.
    """

    component: str | None = None
    duration: float = 0.15
    snap_distance: float = 4.0


class Random:
    """Random numbers that the server draws alike."""

    def __init__(self, library: Any) -> None:
        self._library = library
        self._state = _binding.Random()

    def next(self) -> int:
        """Returns 64 random bits."""
        return int(self._library.mobula_random_next(ctypes.byref(self._state)))

    def below(self, bound: int) -> int:
        """Returns a number in [0, bound)."""
        return int(self._library.mobula_random_below(ctypes.byref(self._state), unsigned(bound, 32, "the bound")))

    def uniform(self, low: float, high: float) -> float:
        """Returns a number in [low, high), of 24 random bits."""
        return float(self._library.mobula_random_uniform(ctypes.byref(self._state), low, high))


class Step:
    """A tick that is stepped. It is valid within the call of the step function."""

    def __init__(self, mirror: Mirror, step: _binding.Step) -> None:
        self._mirror = mirror
        self.tick, self.replayed, self.seconds = step.tick, bool(step.replayed), step.seconds

    @property
    def commands(self) -> list[Command]:
        """The player's commands that run in this tick, by number."""
        return [Command(each.entity, each.number, ctypes.string_at(each.bytes, each.size))
                for each in self._mirror._array("mobula_step_read_commands", _binding.Command)]

    def stepped(self, *components: str) -> NDArray[numpy.uint64]:
        """Returns the handles of the stepped entities that have all of these components, ascending by index."""
        return self._find("mobula_step_read_stepped", components)

    def visible(self, *components: str) -> NDArray[numpy.uint64]:
        """Returns the handles of all entities with these components, stepped or not."""
        return self._find("mobula_step_read_visible", components)

    def read(self, component: str, entities: NDArray[numpy.uint64] | Iterable[Entity | int]) -> NDArray[Any]:
        """Returns the component of each entity, as an array of the component's dtype."""
        from . import _step_arrays

        return _step_arrays.read(self._mirror, component, entities)

    def write(self, component: str, entities: NDArray[numpy.uint64] | Iterable[Entity | int],
              values: NDArray[Any]) -> None:
        """Replaces the component of each of these stepped entities."""
        from . import _step_arrays

        _step_arrays.write(self._mirror, component, entities, values)

    def random(self, key: int) -> Random:
        """Returns random numbers that depend on the world's seed, the tick and the key alone."""
        made = Random(self._mirror._library)
        self._mirror._call("mobula_step_random", unsigned(key, 64, "the key"), ctypes.byref(made._state))
        return made

    def random_of(self, entity: Entity | int) -> Random:
        """Returns random numbers that depend on the world's seed, the tick and the entity alone."""
        made = Random(self._mirror._library)
        self._mirror._call("mobula_step_random_of", handle_of(entity), ctypes.byref(made._state))
        return made

    def find_static(self, id: int) -> Static | None:
        """Returns static data of the level that the server reads in this tick. None if there is none."""
        kind, data, size = ctypes.c_uint32(), ctypes.c_void_p(), ctypes.c_uint64()
        code = self._mirror._call("mobula_step_find_static", unsigned(id, 64, "the id"), ctypes.byref(kind),
                                  ctypes.byref(data), ctypes.byref(size))
        return Static(kind.value, ctypes.string_at(data, size.value)) if code == Code.OK else None

    def spawn(self, command: Command, *components: str) -> int:
        """Spawns an entity with the default values of these components. Returns its handle."""
        numbers = self._numbers(components)
        entity = ctypes.c_uint64()
        number = unsigned(command.number, 32, "the command's number")
        self._mirror._call("mobula_step_spawn", number, numbers, len(numbers), ctypes.byref(entity))
        return entity.value

    def destroy(self, entity: Entity | int) -> None:
        """Destroys a stepped entity."""
        self._mirror._call("mobula_step_destroy", handle_of(entity))

    def effect(self, name: str, key: int, payload: bytes = b"") -> None:
        """Emits an effect. A name and key begin it once, however often the tick is stepped."""
        data = bytes(memoryview(payload))  # ctypes takes a str too, as wide characters
        self._mirror._call("mobula_step_effect", name.encode(), unsigned(key, 64, "the key"), data, len(data))

    def _numbers(self, components: tuple[str, ...]) -> Any:
        return (ctypes.c_uint32 * len(components))(*(self._mirror.component(each).number for each in components))

    def _find(self, function: str, components: tuple[str, ...]) -> NDArray[numpy.uint64]:
        from . import _step_arrays

        return _step_arrays.find(self._mirror, function, self._numbers(components))


class Prediction:
    """The prediction of a client, which has one at a time."""

    def __init__(self, client: Mirror, *, reads: Iterable[str] = (), rules: str | None = None, own_entity: bool = True,
                 input_delay: tuple[int, int] = (0, 0), predicted_max: int = 0,
                 smoothing: Iterable[Smoothing] = (Smoothing(),), switch_duration: float = 0.3,
                 position_component: str | None = None, position_field: str = "position") -> None:
        """Creates it. `reads`: components without predicted fields that the steps read. `rules`: name of compiled-in rules.

        `input_delay`: ticks between a command and its effect, at least and at most. `predicted_max`: most ticks ahead of
        the newest complete one; 0 is 32. `smoothing`: how corrections are shown, by component. `switch_duration`: seconds
        in which the difference decays when an entity begins or ceases to be predicted. `position_component`: the component
        whose corrections `counters` measures; by default the first predicted one that has such fields. `position_field`:
        the beginning of the paths of its fields.
        """
        self._mirror = client
        given = sized(_binding.PredictionOptions)
        given.flags = 0 if own_entity else PredictionFlags.NO_OWN_ENTITY
        given.rules = _text(rules)
        given.reads = " ".join(reads).encode() if rules is None else None
        given.input_delay_least, given.input_delay_most = (unsigned(each, 32, "an input delay") for each in input_delay)
        given.predicted_max = unsigned(predicted_max, 32, "predicted_max")
        entries = [_binding.Smoothing(_text(name), nanoseconds(duration), snap) for name, duration, snap in smoothing]
        given.smoothing_count = len(entries)
        given.smoothing = (_binding.Smoothing * max(len(entries), 1))(*entries)  # null would be the default
        given.switch_duration = nanoseconds(switch_duration) or 1  # 0 would be the default
        given.position_component, given.position_field = _text(position_component), _text(position_field)
        client._call("mobula_prediction_create", ctypes.byref(given))

    def close(self) -> None:
        """Ends the prediction."""
        self._mirror._call("mobula_prediction_destroy")

    def update(self, step: Callable[[Step], None] | None = None) -> None:
        """Reconciles what has arrived, and calls the step function for each tick that is due.

        If it raises, the update is abandoned, and the prediction begins anew with the next complete tick.
        """
        mirror = self._mirror
        mirror._call("mobula_prediction_begin_update", mirror._now())
        due = sized(_binding.Step)
        try:
            while mirror._call("mobula_prediction_next_step", ctypes.byref(due)) == Code.OK:
                if step is not None:
                    step(Step(mirror, due))
                mirror._call("mobula_prediction_end_step")
        except BaseException:
            with contextlib.suppress(Error):  # the step may have closed the prediction, or the client
                mirror._call("mobula_prediction_abandon_update")
            raise

    def set_predicted(self, entity: Entity | int, predicted: bool = True) -> None:
        """Predicts an entity besides the player's own, or ceases to, from the next complete tick on."""
        self._mirror._call("mobula_prediction_set_predicted", handle_of(entity), int(predicted))

    def state_of(self, entity: Entity | int) -> PredictedState:
        """Returns whether an entity is predicted."""
        state = ctypes.c_uint32()
        self._mirror._call("mobula_prediction_entity", handle_of(entity), ctypes.byref(state))
        return PredictedState(state.value)

    def sample(self, entity: Entity | int, component: str) -> Any:
        """Returns a component as it is to be shown at the moment of the last update, as a named tuple."""
        return self._mirror._read_any("mobula_prediction_sample", component,
                                      lambda number: (handle_of(entity), number))

    def column(self, component: str) -> Column:
        """Returns a component of all entities that have it as it is to be shown, predicted spawns included."""
        from . import columns

        return columns.copy_shown(self._mirror, self._mirror.component(component))

    def read(self, entity: Entity | int, component: str) -> Any:
        """Returns the value of the newest predicted tick."""
        return self._mirror._read_any("mobula_prediction_read", component, lambda number: (handle_of(entity), number))

    @property
    def info(self) -> _binding.PredictionInfo:
        """Its ticks and moments, as mobula_prediction_info."""
        info: _binding.PredictionInfo = self._read("status", _binding.PredictionInfo)
        return info

    @property
    def counters(self) -> _binding.PredictionCounters:
        """Counters since it was created, as mobula_prediction_counters."""
        counters: _binding.PredictionCounters = self._read("statistics", _binding.PredictionCounters)
        return counters

    @property
    def last_misprediction(self) -> str | None:
        """The first difference of the last misprediction; None if this mirror had none."""
        return self._mirror._text("mobula_prediction_misprediction")

    def effects(self) -> list[Effect]:
        """Returns the effects that the last update has begun and ended, in order."""
        return [Effect(EffectKind(each.kind), each.name, each.key, each.tick,
                       ctypes.string_at(each.payload, each.size) if each.size else b"")
                for each in self._mirror._array("mobula_prediction_read_effects", _binding.Effect)]

    def spawns(self) -> list[Spawn]:
        """Returns how the entities have changed that steps have spawned, in order."""
        return [Spawn(SpawnKind(each.kind), each.local, each.real, each.command, each.ordinal)
                for each in self._mirror._array("mobula_prediction_read_spawns", _binding.Spawn)]

    def hash_of(self, name: str) -> int:
        """Returns the hash of an effect's name."""
        return int(self._mirror._library.mobula_name_hash(name.encode()))

    def _read(self, function: str, kind: Any) -> Any:
        read = sized(kind)
        self._mirror._call("mobula_prediction_" + function, ctypes.byref(read))
        return read


def _text(text: str | None) -> bytes | None:
    return None if text is None else text.encode()
