"""Reads mobula_client.h: its functions, structs and constants, as ctypes."""

import ctypes
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[3]
HEADER = ROOT / "client/c/mobula_client.h"

SCALARS = {
    "int32_t": ctypes.c_int32, "int64_t": ctypes.c_int64, "uint8_t": ctypes.c_uint8, "uint32_t": ctypes.c_uint32,
    "uint64_t": ctypes.c_uint64, "float": ctypes.c_float, "double": ctypes.c_double,
    "mobula_result": ctypes.c_int32, "mobula_entity": ctypes.c_uint64,
}


class Header:
    def __init__(self, text=None):
        text = re.sub(r"/\*.*?\*/", "", text or HEADER.read_text(encoding="utf-8"), flags=re.S)
        text = re.sub(r"^\s*#.*$", "", text, flags=re.M)
        self.constants = constants_of(text)
        bodies = re.findall(r"typedef struct (\w+) \{(.*?)\n\} \1;", text, re.S)
        self.structs = {}  # name: [(member, type)]; a type is a scalar, "TYPE*", (type, length) or a list of members
        for name, body in bodies:
            self.structs[name] = self.members(body)
        self.functions = {}  # name: (result, [types])
        for result, name, given in re.findall(r"MOBULA_API\s+([\w *]+?[ *])(\w+)\(([^)]*)\);", text):
            arguments = [] if given.strip() in ("", "void") else given.split(",")
            self.functions[name] = (self.type(result.strip()), [self.declaration(each)[1] for each in arguments])

    def type(self, text):
        text = re.sub(r"\bconst\b", "", text).replace(" ", "")
        return SCALARS.get(text, text)

    def declaration(self, text):
        """Returns name and type of "const char* name" or "float rotation[4]"."""
        kind, name, length = re.fullmatch(r"\s*(.*?[ *])(\w+)(?:\[(\w+)\])?\s*", text, re.S).groups()
        kind = self.type(kind)
        return name, (kind, int(length) if length.isdecimal() else self.constants[length]) if length else kind

    def members(self, body):
        found, union = [], re.search(r"union \{(.*?)\} (\w+);", body, re.S)
        for each in (body[: union.start()] if union else body).split(";"):
            if each.strip():
                found.append(self.declaration(each))
        return found + ([(union[2], self.members(union[1]))] if union else [])


def constants_of(text):
    """Returns the values of all enumerators."""
    found = {}
    for body in re.findall(r"enum \{(.*?)\};", text, re.S):
        value = -1
        for each in filter(None, (part.strip() for part in body.split(","))):
            name, _, given = (part.strip() for part in each.partition("="))
            value = eval(given.rstrip("u"), {"__builtins__": {}}) if given else value + 1
            found[name] = value
    return found
