"""A client of the C library without a pipe: its life, state and commands. Base of all clients."""

from __future__ import annotations

import ctypes
import json
import os
import pathlib
import weakref
from dataclasses import dataclass
from typing import Any, Callable, MutableMapping, NamedTuple, TypeVar, Union

from . import _binding, _library, logs
from ._numbers import NANOSECONDS
from .enums import HASH_BYTES, ClientFlags, Code, Reason, State, name_of
from .errors import Error
from .tokens import Token, TokenSource

TEXT_BYTES = 1024  # at first; a longer text takes a larger buffer

Schema = Union[bytes, str, "os.PathLike[str]", None]
Levels = MutableMapping[str, bytes]
Struct = TypeVar("Struct", bound=ctypes.Structure)


class Status(NamedTuple):
    """State of a client after its last update.

    `tick`: the tick of the newest delta. `complete`: the mirror holds all that the server had to send with it.
    `mirror`: number of the mirror, 0 without one; with another number, read everything anew. `entities`: number of
    entities in view. `closing_seconds`: time until the server's announced end, or None. `server`: position of the address
    in use. `rejoin_tokens`: number of the server's tokens that a lost connection can be resumed with as the same player; 0
    until they have arrived.
    """

    state: State
    can_rejoin: bool
    can_reconnect: bool
    ticks_per_second: int
    tick: int
    complete: bool
    mirror: int
    entities: int
    closing_seconds: int | None
    player: int
    mirror_hash: int
    server: int
    rejoin_tokens: int


class Statistics(NamedTuple):
    """Counters since the client was created, and estimates of the path; times are seconds."""

    loss: float
    rtt: float
    rtt_variation: float
    jitter: float
    bytes_received: int
    bytes_sent: int
    datagrams_received: int
    datagrams_sent: int
    deltas: int
    late_deltas: int
    lost_deltas: int
    verified_ticks: int
    mismatched_ticks: int
    corrections: int
    events: int
    refused_commands: int
    rejoins: int
    zone_changes: int


@dataclass(frozen=True)
class Options:
    """Options of a client; mobula.connect documents each."""

    name: str = ""
    spectate: bool = False
    verify: bool = True
    schema: Schema = None
    commands: Schema = None
    levels: Levels | None = None


def bytes_of(schema: Schema) -> bytes | None:
    """Returns a schema's bytes, which may be in a file."""
    return schema if schema is None or isinstance(schema, bytes) else pathlib.Path(schema).read_bytes()


def sized(kind: type[Struct]) -> Struct:
    """Makes a struct that begins with its own size."""
    made = kind()
    setattr(made, "struct_size", ctypes.sizeof(kind))
    return made


def address_of(data: bytes | None) -> int | None:
    """Returns where the bytes are. They must outlive the use of it."""
    return None if data is None else ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value


def read_text(function: Callable[..., int], *arguments: Any) -> tuple[int, str | None]:
    """Calls a function that writes a text. Returns its result, and the text or None."""
    length, capacity = ctypes.c_uint32(), TEXT_BYTES
    while True:
        buffer = ctypes.create_string_buffer(capacity)
        code = function(*arguments, buffer, capacity, ctypes.byref(length))
        if code != Code.BUFFER_TOO_SMALL or length.value < capacity:
            text = buffer.raw[: length.value].decode("utf-8", "replace") if code == Code.OK else None
            return code, text
        capacity = length.value + 1


class Session:
    """Calls the library for one client. A refused call raises Error."""

    def __init__(self, token: Token, options: Options, source: TokenSource | None) -> None:
        self._library = _library.load()
        self._functions: dict[str, Callable[..., int]] = {}
        self._source = source  # gives further tokens
        self._levels = options.levels
        logs.follow_logger()
        self._handle = self._create(token, options)
        # Destroyed with this object, if it is not closed before. No call for it is in progress then: it would hold the object.
        self._destroy = weakref.finalize(self, self._library.mobula_client_destroy, self._handle)
        commands = bytes_of(options.commands)
        if commands is not None:
            self._call("set_command_schema", commands, len(commands))
        for level in list(self._levels.values()) if self._levels is not None else []:
            self._call("add_level", level, len(level))
        self._updates = 0
        self._status = self._read_status()

    def _create(self, token: Token, options: Options) -> _binding.ClientHandle:
        flags = ClientFlags(0)
        for flag, wanted in ((ClientFlags.SPECTATE, options.spectate), (ClientFlags.NO_VERIFY, not options.verify),
                             (ClientFlags.LEVELS, options.levels is not None)):
            flags |= flag if wanted else ClientFlags(0)
        token_bytes = token.encode() if isinstance(token, str) else token
        schema = bytes_of(options.schema)
        given = sized(_binding.ClientOptions)
        given.flags, given.name = flags, options.name.encode() or None
        given.token, given.token_size = address_of(token_bytes), len(token_bytes)
        given.schema, given.schema_size = address_of(schema), len(schema or b"")
        handle = _binding.ClientHandle()
        code = self._library.mobula_client_create(ctypes.byref(given), self._now(), ctypes.byref(handle))
        if code < 0:
            raise self._error(code)
        return handle

    # --- Calls ---

    def _function(self, name: str) -> Callable[..., int]:
        found = self._functions.get(name)
        if found is None:
            found = self._functions[name] = getattr(
                self._library, name if name.startswith("mobula_") else "mobula_client_" + name)
        return found

    def _call(self, name: str, *arguments: Any) -> int:
        """Calls a function for this client. Raises Error if it was refused."""
        code = self._function(name)(self._handle, *arguments)
        if code < 0:
            raise self._error(code)
        return code

    def _describe(self, code: int) -> str:
        described: bytes = self._library.mobula_strerror(code)
        return described.decode("utf-8", "replace")

    def _error(self, code: int) -> Error:
        if code == Code.CLOSED:
            reason, why = self.reason
            return Error(code, why or self._describe(code), reason)
        _, text = read_text(self._library.mobula_error_text)  # the last error of this thread
        return Error(code, text or self._describe(code))

    def _text(self, name: str, *arguments: Any) -> str | None:
        """Reads a text. Returns None if there is none."""
        code, text = read_text(self._function(name), self._handle, *arguments)
        if code < 0:
            raise self._error(code)
        return text

    def _array(self, name: str, kind: Any, *arguments: Any) -> Any:
        """Reads an array of ctypes' `kind`."""
        count, capacity = ctypes.c_uint32(), 256
        while True:
            buffer = (kind * capacity)()
            code = self._function(name)(self._handle, *arguments, buffer, capacity, ctypes.byref(count))
            if code == Code.BUFFER_TOO_SMALL and count.value > capacity:
                capacity = count.value
                continue
            if code < 0:
                raise self._error(code)
            return buffer[: count.value]

    def _now(self) -> int:
        return int(self._library.mobula_now())

    # --- State ---

    @property
    def status(self) -> Status:
        """State after the last update."""
        return self._status

    def _read_status(self) -> Status:
        read = sized(_binding.Status)
        self._call("status", ctypes.byref(read))
        closing = None if read.closing_seconds == 0xFFFFFFFF else read.closing_seconds
        return Status(State(read.state), bool(read.can_rejoin), bool(read.can_reconnect), read.ticks_per_second,
                      read.tick, bool(read.complete), read.mirror, read.entities, closing, read.player,
                      read.mirror_hash, read.server, read.rejoin_tokens)

    @property
    def reason(self) -> tuple[Reason | int, str]:
        """Why the connection is closed: number and text. Reason.NONE while it is not."""
        number = ctypes.c_int32()
        text = self._text("reason", ctypes.byref(number))
        return (Reason.NONE, "") if text is None else (name_of(Reason, number.value), text)

    @property
    def statistics(self) -> Statistics:
        """Counters since the client was created, and estimates of the path."""
        read = sized(_binding.Statistics)
        self._call("statistics", ctypes.byref(read))
        counters = [getattr(read, name) for name in Statistics._fields[4:]]
        seconds = [time / NANOSECONDS for time in (read.rtt, read.rtt_variation, read.jitter)]
        return Statistics(read.loss_permille / 1000, *seconds, *counters)

    def server_address(self, at: int = 0) -> str | None:
        """Returns an address of the connect token, such as "192.0.2.1:7777", or None if it has fewer."""
        return self._text("server_address", at)

    def _after_update(self) -> Status:
        """Reads what an update has brought."""
        self._updates += 1
        logs.drain()
        self._status = self._read_status()
        if self._levels is not None:
            self._keep_levels(self._levels)
        return self._status

    def _keep_levels(self, levels: Levels) -> None:
        digest, start, size = (ctypes.c_uint8 * HASH_BYTES)(), ctypes.c_void_p(), ctypes.c_uint64()
        while self._call("next_level", digest, ctypes.byref(start), ctypes.byref(size)) == Code.OK:
            levels[bytes(digest).hex()] = ctypes.string_at(start.value or 0, size.value)

    def _new_session(self, token: Token) -> None:
        """Starts a new session of a closed client with a new token."""
        data = token.encode() if isinstance(token, str) else token
        self._call("reconnect", data, len(data), self._now())

    # --- Commands ---

    def command(self, command: bytes | str | dict[str, Any]) -> None:
        """Sets the command that the next update sends. A second one before that update replaces it.

        A command is bytes of the game, or JSON of the schema of commands that the client was created with. JSON is text,
        or a dict such as {"body_type": "Move", "body": {"x": 1}}.
        """
        if isinstance(command, bytes):
            self._call("set_command", command, len(command))
        else:
            text = command if isinstance(command, str) else json.dumps(command, allow_nan=False)
            self._call("set_command_json", text.encode())

    # --- Life ---

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return not self._destroy.alive

    def _release(self) -> None:
        """Destroys the library's client. Further calls raise Error with INVALID_CLIENT.

        While another thread is in a call, it raises Error with BUSY, and the client remains.
        """
        if not self.closed:
            code = self._library.mobula_client_destroy(self._handle)
            if code < 0 and code != Code.INVALID_CLIENT:  # another thread may have closed it meanwhile
                raise self._error(code)
            self._destroy.detach()
        logs.drain()
