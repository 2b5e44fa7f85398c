"""Addresses of servers as people write them."""

from __future__ import annotations

from .enums import Code
from .errors import Error

GAME_PORT = 7777


def split_address(text: str) -> tuple[str, int]:
    """Returns host and port of HOST[:PORT], udp:HOST[:PORT] or udp://HOST[:PORT]. Raises Error with Code.BAD_ADDRESS."""
    rest = text
    scheme, colon, after = text.partition(":")
    url = after.startswith("//")
    if colon and (url or (scheme in ("udp", "tcp", "ws", "wss") and not after.isdecimal())):
        if scheme != "udp":
            raise Error(Code.BAD_ADDRESS, f"{text!r}: this library connects over udp")
        rest = after[2:].removesuffix("/") if url else after
    host, port = rest, str(GAME_PORT)
    if ":" in rest and not rest.endswith("]"):
        host, _, port = rest.rpartition(":")
    bracketed = host.startswith("[") and host.endswith("]")
    host = host[1:-1] if bracketed else host
    number = int(port) if port.isascii() and port.isdecimal() and len(port) <= 5 else 0
    if not host or bracketed != (":" in host) or set(host) & set("[]/") or not 0 < number < 65536:
        raise Error(Code.BAD_ADDRESS, f"{text!r} is not an address; expected HOST, HOST:PORT or udp://HOST:PORT")
    return host, number
