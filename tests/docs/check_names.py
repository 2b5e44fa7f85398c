#!/usr/bin/env python3
"""Names of settings that the pages use exist: check_names.py ROOT BIN_DIR

  MOBULA_NAME       a setting's variable, or a name of the build (a CMake file, a header, ./dev)
  ```toml           each key is one of the configuration reference, docs/configuration.md, which is generated
  mobula-x --flag   a command of a page gives a program of BIN_DIR only options that its --help knows
  `--flag`          inline code that begins with an option: one of INSTALLED, of a program that the page names, or of ./dev

A page that shows how a game declares a setting of its own, {"max_balls", &…}, may use that one too. CHANGELOG.md tells
of former names and is not read. Prints file:line: reason for each name that is wrong, and ends with 1 if there was one.
"""

import re
import shlex
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs" / "tools"))
import markdown  # noqa: E402

NOT_READ = {Path("CHANGELOG.md")}
VARIABLE = re.compile(r"\bMOBULA_[A-Z0-9_]+\b(?!\*|…)")
FLAG = re.compile(r"--[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
DECLARED = re.compile(r"\{\s*\"([a-z][a-z0-9_]*)\",\s*&")
PROGRAM = re.compile(r"(?:^|/)(mobula-[a-z-]+)$")
ASSIGNMENT = re.compile(r"^[A-Z_][A-Z0-9_]*=")
INSTALLED = {"mobula-server", "mobula-client", "mobula-bots", "mobula-compile", "mobula-token", "mobula-cluster", "mobula-lobby",
             "mobula-lobby-client"}
ENDS_A_COMMAND = {"|", "||", "&&", ";", "&", "(", ")"}
MISTAKES = "unknown setting"  # in the message about a name that is wrong on purpose
BUILD_FILES = ("CMakeLists.txt", "CMakePresets.json", "dev")
BUILD_SUFFIXES = {".cmake", ".h", ".hpp", ".in"}


def setting_keys(root):
    """The keys of the configuration reference."""
    page = root / "docs" / "configuration.md"
    if not page.exists():
        raise FileNotFoundError("docs/configuration.md is missing: ./dev docs --write makes it")
    return set(re.findall(r"^### `([a-z][a-z0-9_]*)`$", page.read_text(encoding="utf-8"), re.MULTILINE))


def build_variables(root):
    """MOBULA_ names of CMake files, headers and ./dev."""
    names = set()
    for path in root.rglob("*"):
        if set(path.relative_to(root).parts) & markdown.SKIPPED_FOLDERS or not path.is_file():
            continue
        if path.name in BUILD_FILES or path.suffix in BUILD_SUFFIXES:
            names.update(VARIABLE.findall(path.read_text(encoding="utf-8", errors="replace")))
    return names


class Programs:
    """The programs of a folder and the options that their help lists."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.names = {path.name for path in self.folder.glob("mobula-*") if path.is_file()}

    @lru_cache(maxsize=None)
    def flags(self, name):
        text = self._help(name)
        commands = re.search(r"^(?:Sub)?commands\b.*:\n((?:[ ].*\n?)+)", text, re.MULTILINE | re.IGNORECASE)
        for command in re.findall(rf"^  (?:{name} )?([a-z][a-z-]*)", commands[1], re.MULTILINE) if commands else []:
            text += self._help(name, command)
        return set(FLAG.findall(text)) | {"--help"}

    def flags_of(self, names):
        return set().union(*(self.flags(name) for name in sorted(names & self.names)))

    def _help(self, *command):
        run = subprocess.run([str(self.folder / command[0]), *command[1:], "--help"], capture_output=True, text=True,
                             timeout=30, check=False)
        return run.stdout + run.stderr


def words_of(line):
    """Splits a command line at blanks and operators; a line that the shell would not understand, at blanks alone."""
    try:
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        lexer.commenters = "#"
        return list(lexer)
    except ValueError:
        return line.split()


def commands_of(line):
    """Yields (program, words after it) for each command of ours in a line."""
    command = []
    for word in words_of(re.sub(r"^\s*[$#]\s+", "", line)) + [";"]:
        if word not in ENDS_A_COMMAND:
            command.append(word)
            continue
        while command and ASSIGNMENT.match(command[0]):
            command.pop(0)
        program = PROGRAM.search(command[0]) if command else None
        if program:
            yield program[1], command[1:]
        command = []


def block_lines(block):
    """Yields (line, text) of a block, lines that end with a backslash joined."""
    held, start = "", 0
    for number, text in enumerate(block.lines, block.line + 1):
        start = start if held else number
        held += text
        if held.endswith("\\"):
            held = held[:-1] + " "
            continue
        yield start, held
        held = ""
    if held:
        yield start, held


class Checker:
    def __init__(self, root, programs):
        self.root = Path(root).resolve()
        self.programs = programs
        self.keys = setting_keys(self.root)
        self.variables = build_variables(self.root) | {"MOBULA_CONFIG"} | {variable_of(key) for key in self.keys}
        dev = self.root / "dev"
        self.dev_flags = set(FLAG.findall(dev.read_text(encoding="utf-8"))) if dev.exists() else set()
        self.problems = []

    def check(self):
        for page in markdown.pages(self.root):
            if page.path not in NOT_READ:
                self.check_page(page)
        return self.problems

    def check_page(self, page):
        named = INSTALLED | set(re.findall(r"\bmobula-[a-z-]+", page.text))
        own = set(DECLARED.findall(page.text))
        own_flags = {flag_of(key) for key in own}
        own_variables = {variable_of(key) for key in own}

        def report(line, text):
            self.problems.append(f"{page.path}:{line}: {text}")

        for number, line in enumerate(page.text.split("\n"), 1):
            if MISTAKES in line:
                continue
            for name in VARIABLE.findall(line):
                if name not in self.variables | own_variables:
                    report(number, f"there is no variable '{name}'")
        for block in page.blocks:
            if block.language == "toml":
                self.check_toml(block, own, report)
            for number, line in block_lines(block):
                self.check_commands(number, line, own_flags, report)
        for number, code in page.inline_codes():
            self.check_commands(number, code, own_flags, report)
            flag = FLAG.match(code)
            if flag and flag[0] not in self.dev_flags | own_flags and flag[0] not in self.programs.flags_of(named):
                report(number, f"no program has an option '{flag[0]}'")

    def check_toml(self, block, own, report):
        for number, line in enumerate(block.lines, block.line + 1):
            key = re.match(r"^#? ?([A-Za-z_][A-Za-z0-9_-]*) *=", line)
            if key and key[1] not in self.keys | own:
                report(number, f"there is no setting '{key[1]}'")

    def check_commands(self, line, text, own_flags, report):
        for name, words in commands_of(text):
            if name not in self.programs.names:
                report(line, f"there is no program '{name}'")
                continue
            for word in words:
                flag = FLAG.match(word)
                if flag and flag[0] not in self.programs.flags(name) | own_flags:
                    report(line, f"{name} has no option '{flag[0]}'")


def flag_of(key):
    return "--" + key.replace("_", "-")


def variable_of(key):
    return "MOBULA_" + key.upper()


def main(arguments):
    if len(arguments) != 3:
        print("usage: check_names.py ROOT BIN_DIR", file=sys.stderr)
        return 2
    problems = Checker(arguments[1], Programs(arguments[2])).check()
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
