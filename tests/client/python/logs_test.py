"""The library's log as records of logging."""

import ctypes
import logging
import unittest
from unittest import mock

from mobula import logs
from mobula.enums import Code, LogLevel


class Library:
    """A log with lines that wait."""

    def __init__(self, lines):
        self.lines, self.level = lines, None

    def mobula_set_log_level(self, level):
        self.level = level

    def mobula_next_log(self, level, buffer, capacity, length):
        if not self.lines:
            return Code.NOTHING
        number, line = self.lines[0]
        length._obj.value = len(line)
        if len(line) >= capacity:
            return Code.BUFFER_TOO_SMALL
        level._obj.value = number
        ctypes.memmove(buffer, line + b"\0", len(line) + 1)
        self.lines.pop(0)
        return Code.OK


class Logs(unittest.TestCase):
    def drain(self, lines, level=logging.DEBUG // 2):
        library = Library(lines)
        with mock.patch("mobula._library.load", return_value=library), mock.patch.object(logs, "_set", None):
            with self.assertLogs("mobula", level) as caught:
                logs.logger.critical("the first")
                logs.drain()
        self.assertEqual(library.lines, [])
        return library, [(each.levelno, each.getMessage()) for each in caught.records[1:]]

    def test_lines_have_their_levels(self):
        _, records = self.drain([(LogLevel.TRACE, b"t"), (LogLevel.DEBUG, b"d"), (LogLevel.INFO, b"i"), (LogLevel.WARN, b"w"),
                                 (LogLevel.ERROR, b"100 % \xc3\xa9"), (99, b"?")])
        self.assertEqual(records, [(5, "t"), (10, "d"), (20, "i"), (30, "w"), (40, "100 % é"), (40, "?")])

    def test_a_long_line_is_not_cut(self):
        long = b"x" * (3 * logs.LINE_BYTES)
        _, records = self.drain([(LogLevel.WARN, b"short"), (LogLevel.WARN, long), (LogLevel.WARN, b"short")])
        self.assertEqual([text for _, text in records], ["short", long.decode(), "short"])

    def test_the_library_has_the_logger_s_level(self):
        for level, wanted in ((logging.DEBUG, LogLevel.DEBUG), (logging.INFO, LogLevel.INFO), (logging.WARNING, LogLevel.WARN),
                              (logging.ERROR, LogLevel.ERROR), (1, LogLevel.TRACE)):
            library, _ = self.drain([], level)
            self.assertEqual(library.level, wanted)
        self.assertEqual(logs.level_of(logging.CRITICAL), LogLevel.OFF)


if __name__ == "__main__":
    unittest.main()
