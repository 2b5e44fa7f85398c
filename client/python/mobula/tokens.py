"""Sources of connect tokens."""

from __future__ import annotations

import json
import os
import pathlib
import urllib.error
import urllib.request
from typing import Callable, Union

from .enums import Code
from .errors import Error

Token = Union[bytes, str]
TokenSource = Callable[[], Token]

ANSWER_BYTES_MAX = 64 * 1024


def read_token(path: str | os.PathLike[str]) -> bytes:
    """Reads a token file: 2,048 bytes, or these as base64 text. Raises OSError."""
    return pathlib.Path(path).read_bytes()


def request_token(admin: str, *, user_data: str | None = None, admin_token: str | None = None,
                  timeout: float = 5.0) -> str:
    """Requests a token from a server's admin address, such as http://127.0.0.1:7780. Servers in development issue them.

    `user_data` is the player's account. `admin_token` is the bearer token of an address that asks for one.
    """
    if not admin.startswith(("http://", "https://")):
        raise Error(Code.BAD_ADDRESS, f"{admin!r} is not the URL of an admin address, such as http://127.0.0.1:7780")
    wanted = {"count": 1} | ({} if user_data is None else {"user_data": user_data})
    headers = {"Content-Type": "application/json"}
    if admin_token is not None:
        headers["Authorization"] = f"Bearer {admin_token}"
    url = admin.rstrip("/") + "/api/tokens"
    request = urllib.request.Request(url, json.dumps(wanted).encode(), headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return str(json.loads(answer.read(ANSWER_BYTES_MAX))["tokens"][0])
    except urllib.error.HTTPError as refused:
        text = refused.read(ANSWER_BYTES_MAX).decode("utf-8", "replace")
        raise Error(Code.BAD_TOKEN, f"{url} answers {refused.code}: {text}") from None
    except (OSError, ValueError, LookupError, TypeError) as failure:
        raise Error(Code.BAD_TOKEN, f"{url} issues no token: {failure}") from failure


def source_of(*, token: Token | TokenSource | None, token_file: str | os.PathLike[str] | None, admin: str | None,
              user_data: str | None, admin_token: str | None) -> tuple[TokenSource, bool]:
    """Returns where tokens come from, and whether a second one can be had. Raises TypeError unless one is given."""
    if [token, token_file, admin].count(None) != 2:
        raise TypeError("give one of token, token_file and admin")
    if admin is None and (user_data, admin_token) != (None, None):
        raise TypeError("user_data and admin_token are for tokens of an admin address")
    if admin is not None:
        address = admin
        return lambda: request_token(address, user_data=user_data, admin_token=admin_token), True
    if token_file is not None:
        path = token_file
        return lambda: read_token(path), False
    if callable(token):
        return token, True
    assert token is not None
    given = token
    return lambda: given, False
