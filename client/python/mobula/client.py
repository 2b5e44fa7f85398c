"""A client with the library's UDP socket."""

from __future__ import annotations

import os
import time
from types import TracebackType
from typing import Iterator

from ._session import Levels, Options, Schema, Status
from .enums import Code, Reason, State
from .errors import Error
from .mirror import Mirror
from .resumption import NOT_NOW, Resumption
from .tokens import Token, TokenSource, source_of

UPDATE_SECONDS = 0.1  # longest wait of an update while nothing arrives


class Client(Mirror):
    """A client that waits in `update`. mobula.connect makes it.

    for status in client: …      one round per update, until the client is closed
    with client: …               closes it at the end
    """

    def __init__(self, token: Token, options: Options, source: TokenSource | None = None) -> None:
        super().__init__(token, options, source)
        # The library itself rejoins on its own socket.
        self._resumption = Resumption(has_tokens=source is not None, can_rejoin=False)

    def open(self, address: str | None = None) -> None:
        """Opens the socket. The address is HOST, HOST:PORT or udp://HOST:PORT.

        By default those of the token are tried one after the other.
        """
        self._call("connect_udp", None if address is None else address.encode())

    def update(self, timeout: float = UPDATE_SECONDS) -> Status:
        """Waits for a datagram, at most `timeout` seconds, and takes a step. Changes and events are those of this step.

        A lost connection is resumed. Raises Error with Code.CLOSED when it is closed for good.
        """
        try:
            self._call("poll", max(0, round(timeout * 1000)))
        except Error as error:
            self._after_update()
            if error.code != Code.CLOSED or not self._reconnect():
                raise
        status = self._after_update()
        if status.state == State.PLAYING:
            self._resumption.succeeded()
        elif status.can_reconnect and self._resumption.is_due(time.monotonic()):
            self._reconnect()  # the library's rejoin has no answer
            status = self.status
        return status

    def _reconnect(self) -> bool:
        """Starts a new session. Returns False if the server does not allow that, or there are no tokens."""
        now = time.monotonic()
        if self._source is None or self._resumption.next(self.status, Reason.NO_ANSWER, now) is None:
            return False
        time.sleep(self._resumption.pause(now))
        try:
            self._new_session(self._source())
        except Error as error:
            if error.code not in NOT_NOW:
                raise
        return True

    def wait(self, timeout: float, *, complete: bool = True) -> Status:
        """Updates until the client plays and its mirror is complete. Raises TimeoutError, or Error if it is refused."""
        end = time.monotonic() + timeout
        while (left := end - time.monotonic()) > 0:
            status = self.update(min(left, UPDATE_SECONDS))
            if status.state == State.PLAYING and (status.complete or not complete):
                return status
        raise TimeoutError(f"not connected within {timeout} s: {self.status.state.name.lower()}")

    def __iter__(self) -> Iterator[Status]:
        while not self.closed:
            yield self.update()

    def close(self) -> None:
        """Leaves the server. A second call does nothing.

        Raises Error with Code.BUSY while another thread updates the client, which then remains open.
        """
        self._release()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()


def connect(
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
) -> Client:
    """Joins a server and waits until the mirror is complete. One of the first three gives the connect token.

    admin        URL of a server's admin address, which issues tokens in development
    token        a token, as bytes or base64; or a function that returns one, which is called again to reconnect
    token_file   a file with a token
    address      HOST, HOST:PORT or udp://HOST:PORT of the server, instead of the token's addresses
    name         the player's name, at most 24 bytes
    user_data    the player's account, for `admin`; admin_token: the bearer token that it asks for
    spectate     join without an entity and without commands
    verify       compare the mirror with hashes of the server
    schema       the .bfbs that this program was written for, as bytes or path; a server with another one is refused
    commands     the .bfbs of the game's commands, to give them as dicts
    levels       keeps levels by their hash, such as {} or a shelve; without it levels are not downloaded
    timeout      longest wait in seconds; then TimeoutError is raised. A server that does not answer is named after 10 s

    Raises Error if the server refuses the client, or the token is none.
    """
    source, repeatable = source_of(token=token, token_file=token_file, admin=admin, user_data=user_data,
                                   admin_token=admin_token)
    options = Options(name, spectate, verify, schema, commands, levels)
    client = Client(source(), options, source if repeatable else None)
    try:
        client.open(address)
        client.wait(timeout)
    except BaseException:
        client.close()
        raise
    return client
