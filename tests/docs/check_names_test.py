"""check_names.py names every kind of name that does not exist, and lets the good ones pass."""

import unittest

import check_names
from tree import Tree

REFERENCE = "# Configuration reference\n\n### `tick_rate`\n\n### `port`\n"
SERVER = """#!/bin/sh
echo 'Usage: mobula-server [OPTIONS] [SUBCOMMAND]

Options:
  --tick-rate N  ticks
  --port N       port

Commands on worlds, each with its own --help:
  mobula-server health  exit 0'
"""
HEALTH = SERVER.replace("echo", "if [ \"$1\" = health ]; then echo '  --admin URL'; exit; fi\necho", 1)


class Names(unittest.TestCase):
    def problems(self, page, **files):
        tree = {"a.md": page, "docs/configuration.md": REFERENCE, "bin/mobula-server": HEALTH, "dev": "--write", **files}
        with Tree(tree) as root:
            (root / "bin/mobula-server").chmod(0o755)
            return check_names.Checker(root, check_names.Programs(root / "bin")).check()

    def test_good_names_pass(self):
        page = (
            "`--tick-rate 20`, `MOBULA_PORT`, `--write` and `MOBULA_CONFIG`; `ls --all`\n\n"
            "```toml\nport = 1\n# tick_rate = 2\n```\n"
            "```\n$ MOBULA_PORT=9 build/bin/mobula-server --port 1 \\\n    --tick-rate 2 | jq --raw-output x  # --why\n"
            "mobula-server health --admin http://x && mobula-server --help\n```\n"
        )
        self.assertEqual(self.problems(page), [])

    def test_an_option_of_a_command(self):
        self.assertEqual(self.problems("```\nx\nMOBULA_PORT=1 bin/mobula-server --prt 1\n```\n"),
                         ["a.md:3: mobula-server has no option '--prt'"])

    def test_an_option_behind_a_pipe(self):
        self.assertEqual(self.problems("```\ncat x | mobula-server --prt=1 >y\n```\n"),
                         ["a.md:2: mobula-server has no option '--prt'"])

    def test_an_option_in_the_next_line(self):
        self.assertEqual(len(self.problems("```\nmobula-server \\\n  --prt 1\n```\n")), 1)

    def test_an_option_of_a_command_in_a_sentence(self):
        self.assertEqual(self.problems("Run `mobula-server --prt 1`."), ["a.md:1: mobula-server has no option '--prt'"])

    def test_an_option_by_itself(self):
        self.assertEqual(self.problems("Say `--prt 1`."), ["a.md:1: no program has an option '--prt'"])

    def test_a_program(self):
        self.assertEqual(self.problems("```\nmobula-serve --port 1\n```\n"), ["a.md:2: there is no program 'mobula-serve'"])

    def test_a_variable(self):
        self.assertEqual(self.problems("Set MOBULA_PRT."), ["a.md:1: there is no variable 'MOBULA_PRT'"])

    def test_a_variable_of_the_build(self):
        self.assertEqual(self.problems("`MOBULA_TESTS`", **{"CMakeLists.txt": "option(MOBULA_TESTS)"}), [])

    def test_a_message_about_a_wrong_name(self):
        self.assertEqual(self.problems("```\nenvironment variable MOBULA_PRT: unknown setting\n```\n"), [])

    def test_a_key(self):
        self.assertEqual(self.problems("```toml\nport = 1\nprt = 1\n```\n"), ["a.md:3: there is no setting 'prt'"])

    def test_a_setting_of_a_game(self):
        page = '`{{"max_balls", &game.balls_max, "balls"}}` makes `--max-balls` and `MOBULA_MAX_BALLS`.\n'
        self.assertEqual(self.problems(page), [])
        self.assertEqual(len(self.problems(page.replace('{{"max_balls"', '{{"balls"'))), 2)

    def test_a_missing_reference(self):
        with Tree({"a.md": "# A"}) as root, self.assertRaises(FileNotFoundError):
            check_names.setting_keys(root)


if __name__ == "__main__":
    unittest.main()
