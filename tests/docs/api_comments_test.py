"""api_comments.py documents what is public, by the comments of a header, and leaves the rest as it is."""

import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs" / "tools"))
import api_comments  # noqa: E402
import docs  # noqa: E402


class Comments(unittest.TestCase):
    def documents(self, source, expected, name="ban_list.hpp"):
        """Compares what becomes of declarations in a namespace."""
        begin, end = "namespace bans {\n\n", "\n}  // namespace bans\n"
        self.assertEqual(api_comments.documented(begin + source + end, name), begin + expected + end)

    def keeps(self, source):
        self.documents(source, source)

    def test_comments_above_declarations(self):
        self.documents("// A ban.\n// It ends.\nstruct Ban {\n  // Seconds.\n  int left;\n};\n// Returns it.\nint find(int id);\n",
                       "/// A ban.\n/// It ends.\nstruct Ban {\n  /// Seconds.\n  int left;\n};\n/// Returns it.\nint find(int id);\n")

    def test_comments_behind_declarations(self):
        self.documents("struct Ban {\n  int left = 0;  // seconds,\n                 // or less\n  int id;\n};\nint find();  // ends\n",
                       "struct Ban {\n  int left = 0;  ///< seconds,\n                 ///< or less\n  int id;\n};\nint find();  ///< ends\n")

    def test_values_of_an_enum(self):
        self.documents("enum class Kind {\n  kick,  // ends\n  // Stays.\n  ban  // holds\n};\n",
                       "enum class Kind {\n  kick,  ///< ends\n  /// Stays.\n  ban  ///< holds\n};\n")

    def test_bodies_keep_their_comments(self):
        self.keeps("inline int find(int id) {\n  // Newest first.\n  return id;  // or later\n}\n")
        self.keeps("struct Ban {\n  int find() {\n    // Newest first.\n    return 1;  // or later\n  }\n};\n")

    def test_private_members_keep_their_comments(self):
        self.keeps("class Bans {\n  int a;  // first\n private:\n  // Second.\n  int b;\n};\n")

    def test_public_members_of_a_class(self):
        self.documents("class Bans final : public Base {\n public:\n  int a;  // first\n private:\n  int b;  // second\n};\n",
                       "class Bans final : public Base {\n public:\n  int a;  ///< first\n private:\n  int b;  // second\n};\n")

    def test_templates(self):
        self.documents("// A list.\ntemplate <class T, class A = std::vector<T>>\nclass List {\n public:\n  T t;  // one\n};\n",
                       "/// A list.\ntemplate <class T, class A = std::vector<T>>\nclass List {\n public:\n  T t;  ///< one\n};\n")

    def test_arguments_keep_their_comments(self):
        self.keeps("int find(int id,  // a number\n         int most);\n")

    def test_comments_of_nothing_remain(self):
        self.keeps("// Searching -----\n\nint find();\n")
        self.keeps("struct Ban {\n  int id;\n  // The end.\n};\n")

    def test_characters_that_are_commands(self):
        self.documents("// Writes @end and \\n to <b> and #1, as 5% of it. a < b, std::vector\nint find();\n",
                       "/// Writes \\@end and \\\\n to \\<b> and \\#1, as 5% of it. a < b, std::vector\nint find();\n")

    def test_documentation_keeps_its_commands(self):
        self.documents("/// See @ref x, and #include.\nint find();\n", "/// See @ref x, and \\#include.\nint find();\n")

    def test_texts_with_slashes_are_no_comments(self):
        self.keeps('constexpr auto url = "http://x";\nconstexpr char slash = \'/\';\n')

    def test_indented_lines_are_shown_as_they_are(self):
        self.documents("// Bytes:\n//\n//   u8  <kind>\n//     more\n//\n// - an item\n//   of two lines\nint find();\n",
                       "/// Bytes:\n///\n///       u8  <kind>\n///         more\n///\n/// - an item\n///   of two lines\nint find();\n")


class Heads(unittest.TestCase):
    def head(self, source, name="ban_list.hpp"):
        text = f"// Bans.\n#pragma once\n\nnamespace bans {{\n{source}}}\n"
        documented = api_comments.documented(text, name)
        self.assertEqual(documented.count("\n"), text.count("\n"), "lines stay in their places")
        return documented.split("\n")[:2]

    def test_a_type_alone_has_the_text_of_its_file(self):
        self.assertEqual(self.head("class Bans {\n};\n"), ["/// @class bans::Bans", "/// Bans."])

    def test_a_type_has_the_name_of_its_file(self):
        self.assertEqual(self.head("struct Ban {\n};\nclass BanList {\n};\n"), ["/// @class bans::BanList", "/// Bans."])

    def test_several_types_leave_it_to_the_file(self):
        self.assertEqual(self.head("struct Ban {\n};\nclass Bans {\n};\n"), ["/// @file", "/// Bans."])

    def test_a_documented_type_leaves_it_to_the_file(self):
        self.assertEqual(self.head("/// A ban.\nstruct Ban {\n};\nclass Later;\n"), ["/// @file", "/// Bans."])


class HeaderOfC(unittest.TestCase):
    def test_comments_of_c(self):
        source = ('/* Bans.\n *\n *   list ──► ban\n */\n#ifdef __cplusplus\nextern "C" {\n#endif\n\n/* --- Life --- */\n\n'
                  "#define MOST 5 /* bans */\n/* Finds @1\n * later. */\nint find(int id);\n"
                  "typedef struct ban {\n  int left; /* seconds */\n} ban;\n")
        expected = ('/** Bans.\n *\n *       list ──► ban\n * @file */\n#ifdef __cplusplus\nextern "C" {\n#endif\n\n/* --- Life --- */\n\n'
                    "#define MOST 5 /**< bans */\n/** Finds \\@1\n * later. */\nint find(int id);\n"
                    "typedef struct ban {\n  int left; /**< seconds */\n} ban;\n")
        self.assertEqual(api_comments.documented(source, "bans.h"), expected)


class PublicHeaders(unittest.TestCase):
    def test_each_public_type_has_a_text(self):
        headers = docs.public_headers(ROOT)
        self.assertGreater(len(headers), 100)
        for header in headers:
            file = api_comments.File(header.read_text(encoding="utf-8"), header.name)
            file.documented()
            self.assertEqual(list(file.without_text), [], header)
            self.assertEqual(file.scopes.open, [], header)


if __name__ == "__main__":
    unittest.main()
