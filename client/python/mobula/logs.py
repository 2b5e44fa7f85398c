"""Lines of the library's log, as records of the logger "mobula". Its level decides which lines the library keeps."""

from __future__ import annotations

import ctypes
import logging

from . import _library
from .enums import Code, LogLevel

logger = logging.getLogger("mobula")
LINE_BYTES = 4096  # at first; a longer line takes a larger buffer

LEVELS: dict[int, int] = {
    LogLevel.TRACE: logging.DEBUG // 2,
    LogLevel.DEBUG: logging.DEBUG,
    LogLevel.INFO: logging.INFO,
    LogLevel.WARN: logging.WARNING,
    LogLevel.ERROR: logging.ERROR,
}

_set: LogLevel | None = None  # the level that the library has


def level_of(python_level: int) -> LogLevel:
    """Returns the library's level for a level of `logging`."""
    return LogLevel(next((ours for ours, theirs in LEVELS.items() if python_level <= theirs), LogLevel.OFF))


def follow_logger() -> None:
    """Gives the library the logger's level, if that has changed."""
    global _set
    wanted = level_of(logger.getEffectiveLevel())
    if wanted != _set:
        _library.load().mobula_set_log_level(wanted)
        _set = wanted


def drain() -> None:
    """Hands the lines that wait to `logging`."""
    follow_logger()
    next_log = _library.load().mobula_next_log
    level, length = ctypes.c_int32(), ctypes.c_uint32()
    buffer = ctypes.create_string_buffer(LINE_BYTES)
    while (result := next_log(ctypes.byref(level), buffer, len(buffer), ctypes.byref(length))) != Code.NOTHING:
        if result == Code.BUFFER_TOO_SMALL:
            buffer = ctypes.create_string_buffer(length.value + 1)
        elif result == Code.OK:
            line = buffer.raw[: length.value].decode("utf-8", "replace")
            logger.log(LEVELS.get(level.value, logging.ERROR), "%s", line)
        else:
            return
