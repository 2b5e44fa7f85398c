"""check_snippets.py names every kind of wrong code block, and lets the good ones pass."""

import unittest

import check_snippets
from tree import Tree

SOURCE = "int one() {\n  return 1;\n}\n\nint two() {\n  return 2;\n}\n"
BUILD = "add_executable(x x.cpp)\n"


def block(mark, language, text):
    return (f"<!-- {mark} -->\n" if mark else "") + f"```{language}\n{text}```\n"


class Snippets(unittest.TestCase):
    def problems(self, page, **files):
        with Tree({"a.md": page, "x/x.cpp": SOURCE, "x/CMakeLists.txt": BUILD, **files}) as root:
            return check_snippets.check(root)

    def test_all_of_a_file(self):
        self.assertEqual(self.problems(block("all of x/x.cpp", "cpp", SOURCE)), [])

    def test_a_part_of_a_file(self):
        self.assertEqual(self.problems(block("from x/x.cpp", "cpp", "int two() {\n  return 2;\n}\n")), [])

    def test_a_part_that_is_indented_otherwise(self):
        self.assertEqual(self.problems(block("from x/x.cpp", "cpp", "return 2;\n")), [])

    def test_lines_left_out(self):
        self.assertEqual(self.problems(block("from x/x.cpp", "cpp", "int one() {\n  // …\n}\n\nint two() {\n")), [])

    def test_a_cmake_file(self):
        self.assertEqual(self.problems(block("from x/CMakeLists.txt", "cmake", BUILD)), [])

    def test_a_fragment_with_a_reason(self):
        self.assertEqual(self.problems(block("fragment: shows the form alone", "cpp", "foo();\n")), [])

    def test_other_languages_need_no_mark(self):
        self.assertEqual(self.problems(block("", "json", "{}\n") + block("", "", "mobula-server --help\n")), [])

    def test_a_changed_line(self):
        self.assertEqual(self.problems(block("from x/x.cpp", "cpp", "int two() {\n  return 3;\n}\n")),
                         ["a.md:2: x/x.cpp does not have these lines, from 'return 3;' on"])

    def test_lines_in_another_order(self):
        self.assertEqual(len(self.problems(block("from x/x.cpp", "cpp", "int two() {\n…\nint one() {\n"))), 1)

    def test_lines_left_out_without_a_word(self):
        self.assertEqual(len(self.problems(block("from x/x.cpp", "cpp", "int one() {\n}\n"))), 1)

    def test_other_indentation_within(self):
        self.assertEqual(len(self.problems(block("from x/x.cpp", "cpp", "int two() {\nreturn 2;\n}\n"))), 1)

    def test_not_all_of_a_file(self):
        self.assertEqual(self.problems(block("all of x/x.cpp", "cpp", "int one() {\n  return 1;\n}\n")),
                         ["a.md:2: does not show all of x/x.cpp"])

    ONE = block("part of x/x.cpp", "cpp", "int one() {\n  return 1;\n}\n")
    TWO = block("part of x/x.cpp", "cpp", "int two() {\n  return 2;\n}\n")

    def test_parts_that_are_all_of_a_file(self):
        self.assertEqual(self.problems(self.ONE + "Text.\n" + self.TWO), [])

    def test_a_missing_last_part(self):
        self.assertEqual(self.problems(self.ONE), ["a.md:2: the parts of x/x.cpp end before 'int two() {'"])

    def test_a_missing_first_part(self):
        self.assertEqual(self.problems(self.TWO), ["a.md:2: the parts of x/x.cpp lack 'int one() {' before 'int two() {'"])

    def test_a_missing_part_in_the_middle(self):
        begin = block("part of x/x.cpp", "cpp", "int one() {\n")
        self.assertEqual(self.problems(begin + self.TWO), ["a.md:6: the parts of x/x.cpp lack 'return 1;' before 'int two() {'"])

    def test_parts_in_another_order(self):
        self.assertEqual(len(self.problems(self.TWO + self.ONE)), 1)

    def test_a_part_shown_twice(self):
        self.assertEqual(len(self.problems(self.ONE + self.TWO + self.TWO)), 1)

    def test_a_part_with_lines_left_out(self):
        page = block("part of x/x.cpp", "cpp", "int one() {\n  // …\n}\n") + self.TWO
        self.assertEqual(self.problems(page), ["a.md:2: the parts of x/x.cpp lack 'return 1;' before '// …'"])

    def test_a_part_of_a_missing_file(self):
        self.assertEqual(self.problems(block("part of x/y.cpp", "cpp", "int x;\n")),
                         ["a.md:2: its source 'x/y.cpp' does not exist"])

    def test_a_source_that_is_missing(self):
        self.assertEqual(self.problems(block("from x/y.cpp", "cpp", "int x;\n")), ["a.md:2: its source 'x/y.cpp' does not exist"])

    def test_a_source_that_nothing_compiles(self):
        problems = self.problems(block("from x/y.cpp", "cpp", "int y;\n"), **{"x/y.cpp": "int y;\n"})
        self.assertEqual(problems, ["a.md:2: its source 'x/y.cpp' is named by no CMakeLists.txt, so nothing compiles it"])

    SCRIPT = 'say "Summary"\ncat <<TEXT\n   $a of 20 bots in $((b / 2)) s, each $(printf %.1f "$c") ms.\n   All.\nTEXT\n'

    def output(self, text, name="demo.sh"):
        return self.problems(block(f"output of {name}", "", text), **{"demo.sh": self.SCRIPT})

    def test_an_output(self):
        self.assertEqual(self.output("Summary\n   19 of 20 bots in 7 s, each 49.8 ms.\n   All.\n"), [])

    def test_an_output_in_other_words(self):
        self.assertEqual(self.output("Summary\n19 of 20 clients in 7 s, each 49.8 ms.\n"),
                         ["a.md:2: demo.sh does not print '19 of 20 clients in 7 s, each 49.8 ms.' here"])

    def test_an_output_in_another_order(self):
        self.assertEqual(self.output("All.\nSummary\n"), ["a.md:2: demo.sh does not print 'Summary' here"])

    def test_an_output_without_its_number(self):
        self.assertEqual(len(self.output("some of 20 bots in 7 s, each 49.8 ms.\n")), 1)

    def test_an_output_of_a_missing_script(self):
        self.assertEqual(self.output("All.\n", "x.sh"), ["a.md:2: its source 'x.sh' does not exist"])

    def test_an_empty_block(self):
        self.assertEqual(self.problems(block("from x/x.cpp", "cpp", "…\n")), ["a.md:2: shows nothing"])

    def test_code_without_a_mark(self):
        for language in ("cpp", "c", "csharp", "ts", "fbs", "cmake"):
            self.assertIn(f"code in '{language}' needs a mark", self.problems(block("", language, "x\n"))[0])

    def test_code_without_a_language(self):
        self.assertEqual(self.problems(block("", "", "#include <x.hpp>\n")),
                         ["a.md:1: looks like code: say its language (```cpp, ```fbs, ```cmake) and mark it"])

    def test_a_fragment_without_a_reason(self):
        self.assertIn("needs a reason", self.problems(block("fragment", "cpp", "x\n"))[0])
        self.assertIn("needs a reason", self.problems(block("fragment:", "cpp", "x\n"))[0])

    def test_a_mark_counts_for_the_next_line_alone(self):
        self.assertEqual(len(self.problems("<!-- fragment: x -->\nText.\n" + block("", "cpp", "x\n"))), 1)


if __name__ == "__main__":
    unittest.main()
