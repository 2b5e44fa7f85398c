"""Numbers of the C interface, by name. A newer library may have more of them: `name_of` returns those as they are."""

from __future__ import annotations

import enum
from typing import TypeVar


class Code(enum.IntEnum):
    """Results of the library's functions."""

    OK = 0
    NOTHING = 1
    INVALID_ARGUMENT = -1
    INVALID_CLIENT = -2
    BUFFER_TOO_SMALL = -3
    BUSY = -4
    CLOSED = -5
    WRONG_STATE = -6
    BAD_TOKEN = -7
    BAD_SCHEMA = -8
    BAD_JSON = -9
    BAD_LEVEL = -10
    BAD_ADDRESS = -11
    SOCKET = -12
    NO_MIRROR = -13
    NO_ENTITY = -14
    NO_COMPONENT = -15
    NO_PROPERTY = -16
    TOO_LARGE = -17
    TOO_MANY_CLIENTS = -18
    NO_ACCESS = -19
    BAD_RULES = -20


class ClientFlags(enum.IntFlag):
    """Options of a client."""

    SPECTATE = 1 << 0
    NO_VERIFY = 1 << 1
    NO_MIRROR = 1 << 2
    LEVELS = 1 << 3


class State(enum.IntEnum):
    """States of a connection."""

    CONNECTING = 0
    JOINING = 1
    PLAYING = 2
    CLOSED = 3


class Reason(enum.IntEnum):
    """Reasons why a connection is closed."""

    NONE = 0
    OTHER_PROTOCOL = 1
    SERVER_FULL = 2
    REFUSED = 3
    TIMED_OUT = 4
    LEFT = 5
    KICKED = 6
    SHUTTING_DOWN = 7
    PROTOCOL_ERROR = 8
    REPLACED = 9
    TOKEN_EXPIRED = 10
    INVALID_TOKEN = 11
    NO_ANSWER = 12
    HANDSHAKE_TIMED_OUT = 13
    PIPE_LOST = 14
    FLOODING = 15
    MOVED = 16


class ChangeKind(enum.IntEnum):
    """Kinds of changes."""

    SPAWNED = 0
    COMPOSED = 1
    CHANGED = 2
    LOST = 3
    DESTROYED = 4


class Presence(enum.IntEnum):
    """Whether the entity that an event is about is in the mirror."""

    IN_VIEW = 0
    REMOVED = 1
    UNKNOWN = 2


class FieldKind(enum.IntEnum):
    """Kinds of fields."""

    BOOL = 0
    INT8 = 1
    UINT8 = 2
    INT16 = 3
    UINT16 = 4
    INT32 = 5
    UINT32 = 6
    INT64 = 7
    UINT64 = 8
    FLOAT32 = 9
    FLOAT64 = 10
    QUATERNION = 11
    ENTITY = 12
    TEXT = 13
    NAME = 14


class FieldFlags(enum.IntFlag):
    """Properties of a field."""

    RANGED = 1 << 0
    OWNER_ONLY = 1 << 1
    PREDICTED = 1 << 2
    RECKONED = 1 << 3
    NOT_SENT = 1 << 4
    CUT = 1 << 5


class PredictionFlags(enum.IntFlag):
    """Options of a prediction."""

    NO_OWN_ENTITY = 1 << 0


class PredictedState(enum.IntEnum):
    """Whether an entity is predicted."""

    AS_MIRRORED = 0
    PREDICTED = 1
    ENDED = 2


class EffectKind(enum.IntEnum):
    """Beginnings and ends of effects."""

    BEGUN = 0
    CONFIRMED = 1
    CANCELLED = 2


class SpawnKind(enum.IntEnum):
    """Changes of entities that steps have spawned."""

    PREDICTED = 0
    MATCHED = 1
    VANISHED = 2


class LogLevel(enum.IntEnum):
    """Levels of the library's log."""

    TRACE = 0
    DEBUG = 1
    INFO = 2
    WARN = 3
    ERROR = 4
    OFF = 5


CLIENTS_MAX = 16384
DATAGRAM_BYTES_MAX = 1400
HASH_BYTES = 32
NO_COMPONENT = 0xFFFFFFFF
NO_FIELD = 0xFFFFFFFF

Number = TypeVar("Number", bound=enum.IntEnum)


def name_of(numbers: type[Number], value: int) -> Number | int:
    """Returns the member with this value, or the value itself if there is none."""
    try:
        return numbers(value)
    except ValueError:
        return value
