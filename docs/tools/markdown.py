"""Reads the Markdown pages of the tree: their links, headings, code blocks and inline code."""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

SKIPPED_FOLDERS = {".git", ".cache", ".ci", "build", "vendor", "node_modules", "__pycache__"}

FENCE = re.compile(r"^(?P<indent> *)(?P<fence>`{3,}|~{3,})(?P<info>[^`]*)$")
HEADING = re.compile(r"^(?P<marks>#{1,6})\s+(?P<text>.*?)\s*#*\s*$")
INLINE_CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
LINK = re.compile(r"(?P<image>!?)\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<target>[^()\s]+(?:\([^()\s]*\)[^()\s]*)*)(?:\s+\"[^\"]*\")?\)")
REFERENCE = re.compile(r"^ {0,3}\[(?P<name>[^\]]+)\]:\s+(?P<target>\S+)")
HTML_TARGET = re.compile(r"<(?:a|img|source)\s[^>]*?(?:href|src|srcset)=\"(?P<target>[^\"]+)\"")
HTML_ID = re.compile(r"<[a-z]+\s[^>]*?(?:id|name)=\"(?P<id>[^\"]+)\"")
COMMENT = re.compile(r"^\s*<!--\s*(?P<text>.*?)\s*-->\s*$")


@dataclass
class Block:
    """A fenced code block. `line` is the line of its opening fence, from 1; `mark` the comment right above it."""

    line: int
    language: str
    mark: str = ""
    lines: list = field(default_factory=list)


@dataclass
class Link:
    line: int
    target: str
    image: bool


class Page:
    """One Markdown file. `path` is relative to the root of the tree."""

    def __init__(self, root, path):
        self.root = Path(root)
        self.path = Path(path)
        self.text = (self.root / self.path).read_text(encoding="utf-8")
        self.blocks = []
        self.prose = []  # the lines outside code blocks; a line of a block is empty here
        self._split()

    def _split(self):
        block = closing = None
        mark = ""
        for number, line in enumerate(self.text.split("\n"), 1):
            fence = FENCE.match(line)
            if block is not None:
                if fence and fence["fence"].startswith(closing) and not fence["info"].strip():
                    self.blocks.append(block)
                    block = None
                else:
                    block.lines.append(line)
                self.prose.append("")
            elif fence:
                words = fence["info"].strip().split()
                block = Block(number, words[0] if words else "", mark)
                closing = fence["fence"]
                self.prose.append("")
            else:
                self.prose.append(line)
            comment = COMMENT.match(line)
            if comment and block is None:
                mark = comment["text"]
            elif line.strip() or block is not None:
                mark = ""
        if block is not None:
            raise ValueError(f"{self.path}:{block.line}: this code block has no end")

    def inline_codes(self):
        """Yields (line, text) of each piece of inline code."""
        for line, text in paragraphs(self.prose):
            for code in INLINE_CODE.finditer(text):
                yield line + text.count("\n", 0, code.start()), " ".join(code[2].split())

    def links(self):
        for line, text in paragraphs(self.prose):
            bare = INLINE_CODE.sub(lambda code: blank(code[0]), text)
            for found in LINK.finditer(bare):
                yield Link(line + bare.count("\n", 0, found.start()), found["target"], bool(found["image"]))
                for inner in LINK.finditer(found["text"]):  # a picture that is a link
                    yield Link(line + bare.count("\n", 0, found.start()), inner["target"], bool(inner["image"]))
            for found in HTML_TARGET.finditer(bare):
                yield Link(line + bare.count("\n", 0, found.start()), found["target"], "<a" not in found[0])
            for offset, each in enumerate(bare.split("\n")):
                reference = REFERENCE.match(each)
                if reference:
                    yield Link(line + offset, reference["target"], False)

    def headings(self):
        """Yields (line, level, text, anchor); anchors are those that code hosts give."""
        used = {}
        for number, line in enumerate(self.prose, 1):
            heading = HEADING.match(line)
            if heading:
                anchor = anchor_of(heading["text"])
                count = used.get(anchor, 0)
                used[anchor] = count + 1
                yield number, len(heading["marks"]), heading["text"], f"{anchor}-{count}" if count else anchor

    def anchors(self):
        anchors = {anchor for _, _, _, anchor in self.headings()}
        for line in self.prose:
            anchors.update(found["id"] for found in HTML_ID.finditer(line))
        return anchors


def blank(text):
    return "".join("\n" if letter == "\n" else " " for letter in text)


def paragraphs(lines):
    """Yields (line, text) of runs of lines without an empty one. A row of a table is one of its own."""
    start, run = 1, []
    for number, line in enumerate(lines + [""], 1):
        if line.strip() and not line.lstrip().startswith("|"):
            if not run:
                start = number
            run.append(line)
            continue
        if run:
            yield start, "\n".join(run)
            run = []
        if line.strip():
            yield number, line


def anchor_of(heading):
    """The anchor of a heading's text: lower case, no punctuation, a hyphen for each space."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    text = re.sub(r"<[^>]+>", "", text).replace("`", "").replace("*", "")
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


def page_paths(root):
    """The paths of all pages below `root`, without those that are not ours."""
    paths = []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(each for each in folders if each not in SKIPPED_FOLDERS)
        paths += [Path(folder, each).relative_to(root) for each in sorted(files) if each.endswith(".md")]
    return paths


def pages(root):
    return [Page(root, path) for path in page_paths(root)]
