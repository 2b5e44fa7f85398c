#!/usr/bin/env python3
"""Code shown by the pages is code that is compiled: check_snippets.py ROOT

A block of C++, C, C#, TypeScript, FlatBuffers or CMake has a mark in the line above it:

  <!-- from server/examples/arena/arena.cpp -->     its lines are lines of that file, in order, whatever their indentation
  <!-- all of server/examples/arena/arena.fbs -->   the same, and none of the file is missing
  <!-- part of server/examples/arena/arena.cpp -->  the same, and the parts on a page, in order, are all of the file
  <!-- output of tests/demo.sh -->                  that script prints its lines, in order, with other numbers
  <!-- fragment: REASON -->                         it is not compiled, and why

In a block with a source, a line that is only "…", "// …" or "# …" stands for lines left out. The source is named by a
CMakeLists.txt, so that a build of the tests compiles it. A block in another language may have a mark as well.
Prints file:line: reason for each block that is wrong, and ends with 1 if there was one.
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs" / "tools"))
import markdown  # noqa: E402

MARKED_LANGUAGES = {"cpp", "c++", "cc", "hpp", "c", "csharp", "cs", "ts", "typescript", "fbs", "cmake"}
COMPILED = {".cpp", ".hpp", ".fbs"}
LEFT_OUT = re.compile(r"^\s*(//|#)?\s*(…|\.\.\.|\[…\])\s*$")
SAID = re.compile(r'\s*(?:say|echo) "(.*)"')
EXPRESSION = re.compile(r"\$\(\(.*?\)\)|\$\(.*?\)|\$\w+")
NUMBER = r"[0-9]+(?:\.[0-9]+)?"
LOOKS_LIKE_CODE = re.compile(r"^\s*(#include\s*[<\"]|(struct|table)\s+\w+\s*(\(component\)\s*)?\{|find_package\(|target_link_libraries\()")


def parts_of(lines):
    """Splits a block at the lines that stand for others; drops empty lines at the ends of each part."""
    parts, part = [], []
    for line in lines + ["…"]:
        if not LEFT_OUT.match(line):
            part.append(line)
            continue
        while part and not part[0].strip():
            part.pop(0)
        while part and not part[-1].strip():
            part.pop()
        if part:
            parts.append(part)
        part = []
    return parts


def indentation(line):
    return len(line) - len(line.lstrip())


def same_lines(part, lines):
    """Whether the lines are the same but for one indentation that all of them have or lack."""
    shifts = {indentation(ours) - indentation(theirs) for ours, theirs in zip(part, lines) if ours.strip() or theirs.strip()}
    return len(shifts) <= 1 and all(ours.strip() == theirs.strip() for ours, theirs in zip(part, lines))


def first_difference(parts, source):
    """Returns the first line of the block that the source does not have where it should, or None."""
    at = 0
    for part in parts:
        places = range(at, len(source) - len(part) + 1)
        found = next((place for place in places if same_lines(part, source[place : place + len(part)])), None)
        if found is None:
            have = {line.strip() for line in source}
            return next((line for line in part if line.strip() not in have), part[0])
        at = found + len(part)
    return None


def is_built(root, path):
    """Whether a CMakeLists.txt in the folder of `path`, or above it, names the file; a CMakeLists.txt itself is built."""
    if path.suffix not in COMPILED:
        return True
    folder = (root / path).parent
    while folder.is_relative_to(root):
        listing = folder / "CMakeLists.txt"
        if listing.exists() and re.search(rf"(?<![\w]){re.escape(path.name)}(?![\w])", listing.read_text(encoding="utf-8")):
            return True
        folder = folder.parent
    return False


def problem_of_parts(root, page, name):
    """Returns (line of the page, reason) if the page's parts of a file are not all of it, or None. Empty lines are ignored."""
    mark = f"part of {name}"
    shown = [(block.line, line) for block in page.blocks if block.mark == mark for line in block.lines if line.strip()]
    have = [line for line in (root / name).read_text(encoding="utf-8").split("\n") if line.strip()]
    for (at, line), expected in zip(shown, have):
        if line != expected:
            return at, f"the parts of {name} lack '{expected.strip()}' before '{line.strip()}'"
    if len(shown) > len(have):
        return shown[len(have)][0], f"the parts of {name} go on after its end, with '{shown[len(have)][1].strip()}'"
    if len(shown) < len(have):
        return shown[-1][0], f"the parts of {name} end before '{have[len(shown)].strip()}'"
    return None


def problems_of_parts(root, page):
    names = {block.mark.removeprefix("part of ") for block in page.blocks if re.fullmatch(r"part of \S+", block.mark)}
    return [problem for name in sorted(names) if (root / name).is_file() and (problem := problem_of_parts(root, page, name))]


def problem_of_source(root, block, name, whole):
    path = Path(name)
    if not (root / path).is_file():
        return f"its source '{name}' does not exist"
    if not is_built(root, path):
        return f"its source '{name}' is named by no CMakeLists.txt, so nothing compiles it"
    parts = parts_of(block.lines)
    if not parts:
        return "shows nothing"
    text = (root / path).read_text(encoding="utf-8")
    line = first_difference(parts, text.split("\n"))
    if line is not None:
        return f"{name} does not have these lines, from '{line.strip()}' on"
    if whole and text.rstrip("\n") != "\n".join(block.lines):
        return f"does not show all of {name}"
    return None


def printed_by(line):
    """Returns a regular expression for what a line of a shell script prints. Its expressions are numbers."""
    said = SAID.fullmatch(line)
    return NUMBER.join(re.escape(part) for part in EXPRESSION.split((said[1] if said else line).strip()))


def problem_of_output(root, block, name):
    if not (root / name).is_file():
        return f"its source '{name}' does not exist"
    forms = iter([printed_by(line) for line in (root / name).read_text(encoding="utf-8").split("\n")])
    for line in block.lines:
        if not any(re.fullmatch(form, line.strip()) for form in forms):
            return f"{name} does not print '{line.strip()}' here"
    return None


def problem_of(root, block):
    """Returns what is wrong with a block, or None."""
    output = re.fullmatch(r"output of (\S+)", block.mark)
    if output:
        return problem_of_output(root, block, output[1])
    source = re.fullmatch(r"(from|all of|part of) (\S+)", block.mark)
    if source:
        return problem_of_source(root, block, source[2], source[1] == "all of")
    if block.mark.startswith("fragment"):
        return None if re.match(r"fragment:\s*\S+", block.mark) else "a fragment needs a reason: <!-- fragment: REASON -->"
    if block.language in MARKED_LANGUAGES:
        return f"code in '{block.language}' needs a mark: <!-- from FILE -->, <!-- all of FILE -->, <!-- part of FILE --> or <!-- fragment: REASON -->"
    if not block.language and any(LOOKS_LIKE_CODE.match(line) for line in block.lines):
        return "looks like code: say its language (```cpp, ```fbs, ```cmake) and mark it"
    return None


def check(root):
    root = Path(root).resolve()
    problems = []
    for page in markdown.pages(root):
        found = [(block.line, problem) for block in page.blocks if (problem := problem_of(root, block))]
        # A part that is wrong by itself is named once.
        found += problems_of_parts(root, page) if not found else []
        problems += [f"{page.path}:{line}: {problem}" for line, problem in found]
    return problems


def main(arguments):
    if len(arguments) != 2:
        print("usage: check_snippets.py ROOT", file=sys.stderr)
        return 2
    problems = check(arguments[1])
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
