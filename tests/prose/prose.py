#!/usr/bin/env python3
"""Checks the prose of the tree: comments, pages, texts of programs and test names.

Run it in the tree's root: tests/prose/prose.py [--rule R]… [--counts] [PATH…]. It prints each finding as
"file:line: rule: message (write instead …)" and ends with 1 if there is one, 2 for wrong usage. words.txt has the words
that the glossary replaces, exceptions.txt the passages that are right although a rule is against them.
"""

import argparse
import collections
import fnmatch
import os
import signal
import sys

import readers
import rules

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDERS = ("shared", "server", "client", "schema", "cmake", "docker", "docs", "bench", "tests")
PAGES = ("dev", "README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "CMakeLists.txt")
SKIPPED = {"vendor", "build", "corpus", "__pycache__", "node_modules", ".git"}
# People read the literals of these.
WITH_TEXTS = ("shared/", "server/", "client/", "bench/", "tests/crash/", "tests/simulation/", "tests/soak/", "dev")


def refuse(message):
    """Ends the program with status 2."""
    print(message, file=sys.stderr)
    sys.exit(2)


class Exceptions:
    """Passages that are right although a rule is against them: rule | path | text | reason, one a line."""

    def __init__(self, path):
        self.path, self.entries, self.used = path, [], set()
        if not os.path.exists(path):
            return
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.strip() and not line.startswith("#"):
                    self.add(number, [field.strip() for field in line.split(" | ")])

    def add(self, number, fields):
        if len(fields) != 4 or not all(fields):
            refuse(f"{self.path}:{number}: expected: rule | path | text or * | reason")
        if fields[0] not in rules.RULES:
            refuse(f"{self.path}:{number}: no rule '{fields[0]}'; there are: {' '.join(rules.RULES)}")
        self.entries.append((number, *fields))

    def has(self, path, rule, text):
        for number, excepted, pattern, wanted, _ in self.entries:
            matches = wanted == "*" or wanted.lower() in text.lower()
            if excepted == rule and matches and fnmatch.fnmatch(path, pattern):
                self.used.add(number)
                return True
        return False

    def unused(self):
        return [(number, entry) for number, *entry in self.entries if number not in self.used]


def files_below(root, paths):
    """Yields the files to read, as paths from the root."""
    for path in paths:
        full = os.path.join(root, path)
        if os.path.isfile(full):
            yield os.path.normpath(path)
        for folder, folders, names in os.walk(full):
            folders[:] = sorted(each for each in folders if each not in SKIPPED)
            for name in sorted(names):
                yield os.path.normpath(os.path.relpath(os.path.join(folder, name), root))


def check_file(root, path, exceptions):
    """Yields (path, line, rule, message)."""
    read = readers.reader_of(os.path.basename(path))
    if read is None:
        return
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        source = file.read()
    passages = []
    read(source, passages, texts=path.startswith(WITH_TEXTS))
    for passage in passages:
        for offset, rule, message in rules.check_passage(passage, path):
            excepted = message.split(" (write")[0] if rule == "words" else passage.text[offset:offset + 200]
            if not exceptions.has(path, rule, excepted):
                yield path, passage.line_at(offset), rule, message
    ending = path.rsplit(".", 1)[-1]
    if ending in rules.TESTS:
        for offset, rule, message in rules.check_test_names(source, ending):
            if not exceptions.has(path, rule, message):
                yield path, source.count("\n", 0, offset) + 1, rule, message


def counts(findings):
    """Returns a table of findings: a row per rule, a column per folder."""
    table, columns = collections.Counter(), {}
    for path, _, rule, _ in findings:
        folder = path.split("/")[0] if "/" in path else "(top)"
        columns[folder] = True
        table[rule, folder] += 1
    columns = sorted(columns)
    lines = ["".join([f"{'rule':<10}", *(f"{each:>9}" for each in [*columns, "all"])])]
    for rule in rules.RULES:
        row = [table[rule, folder] for folder in columns]
        lines.append("".join([f"{rule:<10}", *(f"{each:>9}" for each in [*row, sum(row)])]))
    row = [sum(table[rule, folder] for rule in rules.RULES) for folder in columns]
    lines.append("".join([f"{'all':<10}", *(f"{each:>9}" for each in [*row, sum(row)])]))
    return "\n".join(lines)


def arguments(given):
    parser = argparse.ArgumentParser(description="Checks the prose of comments, pages, program texts and test names.")
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files and folders to read; default: the whole tree")
    parser.add_argument("--rule", action="append", choices=rules.RULES, help="check only this rule; may be repeated")
    parser.add_argument("--counts", action="store_true", help="print a table of findings by rule and folder")
    parser.add_argument("--root", default=".", help="root of the tree; default: the current folder")
    parser.add_argument("--exceptions", default=os.path.join(HERE, "exceptions.txt"), metavar="FILE",
                        help="file of exceptions; default: exceptions.txt beside this program")
    return parser.parse_args(given)


def run(given):
    options = arguments(given)
    for path in options.paths:
        if not os.path.exists(os.path.join(options.root, path)):
            refuse(f"prose: no file or folder '{path}' below {options.root}")
    exceptions = Exceptions(options.exceptions)
    findings = []
    for path in files_below(options.root, options.paths or FOLDERS + PAGES):
        findings += sorted(check_file(options.root, path, exceptions), key=lambda finding: finding[1])
    if options.rule:
        findings = [each for each in findings if each[2] in options.rule]
    if not options.counts:
        for path, line, rule, message in findings:
            print(f"{path}:{line}: {rule}: {message}")
    else:
        print(counts(findings))
    unused = exceptions.unused() if not options.paths else []
    for number, entry in unused:
        print(f"{exceptions.path}:{number}: exception not needed any more: {' | '.join(entry)}")
    return 1 if findings or unused else 0


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a reader such as `head` may end first
    sys.exit(run(sys.argv[1:]))
