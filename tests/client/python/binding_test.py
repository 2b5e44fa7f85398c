"""The ctypes declarations against the header, so that they cannot drift."""

import ctypes
import re
import unittest

from header import Header
from mobula import _binding


def fits(declared, kind):
    """Returns whether a ctypes type is what the header declares."""
    if isinstance(declared, tuple):
        return issubclass(kind, ctypes.Array) and kind._length_ == declared[1] and fits(declared[0], kind._type_)
    if not isinstance(declared, str):
        return kind is declared
    if not declared.endswith("*"):
        return kind is _binding.STRUCTS.get(declared)
    if declared == "char*":
        return kind in (ctypes.c_char_p, ctypes.c_void_p)
    if declared == "void*":
        return kind is ctypes.c_void_p
    target = declared[:-1]
    target = getattr(ctypes, "c_" + target[:-2], None) if target.endswith("_t") else target
    if target == "mobula_entity":
        target = ctypes.c_uint64
    return hasattr(kind, "contents") and fits(target, kind._type_)


class Binding(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.header = Header()

    def test_it_has_every_function_of_the_header(self):
        self.assertGreater(len(self.header.functions), 40)
        self.assertEqual(set(_binding.FUNCTIONS), set(self.header.functions))

    def test_each_function_has_the_header_s_signature(self):
        for name, (result, arguments) in self.header.functions.items():
            with self.subTest(name):
                declared_result, declared = _binding.FUNCTIONS[name]
                self.assertTrue(fits(result, declared_result), result)
                self.assertEqual(len(declared), len(arguments))
                for wanted, kind in zip(arguments, declared):
                    # An array as a parameter is a pointer, which ctypes takes an array for as well.
                    self.assertTrue(fits(wanted, kind), f"{wanted} is declared as {kind}")

    def test_it_has_every_struct_with_the_header_s_members(self):
        self.assertEqual(set(_binding.STRUCTS), set(self.header.structs))
        for name, members in self.header.structs.items():
            self.check_members(name, members, _binding.STRUCTS[name])

    def check_members(self, name, members, kind):
        with self.subTest(name):
            self.assertEqual([each for each, _ in members], [each.rstrip("_") for each, _ in kind._fields_])
            for (member, wanted), (_, declared) in zip(members, kind._fields_):
                if isinstance(wanted, list):
                    self.check_members(f"{name}.{member}", wanted, declared)
                else:
                    self.assertTrue(fits(wanted, declared), f"{member}: {wanted} is declared as {declared}")

    def test_structs_that_grow_begin_with_their_size(self):
        for name, members in self.header.structs.items():
            self.assertNotIn("struct_size", [each for each, _ in members[1:]], name)

    def test_a_header_with_another_member_or_argument_is_noticed(self):
        for there, other in (("uint32_t can_rejoin;", "uint64_t can_rejoin;"),
                             ("mobula_client_poll(mobula_client client, uint32_t timeout_ms)",
                              "mobula_client_poll(mobula_client client, int64_t timeout_ms)"),
                             ("float position[3];", "float position[4];"), ("const char* name;     /*", "int32_t name; /*")):
            with self.subTest(other):
                self.assertFalse(self.equals(self.changed(there, other)))
        self.assertTrue(self.equals(self.header))

    def changed(self, there, other):
        from header import HEADER

        text = HEADER.read_text(encoding="utf-8")
        self.assertRegex(text, re.escape(there))
        return Header(text.replace(there, other))

    @staticmethod
    def equals(header):
        functions = all(fits(wanted, kind) for name, (_, arguments) in header.functions.items()
                        for wanted, kind in zip(arguments, _binding.FUNCTIONS[name][1]))
        members = all(fits(wanted, kind) for name, given in header.structs.items()
                      for (_, wanted), (_, kind) in zip(given, _binding.STRUCTS[name]._fields_)
                      if not isinstance(wanted, list))
        return functions and members


if __name__ == "__main__":
    unittest.main()
