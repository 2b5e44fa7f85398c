"""Finds and loads the C library: MOBULA_CLIENT_LIBRARY, a file beside this package, or what the system finds."""

from __future__ import annotations

import ctypes
import functools
import os
import pathlib
import sys

from ._binding import FUNCTIONS

NAME = "mobula-client.dll" if sys.platform == "win32" else "libmobula-client.so.0"
COMPATIBLE = (0, 2)  # major and minor version: before 1.0 a minor version may break


def candidates() -> list[str]:
    """Returns where the library may be, best first. MOBULA_CLIENT_LIBRARY excludes all others."""
    given = os.environ.get("MOBULA_CLIENT_LIBRARY")
    if given:
        return [given]
    beside = pathlib.Path(__file__).with_name(NAME)
    return [str(beside), NAME] if beside.exists() else [NAME]


def open_first(paths: list[str]) -> ctypes.CDLL:
    """Loads the first library that can be loaded. Raises ImportError with the cause of each failure."""
    failures = []
    for path in paths:
        try:
            return ctypes.CDLL(path)
        except OSError as failure:
            failures.append(str(failure))
    causes = "; ".join(failures)
    raise ImportError(f"{NAME} is not found; install it, or set MOBULA_CLIENT_LIBRARY to its path: {causes}")


def declare(library: ctypes.CDLL) -> None:
    """Gives the library's functions their signatures."""
    for name, (result, arguments) in FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments


@functools.lru_cache(maxsize=None)
def load() -> ctypes.CDLL:
    """Returns the library, which is loaded by the first call. Raises ImportError if it cannot be used."""
    library = open_first(candidates())
    try:
        declare(library)
    except AttributeError as missing:
        raise ImportError(f"{library._name} is not a library of this package's version: {missing}") from None
    version = int(library.mobula_version())
    if (version >> 16, version >> 8 & 0xFF) != COMPATIBLE:
        found = f"{version >> 16}.{version >> 8 & 0xFF}.{version & 0xFF}"
        wanted = ".".join(str(part) for part in COMPATIBLE)
        raise ImportError(f"{library._name} has version {found}; this package needs {wanted}")
    return library
