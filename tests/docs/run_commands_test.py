"""run_commands.py names every kind of command that is missing or fails, and lets the good ones pass."""

import unittest

import run_commands
from tree import Tree

PAGE = "```\n$ mobula-x --a \\\n    1   # why\n```\n`./dev test` and `mobula-x`\n\n```json\nmobula-y\n```\n"
LISTING = "add_test(NAME x/runs COMMAND x)\nfunction(fuzz name)\n  add_test(NAME fuzz_${name}_replay)\nendfunction()\nfuzz(text)\n"


def table(elsewhere, *shown):
    return {"scenario": [{"name": "s", "step": [{"shown": list(shown)}]}], "elsewhere": elsewhere}


class Lists(unittest.TestCase):
    def problems(self, listed):
        with Tree({"a.md": PAGE, ".ci/run": "./dev setup || exit 1\nstep tests ./dev test all  # why\n",
                   "tests/x/CMakeLists.txt": LISTING}) as root:
            return run_commands.problems_of_lists(root, listed)

    def test_every_command_is_listed(self):
        self.assertEqual(self.problems(table({"./dev test": "ci: ./dev test all"}, "mobula-x --a 1")), [])

    def test_a_command_that_is_not_listed(self):
        self.assertEqual(self.problems(table({}, "mobula-x --a 1")), ["a.md:5: commands.toml does not say what runs './dev test'"])

    def test_a_command_that_no_page_shows(self):
        self.assertEqual(self.problems(table({"./dev test": "not: why"}, "mobula-x --a 1", "mobula-z")),
                         ["commands.toml: no page shows 'mobula-z'"])

    def test_a_check_that_does_not_run(self):
        for check in ("./dev soak", "./dev test", "./dev test all 2"):
            self.assertEqual(self.problems(table({"./dev test": f"ci: {check}"}, "mobula-x --a 1")),
                             [f"commands.toml: .ci/run does not run '{check}'"])

    def test_a_check_before_the_steps(self):
        self.assertEqual(self.problems(table({"./dev test": "ci: ./dev setup"}, "mobula-x --a 1")), [])

    def test_a_check_that_runs_with_more_arguments(self):
        self.assertEqual(self.problems(table({"./dev test": "ci: ./dev test"}, "mobula-x --a 1")),
                         ["commands.toml: .ci/run does not run './dev test'"])

    def test_a_test_of_that_name(self):
        for name in ("x/runs", "fuzz_text_replay"):
            self.assertEqual(self.problems(table({"./dev test": f"test: {name}"}, "mobula-x --a 1")), [])

    def test_a_test_that_does_not_exist(self):
        for name in ("x/run", "x/runs_not", "runs", "fuzz_texts_replay", "fuzz__replay"):
            self.assertEqual(self.problems(table({"./dev test": f"test: {name}"}, "mobula-x --a 1")),
                             [f"commands.toml: there is no test '{name}'"])


class Scenarios(unittest.TestCase):
    def problems(self, *steps):
        with Tree({"x": ""}) as root:
            return run_commands.Scenario(root, root, {"name": "s", "step": steps}).run()

    def test_steps_share_a_folder(self):
        self.assertEqual(self.problems({"run": "echo a > f"}, {"run": "cat f", "prints": "^a$"}), [])

    def test_a_command_that_fails(self):
        self.assertEqual(self.problems({"run": "echo no; exit 3"}), ["s: echo no; exit 3: ended with 3 instead of 0\n    no"])

    def test_a_command_that_should_fail(self):
        self.assertEqual(self.problems({"run": "exit 3", "status": 3}), [])

    def test_output_that_does_not_match(self):
        self.assertEqual(self.problems({"run": "echo a", "prints": "b"}), ["s: echo a: does not print 'b'\n    a"])

    def test_steps_after_a_failed_one_do_not_run(self):
        self.assertEqual(len(self.problems({"run": "false"}, {"run": "false"})), 1)

    def test_a_server_is_stopped_at_the_end(self):
        server = "bash -c 'trap \"exit 0\" TERM; echo ready; while :; do sleep 0.05; done'"
        self.assertEqual(self.problems({"run": server, "serves": "ready"}, {"run": "true"}), [])

    def test_a_server_that_does_not_start(self):
        self.assertEqual(self.problems({"run": "false", "serves": "ready"}), ["s: false: does not print 'ready'",
                                                                           "s: false: ended with 1 when it was stopped"])


if __name__ == "__main__":
    unittest.main()
