#!/usr/bin/env python3
"""Shows that prose.py names each kind of mistake with file and line, and lets right text pass.

Each case is a small tree in a temporary folder.
"""

import contextlib
import io
import os
import tempfile
import unittest

import prose

HEADER = "server/mobula/server/thing.hpp"
SOURCE = "server/mobula/server/thing.cpp"
PAGE = "docs/page.md"
LONG = "It holds one fact and " + "another fact and " * 8 + "an end."


class ProseTest(unittest.TestCase):
    def check(self, files, *options, exceptions=""):
        """Returns the status and the output for a tree of these files."""
        with tempfile.TemporaryDirectory() as root:
            for path, text in {**files, "exceptions.txt": exceptions}.items():
                full = os.path.join(root, path)
                os.makedirs(os.path.dirname(full), exist_ok=True)
                with open(full, "w", encoding="utf-8") as file:
                    file.write(text)
            output = io.StringIO()
            with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
                try:
                    status = prose.run(["--root", root, "--exceptions", os.path.join(root, "exceptions.txt"), *options])
                except SystemExit as end:
                    status = end.code
            return status, output.getvalue().replace(root + "/", "")

    def wrong(self, path, text, *expected):
        """Expects these findings, each the beginning of a line, and no others."""
        status, output = self.check({path: text})
        lines = output.splitlines()
        self.assertEqual(1, status, text)
        self.assertEqual(len(expected), len(lines), output)
        for line, beginning in zip(lines, expected):
            self.assertTrue(line.startswith(f"{path}:{beginning}"), f"{line}\nexpected {beginning}")

    def right(self, path, text):
        self.assertEqual((0, ""), self.check({path: text}), text)

    def test_opening(self):
        for opening in ("Of the last tick.", "Who leaves.", "What is sent.", "Whose bytes these are.", "Such clients.",
                        "By which a pool is found.", "That which was sent."):
            self.wrong(HEADER, f"// Right.\n\n// Bytes are sent. {opening}\n", "3: opening")
            self.wrong(PAGE, f"Right.\n\nBytes are sent. {opening}\n", "3: opening")
        self.wrong(HEADER, "int bytes;  // of deltas\n", "1: opening")
        self.wrong(SOURCE, 'Error{"bad", "of so few bytes"};\n', "1: opening")
        self.right(HEADER, "// Time of the last tick. Bytes that were sent. Offsets of what was read.\n")

    def test_opening_may_be_a_question_in_the_faq(self):
        self.right("docs/faq.md", "## What is a lane?\n\nWhat is a lane? A channel.\n")
        self.wrong(PAGE, "What is a lane? A channel.\n", "1: opening")

    def test_opening_of_a_sentence_that_goes_on_is_none(self):
        self.right(SOURCE, 'text = size + " of the deltas were lost";\n')
        self.right(HEADER, "// The deltas\n// of the last tick.\n")

    def test_words(self):
        for text in ("The client is told that.", "A stamped block.", "Whoever asks.", "so many bytes at most",
                     "A player is away.", "The bans of who has none.", "A delta rests on it.", "Nodes are walked.",
                     "The server comes back.", "A whole state.", "A reference to b1.", "An entity is gone."):
            self.wrong(HEADER, f"// {text}\n", "1: words")
        self.wrong(SOURCE, 'core::log_info("server", "the client says no more");\n', "1: words")
        self.wrong("dev", "help() {\n  cat <<'TEXT'\n  sim        seeds for so many minutes\nTEXT\n}\n", "3: words")

    def test_words_are_right_in_other_senses_and_in_code(self):
        for text in ("A whole number.", "Far away from it.", "Mobs walk about.", "Walk_test and walk() and `walk`.",
                     "A player who left.", "A timestamp.", "tell both apart", 'The key "stamp".', "The rest on top."):
            self.right(HEADER, f"// {text}\n")
        self.right(SOURCE, 'find("told");\nauto walk = told;\n')

    def test_value(self):
        self.wrong(HEADER, "// The owner; null: nobody.\n", "1: value")
        self.wrong(HEADER, "// Bytes kept. 0: none.\n", "1: value")
        self.right(HEADER, "// Null if nobody owns it. 0 disables it.\n// A kind, 0: red, 1: green.\n")

    def test_sentence(self):
        self.wrong(HEADER, f"/// Returns it. {LONG}\nint f();\n", "1: sentence")
        self.wrong(PAGE, f"Right.\n\n- Right.\n- {LONG}\n", "4: sentence")
        self.right(SOURCE, f"// {LONG}\n")
        self.right(PAGE, f"```\n{LONG}\n```\n\n`{LONG}`\n")

    def test_paragraph(self):
        self.wrong(PAGE, "It has four words.\n" * 21, "1: paragraph")
        self.right(PAGE, "It has four words.\n" * 20 + "\n" + "It has four words.\n" * 20)

    def test_heading(self):
        for heading in ("What a client keeps", "How to build it", "Checkpoints.", "A tick is short", "Write a level",
                        "Three two three four five six seven eight nine", "Who sees what"):
            self.wrong(PAGE, f"# Page\n\n## {heading}\n", "3: heading")
        for heading in ("Checkpoints", "Your own game", "Build options", "Concepts and glossary", "`--history-bytes`"):
            self.right(PAGE, f"# {heading}\n")

    def test_function(self):
        functions = ("[[nodiscard]] std::size_t size() const;", "template <class T>\nstd::vector<T> size(int n) {\n")
        for comment in ("The size.", "True if full.", "Return the size.", "`count` of them.", 'Reasons: "bad".'):
            for declared in functions:
                self.wrong(HEADER, f"/// {comment}\n{declared}\n", "1: function")
        self.right(HEADER, "/// Returns the size.\nint size();\n/// Called each tick.\nvirtual void tick() = 0;\n")
        for declared in ("class Thing {", "explicit Thing(int size);", "~Thing();", "int size = default_size();",
                         "std::function<void(int)> done;", "enum class Kind { a };", "using F = void (*)();", "int (*set)(int);",
                         "", "std::vector<int> sizes{f()};", "bool operator==(const Thing&) const;", "#define F(x) x"):
            self.right(HEADER, f"/// The thing.\n{declared}\n")

    def test_test_names(self):
        path = "tests/core/thing_test.cpp"
        self.wrong(path, "\nTEST(Thing, WhoIsBannedIsRefused) {}\n", "2: test")
        self.wrong(path, f"TEST_F(Thing, {'A' * 55}) {{}}\n", "1: test")
        self.right(path, f"TEST(Thing, OffersAWayBack) {{}}\nTEST(Thing, {'A' * 54}) {{}}\n")
        self.wrong("client/web/test/thing_test.ts", 'test("Thing.WhatIsBannedIsRefused", () => {', "1: test")
        self.right("client/web/test/thing_test.ts", 'test("Thing.WhateverIsBannedIsRefused", () => {')
        self.wrong("tests/thing_test.py", "    def test_what_is_banned(self):\n", "1: test")
        self.right("tests/thing_test.py", "    def test_whatever_is_banned(self):\n")

    def test_layout_is_not_read(self):
        self.right(HEADER, "// The layout:\n//\n//   record  so many words   of what is told\n//   index   told\n")
        self.right(HEADER, "// ```\n// Of what was told.\n// ```\n")
        self.right(PAGE, "Right:\n\n    of what was told\n\n<!-- of what was told -->\n")

    def test_strings_that_hold_slashes_are_no_comments(self):
        self.right(SOURCE, 'url = "http://told";\nchar quote = \'"\';  // Right.\nraw = R"(// Of it told)";\n')

    def test_other_languages(self):
        self.wrong("client/csharp/src/A.cs", "int a;\n/// <summary>Of a row.</summary>\n", "2: opening")
        self.wrong("client/inspector/a.js", "f(/[\"']/);\n// Of a row.\n", "2: opening")
        self.wrong("cmake/a.cmake", "set(a b)  # of targets\n", "1: opening")
        self.wrong("tests/a.sh", "#!/bin/sh\necho \"# of\"\n# What is run.\ncat <<X\n# Of it\nX\n", "3: opening")
        self.wrong("tests/a.py", '"""Right.\n\nOf a page.\n"""\nx = "# of"  # of pages\n', "3: opening", "5: opening")
        self.wrong("client/a.py", '"""Right."""\nx = "the server was told this"\n', "2: words")
        self.wrong("client/c/a.h", "int a;\n/* Of a row. */\n", "2: opening")
        self.wrong("schema/a.fbs", "/// Of a mob.\nstruct Mob (component) {\n", "1: opening")

    def test_changelog_is_read_up_to_its_first_version(self):
        self.wrong("CHANGELOG.md", "## 0.2.0\n\nIt is told.\n\n## 0.1.0 (2026-11-25)\n\nIt is told.\n", "3: words")

    def test_exceptions(self):
        files = {SOURCE: "// The client is told.\n"}
        self.assertEqual((0, ""), self.check(files, exceptions="words | server/*.cpp | told | a reason\n"))
        status, output = self.check(files, exceptions="words | client/* | told | a reason\n")
        self.assertEqual(1, status)
        self.assertIn("exceptions.txt:1: exception not needed any more", output)
        self.assertEqual(2, self.check(files, exceptions="words | server/* | told |\n")[0])
        self.assertEqual(2, self.check(files, exceptions="wrods | server/* | told | a reason\n")[0])

    def test_options(self):
        files = {SOURCE: "// Of it.\n// It is told.\n", PAGE: "# Who is told\n"}
        self.assertEqual(1, len(self.check(files, "--rule", "heading")[1].splitlines()))
        self.assertEqual(2, len(self.check(files, SOURCE)[1].splitlines()))
        self.assertEqual(2, self.check(files, "nowhere")[0])
        status, table = self.check(files, "--counts")
        self.assertEqual(1, status)
        self.assertRegex(table, r"opening +0 +1 +1\n")


if __name__ == "__main__":
    unittest.main()
