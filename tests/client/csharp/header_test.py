#!/usr/bin/env python3
# Compares client/c/mobula_client.h with its declarations in C#: header_test.py ROOT. Functions with their parameters, structs
# with the types and names of their members, and enums with their values are the same, and none is left out.
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else pathlib.Path(__file__).parents[3]).resolve()

# C#'s enum of each group of C, by the first constant of the group; with the prefix of its constants.
ENUMS = {
    "MOBULA_OK": ("Result", "MOBULA_", "MOBULA_ERROR_"),
    "MOBULA_SPECTATE": ("ClientFlags", "MOBULA_"),
    "MOBULA_CONNECTING": ("ClientState", "MOBULA_"),
    "MOBULA_REASON_NONE": ("CloseReason", "MOBULA_REASON_"),
    "MOBULA_SPAWNED": ("ChangeKind", "MOBULA_"),
    "MOBULA_BOOL": ("ValueKind", "MOBULA_"),
    "MOBULA_FIELD_RANGED": ("FieldFlags", "MOBULA_FIELD_"),
    "MOBULA_IN_VIEW": ("Presence", "MOBULA_"),
    "MOBULA_NO_OWN_ENTITY": ("PredictionFlags", "MOBULA_"),
    "MOBULA_AS_MIRRORED": ("PredictedState", "MOBULA_"),
    "MOBULA_EFFECT_BEGUN": ("EffectKind", "MOBULA_EFFECT_"),
    "MOBULA_SPAWN_PREDICTED": ("SpawnKind", "MOBULA_SPAWN_"),
    "MOBULA_LOG_TRACE": ("LogLevel", "MOBULA_LOG_"),
}
# Constants of C# by those of C that are in no enum there; None if C# has no use for one.
CONSTANTS = {
    "MOBULA_CLIENTS_MAX": None,
    "MOBULA_DATAGRAM_BYTES_MAX": "DatagramBytesMax",
    "MOBULA_NO_COMPONENT": "NoComponent",
    "MOBULA_NO_FIELD": None,
    "MOBULA_HASH_BYTES": "HashBytes",
}
SCALARS = {"uint8_t": "byte", "int32_t": "int", "uint32_t": "uint", "int64_t": "long", "uint64_t": "ulong", "float": "float",
           "double": "double", "char": "byte", "void": "void", "mobula_result": "int", "mobula_entity": "ulong"}
COORDINATES = "XYZW"  # C# has a member for each element of an array


def words(name):
    """Returns a name as the letters of its words, so that read_column and ReadColumn are equal."""
    return name.replace("_", "").lower()


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)


class Header:
    def __init__(self, text):
        text = without_comments(text)
        self.functions = {name: (result.replace("MOBULA_API", "").strip(), self.parameters(parameters)) for result, name, parameters in
                          re.findall(r"(MOBULA_API[\w\s*]*?)\b(mobula_\w+)\(([^)]*)\);", text)}
        self.structs = {name: self.members(body) for body, name in
                        re.findall(r"typedef struct \w+ \{((?:[^{}]|\{[^{}]*\})*)\} (\w+);", text)}
        self.enums = [self.constants(body) for body in re.findall(r"\benum\s*\{([^}]*)\}", text)]
        self.enums += [{name: int(value, 0)} for name, value in re.findall(r"#define (MOBULA_\w+) (\d\w*?)u?\s", text)]

    @staticmethod
    def parameters(text):
        return [] if text.strip() == "void" else [Header.declaration(each) for each in text.split(",")]

    @staticmethod
    def declaration(text):
        """Returns type and name of "const char* name", without const; an array is a pointer."""
        found = re.fullmatch(r"\s*(?:const\s+)?(\w+)\s*(\**)\s*(\w+)\s*(\[\w+\])?\s*", text)
        assert found, f"a declaration of another form: {text!r}"
        return found[1] + found[2] + ("*" if found[4] else ""), found[3]

    @staticmethod
    def members(body):
        members = []
        for each in body.split(";"):
            array = re.fullmatch(r"\s*float\s+(\w+)\[(\d)\]\s*", each)
            if array and "union" not in body:
                members += [("float", array[1] + COORDINATES[at]) for at in range(int(array[2]))]
            elif each.strip() and "union" not in body:
                members.append(Header.declaration(each))
        return members

    @staticmethod
    def constants(body):
        values, following = {}, 0
        for each in filter(str.strip, body.split(",")):
            name, _, value = (part.strip() for part in each.partition("="))
            following = eval(re.sub(r"u$", "", value)) if value else following  # noqa: S307: our own header
            values[name] = following
            following += 1
        return values


class CSharp:
    def __init__(self, texts):
        commented = "\n".join(texts)
        text = without_comments(commented)
        self.functions = {name: (result, [tuple(each.split()) for each in filter(None, map(str.strip, parameters.split(",")))])
                          for result, name, parameters in re.findall(r"static extern (\S+) (mobula_\w+)\(([^)]*)\);", text)}
        # `struct Status {  // mobula_status` begins the struct of that name.
        self.structs = {c_name: (name, re.findall(r"^  (?:public|internal|private) (?!static|const|unsafe)([\w*]+) (\w+);", body, re.M))
                        for name, c_name, body in re.findall(r"struct (\w+)[^{\n]*\{  // (mobula_\w+)\n(.*?)^\}", commented, re.S | re.M)}
        self.enums = {name: (kind, Header.constants(body)) for name, kind, body in
                      re.findall(r"public enum (\w+)(?: : (\w+))? \{([^}]*)\}", text)}
        self.constants = {name: int(value, 0) for name, value in re.findall(r"const \w+ (\w+) = (\w+);", text) if value[0].isdigit()}

    def type_of(self, c_type):
        """Returns the C# of a type of C."""
        name, stars = re.fullmatch(r"(\w+)(\**)", c_type).groups()
        return (self.structs[name][0] if name in self.structs else SCALARS[name]) + stars


class Declarations(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.c = Header((ROOT / "client/c/mobula_client.h").read_text())
        cls.csharp = CSharp([path.read_text() for path in sorted((ROOT / "client/csharp/src").glob("*.cs")) if path.name != "Engine.cs"])

    def test_header_is_understood(self):
        self.assertGreater(len(self.c.functions), 40)
        declared = re.findall(r"^MOBULA_API", (ROOT / "client/c/mobula_client.h").read_text(), re.M)
        self.assertEqual(len(self.c.functions), len(declared))
        self.assertGreater(len(self.c.structs), 10)

    def test_each_function_is_declared(self):
        self.assertEqual(set(self.c.functions), set(self.csharp.functions))

    def test_functions_have_the_same_parameters(self):
        for name, (result, parameters) in self.c.functions.items():
            with self.subTest(function=name):
                expected = (self.csharp.type_of(result.replace("const ", "").replace(" ", "")),
                            [(self.csharp.type_of(kind), words(parameter)) for kind, parameter in parameters])
                given = self.csharp.functions[name]
                self.assertEqual(expected, (given[0], [(kind, words(parameter)) for kind, parameter in given[1]]))

    def test_each_struct_is_declared(self):
        self.assertEqual(set(self.c.structs), set(self.csharp.structs))

    def test_structs_have_the_same_members(self):
        for c_name, members in self.c.structs.items():
            if c_name == "mobula_value":  # its union has explicit offsets; the tests of a running world read each kind
                continue
            name, given = self.csharp.structs[c_name]
            with self.subTest(struct=name):
                self.assertTrue(members)
                self.assertEqual([words(member) for _, member in members], [words(member) for _, member in given])
                for (c_type, member), (kind, _) in zip(members, given):
                    # An enum of C# has the type that it is declared with.
                    kind = self.csharp.enums[kind][0] or "int" if kind in self.csharp.enums else kind
                    self.assertEqual(self.csharp.type_of(c_type), kind, member)

    def test_enums_have_the_same_values(self):
        seen = set()
        for constants in self.c.enums:
            first = next(iter(constants))
            if first not in ENUMS:
                for constant, value in constants.items():
                    self.assertIn(constant, CONSTANTS)
                    seen.add(constant)
                    if CONSTANTS[constant]:
                        self.assertEqual(self.csharp.constants[CONSTANTS[constant]], value, constant)
                continue
            name, *prefixes = ENUMS[first]
            seen.add(first)
            with self.subTest(enum=name):
                expected = {}
                for constant, value in constants.items():
                    prefix = max((each for each in prefixes if constant.startswith(each)), key=len)
                    expected[words(constant[len(prefix):])] = value
                given = {words(constant): value for constant, value in self.csharp.enums[name][1].items()}
                given = {constant: value for constant, value in given.items() if constant != "none" or "none" in expected}
                self.assertEqual(expected, given)
        self.assertEqual(seen, set(ENUMS) | set(CONSTANTS))


if __name__ == "__main__":
    unittest.main()
