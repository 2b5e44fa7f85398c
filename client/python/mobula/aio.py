"""A client for asyncio, with a socket of the event loop.

async with mobula.aio.connect(admin="http://127.0.0.1:7780") as client:
    async for status in client:
        print(status.tick, client.player)
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
from typing import Any, AsyncIterator

from ._address import split_address
from ._numbers import NANOSECONDS
from ._session import Levels, Options, Schema, Status
from .enums import DATAGRAM_BYTES_MAX, Code, State
from .errors import Error
from .mirror import Mirror
from .resumption import NOT_NOW, Attempt, Resumption
from .tokens import Token, TokenSource, source_of

DATAGRAMS_MAX = 4096  # that wait for the next update; later ones are dropped, as by a full socket


class Pipe(asyncio.DatagramProtocol):
    """Keeps datagrams, with their times, until the client takes them."""

    def __init__(self, now: Any) -> None:
        self._now = now
        self._datagrams: list[tuple[bytes, int]] = []
        self.arrived = asyncio.Event()

    def datagram_received(self, data: bytes, addr: Any) -> None:
        if len(self._datagrams) < DATAGRAMS_MAX:
            self._datagrams.append((data, self._now()))
        self.arrived.set()

    def error_received(self, exc: Exception) -> None:
        """Ignores errors of the path, such as an unreachable port: the connection notices silence by itself."""

    def take(self) -> list[tuple[bytes, int]]:
        """Returns the datagrams that have arrived, once."""
        taken, self._datagrams = self._datagrams, []
        self.arrived.clear()
        return taken


class AsyncClient(Mirror):
    """A client that waits in the event loop. mobula.aio.connect makes it.

    The mirror changes only in `update`, so all that is read between two updates belongs together. Datagrams that arrive
    meanwhile wait. Update about once per tick of the server: one that receives nothing for seconds drops the client.
    """

    def __init__(self, token: Token, options: Options, source: TokenSource | None = None) -> None:
        super().__init__(token, options, source)
        self._resumption = Resumption(has_tokens=source is not None, can_rejoin=True)
        self._address: str | None = None  # instead of the token's
        self._opened = ""
        self._pipe: Pipe | None = None
        self._transport: asyncio.DatagramTransport | None = None

    async def open(self, address: str | None = None) -> None:
        """Opens a socket. The address is HOST, HOST:PORT or udp://HOST:PORT.

        By default those of the token are tried one after the other.
        """
        self._address = address
        await self._open()

    def _server(self) -> str:
        """Returns the address that datagrams must go to now."""
        return self._address or self.server_address(self.status.server) or ""

    async def _open(self) -> None:
        self._opened = self._server()
        host, port = split_address(self._opened)
        try:
            transport, pipe = await asyncio.get_running_loop().create_datagram_endpoint(
                lambda: Pipe(self._now), remote_addr=(host, port))
        except OSError as failure:
            raise Error(Code.SOCKET, f"{host}:{port}: {failure}") from failure
        self._close_transport()
        self._transport, self._pipe = transport, pipe

    def _close_transport(self) -> None:
        if self._transport is not None:
            self._transport.close()
        self._transport = self._pipe = None

    async def update(self) -> Status:
        """Waits for a datagram or for the next moment at which something is due, and takes a step.

        A lost connection is resumed. Raises Error with Code.CLOSED when it is closed for good.
        """
        pipe = self._pipe
        if pipe is None:
            raise Error(Code.WRONG_STATE, "the socket is not open")
        await self._wait(pipe)
        try:
            for datagram, arrived in pipe.take():
                self._call("receive", datagram, len(datagram), arrived)
            self._call("update", self._now())
            self._send()
        except Error as error:
            self._after_update()
            if error.code != Code.CLOSED or not await self._resume(error):
                raise
        status = self._after_update()
        if status.state == State.PLAYING:
            self._resumption.succeeded()
        elif self._server() != self._opened:
            await self._open()
        return status

    async def _wait(self, pipe: Pipe) -> None:
        wakeup, now = ctypes.c_int64(), self._now()
        code = self._function("next_wakeup")(self._handle, now, ctypes.byref(wakeup))
        seconds = max(0.0, (wakeup.value - now) / NANOSECONDS) if code == Code.OK else 0.0
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(pipe.arrived.wait(), seconds)
        await asyncio.sleep(0)  # other tasks run even if datagrams always wait

    def _send(self) -> None:
        buffer, size = ctypes.create_string_buffer(DATAGRAM_BYTES_MAX), ctypes.c_uint32()
        while self._call("next_datagram", buffer, len(buffer), ctypes.byref(size)) == Code.OK:
            if self._transport is not None and not self._transport.is_closing():
                self._transport.sendto(buffer.raw[: size.value])

    async def _resume(self, closed: Error) -> bool:
        """Starts an attempt to resume. Returns False if there is none left."""
        now = asyncio.get_running_loop().time()
        attempt = self._resumption.next(self.status, closed.reason, now)
        if attempt is None:
            return False
        await asyncio.sleep(self._resumption.pause(now))
        try:
            if attempt is Attempt.RECONNECT and self._source is not None:
                self._new_session(await asyncio.to_thread(self._source))
            else:
                self._call("rejoin", self._now())
            await self._open()  # the socket itself may be broken
        except Error as error:
            if error.code not in NOT_NOW:
                raise
        return True

    async def wait(self, *, complete: bool = True) -> Status:
        """Updates until the client plays and its mirror is complete. Raises Error if it is refused."""
        while True:
            status = await self.update()
            if status.state == State.PLAYING and (status.complete or not complete):
                return status

    def __aiter__(self) -> AsyncIterator[Status]:
        return self._rounds()

    async def _rounds(self) -> AsyncIterator[Status]:
        while not self.closed:
            yield await self.update()

    def close(self) -> None:
        """Leaves the server. A second call does nothing.

        Raises Error with Code.BUSY while another thread is in a call for the client, which then remains open.
        """
        if self.closed:
            return
        try:
            self._call("leave")
            self._send()
        except Error as error:
            if error.code == Code.BUSY:
                raise  # other errors: there is no one to leave
        self._release()
        self._close_transport()


@contextlib.asynccontextmanager
async def connect(
    *,
    admin: str | None = None,
    token: Token | TokenSource | None = None,
    token_file: str | os.PathLike[str] | None = None,
    address: str | None = None,
    name: str = "",
    user_data: str | None = None,
    admin_token: str | None = None,
    spectate: bool = False,
    verify: bool = True,
    schema: Schema = None,
    commands: Schema = None,
    levels: Levels | None = None,
    timeout: float = 15.0,
) -> AsyncIterator[AsyncClient]:
    """Joins a server, waits until the mirror is complete, and leaves at the end.

    Parameters are those of mobula.connect. Tokens are requested on a thread, so the loop is not blocked.
    """
    source, repeatable = source_of(token=token, token_file=token_file, admin=admin, user_data=user_data,
                                   admin_token=admin_token)
    options = Options(name, spectate, verify, schema, commands, levels)
    client = AsyncClient(await asyncio.to_thread(source), options, source if repeatable else None)
    try:
        await client.open(address)
        try:
            await asyncio.wait_for(client.wait(), timeout)
        except asyncio.TimeoutError:
            state = client.status.state.name.lower()
            raise TimeoutError(f"not connected within {timeout} s: {state}") from None
        yield client
    finally:
        client.close()
