#!/usr/bin/env python3
"""Dead links of the Markdown pages: check_links.py ROOT

Each relative link names a file or folder of the tree, each anchor a heading of its page. Links to other hosts are
not followed. Prints file:line: reason for each that is dead, and ends with 1 if there was one.
"""

import sys
from pathlib import Path
from urllib.parse import unquote

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs" / "tools"))
import markdown  # noqa: E402

EXTERNAL = ("http://", "https://", "mailto:")


def problem_of(root, page, link, anchors_of):
    """Returns why `link` is dead, or None."""
    path, _, anchor = link.target.partition("#")
    target = page.path
    if path:
        if path.startswith("/"):
            return f"'{link.target}' is an absolute path; write it relative to the page"
        absolute = (root / page.path.parent / unquote(path)).resolve()
        if not absolute.is_relative_to(root):
            return f"'{link.target}' leads out of the tree"
        if not absolute.exists():
            return f"'{link.target}' does not exist"
        target = absolute.relative_to(root)
    if not anchor or link.image:
        return None
    if target.suffix != ".md":
        return f"'{link.target}': only Markdown pages have anchors"
    if anchor not in anchors_of(target):
        return f"'{link.target}': {target} has no heading '#{anchor}'"
    return None


def check(root):
    """Returns a line for each dead link."""
    root = Path(root).resolve()
    pages = {page.path: page for page in markdown.pages(root)}

    def anchors_of(path):
        if path not in pages:
            pages[path] = markdown.Page(root, path)
        return pages[path].anchors()

    problems = []
    for page in list(pages.values()):
        for link in page.links():
            if link.target.startswith(EXTERNAL):
                continue
            problem = problem_of(root, page, link, anchors_of)
            if problem:
                problems.append(f"{page.path}:{link.line}: {problem}")
    return problems


def main(arguments):
    if len(arguments) != 2:
        print("usage: check_links.py ROOT", file=sys.stderr)
        return 2
    problems = check(arguments[1])
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
