"""Readers: turn a file of the tree into passages of prose.

A passage is one paragraph, list item, table cell, heading or text of a program. Code, inline code, layout blocks and
diagrams are left out, so that the rules see sentences alone. Each offset of a passage's text leads back to its line.
"""

import bisect
import re

CODE = "\x01"  # counts as one word

FENCE = re.compile(r"\s*(```|~~~)")
ITEM = re.compile(r"\s*(?:[-*+•]|\d+[.)])\s+")
LAYOUT = re.compile(r"[│┌└├─┐┘┤▼▲▶◀→]{2}|\+--|--+>|<--+|\S {3,}\S|^\s*\||-{8}|={8}|[│┌└├┐┘┤]")
COMMAND = re.compile(r"\s*[@\\](?:brief|returns?|note|warning|pre|post|tparam \w+|param(?:\[\w+\])? \w+)\s*")
INLINE_CODE = re.compile(r"(`+)(?:(?!\1).)+\1")
LINK = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
URL = re.compile(r"https?://[^\s)>]+|<[A-Za-z/][^<>]*>")
NO_PROSE = re.compile(r"\s*(?:NOLINT|clang-format|namespace\b|IWYU|shellcheck|eslint|#include|-{3,}|={3,})")


class Passage:
    """A text, its kind, and the lines it comes from.

    Kinds: public (`///`), comment, doc, item, cell, heading, text (of a program).
    """

    __slots__ = ("kind", "text", "starts", "lines", "declared", "continues")

    def __init__(self, kind, pieces, declared=None, continues=False):
        self.kind = kind
        self.declared = declared  # source after a `///` comment, up to the end of the declaration
        self.continues = continues  # the text begins in the middle of a sentence
        self.starts, self.lines, cleaned, offset = [], [], [], 0
        for line, piece in pieces:
            piece = clean(piece)
            self.starts.append(offset)
            self.lines.append(line)
            cleaned.append(piece)
            offset += len(piece) + 1
        self.text = mask_code(" ".join(cleaned))

    def line_at(self, offset):
        return self.lines[max(0, bisect.bisect_right(self.starts, offset) - 1)]


def clean(piece):
    """Returns the piece without emphasis, link targets and addresses."""
    piece = piece.strip()
    if "`" in piece:
        piece = INLINE_CODE.sub(CODE, piece)
    if "[" in piece:
        piece = LINK.sub(lambda match: match.group(1) or CODE, piece)
    if "<" in piece or "http" in piece:
        piece = URL.sub(CODE, piece)
    return piece.replace("**", "") if "**" in piece else piece


def mask_code(text):
    """Masks inline code that goes over a line's end."""
    return INLINE_CODE.sub(CODE, text) if "`" in text else text


class Paragraphs:
    """Collects lines into passages of one kind."""

    def __init__(self, kind, out):
        self.kind, self.out, self.pieces, self.in_item = kind, out, [], False

    def end(self):
        if self.pieces:
            kind = "item" if self.in_item and self.kind == "doc" else self.kind
            self.out.append(Passage(kind, self.pieces))
        self.pieces, self.in_item = [], False

    def item(self, line, text):
        self.end()
        self.in_item = True
        self.pieces.append((line, text))

    def add(self, line, text):
        self.pieces.append((line, text))


def read_comment(lines, kind, out):
    """Appends the passages of a comment, given as (line, text after the marker)."""
    paragraphs, fenced, verbatim = Paragraphs(kind, out), False, False
    for line, text in lines:
        if FENCE.match(text):
            paragraphs.end()
            fenced = not fenced
            continue
        if re.match(r"\s*[@\\](?:code|verbatim|dot)\b", text):
            verbatim = True
        if fenced or verbatim or not text.strip() or NO_PROSE.match(text):
            paragraphs.end()
            verbatim = verbatim and not re.match(r"\s*[@\\]end(?:code|verbatim|dot)\b", text)
            continue
        text = text.removeprefix(" ")
        command, item = COMMAND.match(text), ITEM.match(text)
        if LAYOUT.search(text) or (text.startswith("  ") and not item and not paragraphs.in_item):
            paragraphs.end()
        elif command:
            paragraphs.item(line, text[command.end():])
        elif item:
            paragraphs.item(line, text[item.end():])
        else:
            if paragraphs.in_item and not text.startswith(" "):
                paragraphs.end()
            paragraphs.add(line, text)
    paragraphs.end()


# ---- C++, JavaScript, flatbuffers ----

C_TOKEN = re.compile(
    r"""R"([^()\\\s]{0,16})\((?s:.*?)\)\1"|"(?:[^"\\\n]|\\.)*"|(?<![0-9A-Za-z_])'(?:[^'\\\n]|\\.)+'"""
    r"""|//[^\n]*|/\*(?s:.*?)\*/""")
JS_TOKEN = re.compile(
    r""""(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|//[^\n]*|/\*(?s:.*?)\*/"""
    r"""|(?<=[(,=:!&|?\[])\s*/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/""")
NO_TEXT = re.compile(
    r"\s*(?:SELECT|INSERT|CREATE|DELETE|UPDATE|PRAGMA|BEGIN|COMMIT|ROLLBACK|ATTACH|DROP)\b|.*</?\w+[ >]")
WORDS_IN_TEXT = re.compile(r"[A-Za-z]{2,}[,;:]? +[A-Za-z{\"']+[,;:]? +\w")
ESCAPE = re.compile(r"\\(.)")


class Comment:
    __slots__ = ("line", "column", "alone", "marker", "lines", "end")

    def __init__(self, line, column, alone, marker, text, end):
        self.line, self.column, self.alone, self.marker, self.end = line, column, alone, marker, end
        self.lines = [(line, text)]

    def takes(self, other):
        """Returns true if the other comment goes on where this one ends."""
        return (other.alone and other.marker == self.marker and other.column == self.column
                and other.line == self.lines[-1][0] + 1 and self.marker != "/*")


def block_lines(line, text):
    """Returns the lines of a block comment without its frame of stars."""
    body = re.sub(r"^/\*[*!]?|\*/$", "", text).split("\n")
    return [(line + number, re.sub(r"^\s*\*(?= |$)", "", each)) for number, each in enumerate(body)]


def scan(source, token):
    """Returns the comments and the string literals [(line, start, end)] of a source."""
    comments, strings, line, seen = [], [], 1, 0
    for match in token.finditer(source):
        text, start = match.group(), match.start()
        line += source.count("\n", seen, start)
        seen = start
        if not text.startswith(("//", "/*")):
            if text[0] in "\"'`":
                strings.append((line, start, match.end()))
            continue
        line_start = source.rfind("\n", 0, start) + 1
        alone = not source[line_start:start].strip()
        if text.startswith("/*"):
            if "\n" not in text and not re.match(r"/\*\*? ", text):
                continue  # the name of an argument
            comment = Comment(line, start - line_start, alone, "/*", "", match.end())
            comment.lines = block_lines(line, text)
            comments.append(comment)
            continue
        marker = "///" if text.startswith(("///", "//!")) else "//"
        body = text[len(marker):].removeprefix("<")
        comment = Comment(line, start - line_start, alone, marker, body, match.end())
        if comments and comments[-1].takes(comment):
            comments[-1].lines += comment.lines
            comments[-1].end = match.end()
        else:
            comments.append(comment)
    return comments, strings


def declaration_after(source, end):
    """Returns what a comment stands above, up to the end of the declaration."""
    rest = source[end:end + 600].lstrip()
    stop = re.search(r"[;{]|\n\s*\n", rest)
    return rest[:stop.start() + 1] if stop else rest


def read_strings(source, strings, out):
    """Appends the texts for people: literals of three words and more, adjacent ones joined."""
    number = 0
    while number < len(strings):
        line, start, end = strings[number]
        before = source[max(0, start - 40):start].rstrip()
        pieces = [(line, source[start + 1:end - 1])]
        number += 1
        while number < len(strings) and not source[end:strings[number][1]].strip():
            line, start, end = strings[number]
            pieces.append((line, source[start + 1:end - 1]))
            number += 1
        whole = "".join(piece for _, piece in pieces)
        if before.endswith("R") or not WORDS_IN_TEXT.search(whole) or NO_TEXT.match(whole):
            continue
        read_text(pieces, before.endswith(("+", "<<", "+=")) or whole.startswith((" ", ",", ";", ")")), out)


def read_text(pieces, continues, out):
    """Appends the passages of a literal; each line that it prints is one."""
    printed = []
    for line, piece in pieces:
        parts = piece.split(r"\n")
        for number, part in enumerate(parts):
            if number > 0:
                append_text(printed, continues, out)
                printed, continues = [], False
            printed.append((line, ESCAPE.sub(r"\1", part)))
    append_text(printed, continues, out)


def append_text(printed, continues, out):
    text = "".join(piece for _, piece in printed)
    if text.strip() and not text.startswith("  "):
        out.append(Passage("text", printed, continues=continues))


def read_c(source, out, token=C_TOKEN, texts=False):
    comments, strings = scan(source, token)
    for comment in comments:
        before = len(out)
        kind = "public" if comment.marker == "///" else "comment"
        read_comment(comment.lines, kind, out)
        if kind == "public" and comment.alone and len(out) > before:
            out[before].declared = declaration_after(source, comment.end)
    if texts:
        read_strings(source, strings, out)


def read_js(source, out, texts=False):
    read_c(source, out, JS_TOKEN, texts)


DOC_TAG = re.compile(r"</?(?:summary|remarks)>")


def read_csharp(source, out, texts=False):
    read_c(DOC_TAG.sub("", source), out, texts=texts)


# ---- Shell, Python, CMake, YAML ----

HASH = re.compile(r"""^(?:[^#'"\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*'|(?<=\S)#)*?(?:^|(?<=\s))#(?!!)(.*)$""")
HEREDOC = re.compile(r"(?<!<)<<-?\s*(['\"]?)([A-Za-z_]+)\1(?!\w)")
SPOKEN = re.compile(r"""\b(?:die|say|echo|printf)\s+(?:'%s\\n'\s+)?"((?:[^"\\]|\\.)*)\"""")


def read_hash(source, out, texts=False):
    """Reads `#` comments; with texts, also the heredocs named TEXT and what `say` and `die` print."""
    held, heredoc = [], None
    for line, text in enumerate(source.split("\n"), 1):
        if heredoc:
            if text.strip() == heredoc:
                heredoc = None
            elif texts and heredoc == "TEXT":
                read_help_line(line, text, out)
            continue
        opened = HEREDOC.search(text) if "<<" in text else None
        heredoc = opened.group(2) if opened else None
        spoken = SPOKEN.search(text) if texts else None
        if spoken and WORDS_IN_TEXT.search(spoken.group(1)):
            out.append(Passage("text", [(line, spoken.group(1))]))
        match = HASH.match(text) if "#" in text else None
        if match and not text.lstrip().startswith("#"):
            read_comment(held, "comment", out)
            read_comment([(line, match.group(1))], "comment", out)
            held = []
        elif match:
            held.append((line, match.group(1).lstrip("#")))
        elif held:
            read_comment(held, "comment", out)
            held = []
    read_comment(held, "comment", out)


def read_help_line(line, text, out):
    """Reads the right column of a table of commands."""
    told = re.split(r"\s{2,}", text.strip())[-1]
    if WORDS_IN_TEXT.search(told):
        out.append(Passage("text", [(line, told)], continues=text.startswith(" " * 20)))


PYTHON_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
DOCSTRING = re.compile(r'(?:^|(?<=:\n))(\s*)"""((?s:.*?))"""')


def read_python(source, out, texts=False):
    for match in DOCSTRING.finditer(source):
        line = source.count("\n", 0, match.start(2)) + 1
        margin = len(match.group(1).split("\n")[-1])
        body = [(line + number, " " + (each if number == 0 else each[margin:]))
                for number, each in enumerate(match.group(2).split("\n"))]
        read_comment(body, "comment", out)
    blank = DOCSTRING.sub(lambda match: "\n" * match.group().count("\n"), source)
    read_hash(blank, out)
    if texts:
        found = [each.span() for each in PYTHON_STRING.finditer(blank)]
        read_strings(blank, [(blank.count("\n", 0, start) + 1, start, end) for start, end in found], out)


# ---- Markdown ----

HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*(?:\{[^}]*\})?$")
SKIPPED = re.compile(r"\s*(?:<|--8<--|\[[^\]]+\]:\s|\|?\s*:?-{3,})|\s*:::")


class Markdown:
    """Reads a page line by line."""

    def __init__(self, out):
        self.out, self.paragraphs = out, Paragraphs("doc", out)
        self.fenced, self.hidden, self.inside = "", False, False  # inside: of a list item or an admonition

    def read(self, source):
        for line, text in enumerate(source.split("\n"), 1):
            self.read_line(line, text)
        self.paragraphs.end()

    def read_line(self, line, text):
        fence = FENCE.match(text)
        if self.fenced or fence:
            self.paragraphs.end()
            if not self.fenced:
                self.fenced = fence.group(1)
            elif text.strip() == self.fenced:
                self.fenced = ""
        elif self.hidden or "<!--" in text:
            self.hidden = "-->" not in text
        elif not text.strip() or SKIPPED.match(text):
            self.paragraphs.end()
        else:
            self.read_prose(line, text)

    def read_prose(self, line, text):
        heading, item = HEADING.match(text), ITEM.match(text)
        if heading:
            self.paragraphs.end()
            self.inside = False
            self.out.append(Passage("heading", [(line, heading.group(2))]))
        elif re.match(r"\s*(?:!!!|\?\?\?)", text):
            self.paragraphs.end()
            self.inside = True
        elif text.lstrip().startswith("|"):
            self.paragraphs.end()
            self.read_row(line, text)
        elif item:
            self.paragraphs.item(line, text[item.end():])
            self.inside = True
        elif self.is_layout(text):
            self.paragraphs.end()
        else:
            self.inside = self.inside and (text.startswith(" ") or bool(self.paragraphs.pieces))
            self.paragraphs.add(line, text.lstrip("> "))

    def is_layout(self, text):
        code = text.startswith("    ") and not self.inside and not self.paragraphs.pieces
        return code or bool(re.search(r"[│┌└├┐┘┤]", text))

    def read_row(self, line, text):
        cells = re.split(r"(?<!\\)\|", INLINE_CODE.sub(CODE, text.strip()))
        for cell in cells:
            if re.search(r"[A-Za-z]", cell):
                self.out.append(Passage("cell", [(line, cell)]))


def read_markdown(source, out, texts=False):
    if source.startswith("---\n"):
        end = source.find("\n---\n", 4)
        source = "\n" * source.count("\n", 0, end + 5) + source[end + 5:]
    Markdown(out).read(source)


def read_changelog(source, out, texts=False):
    """Reads what is not released yet: 0.1.0 was written before these rules."""
    old = re.search(r"^## \[?v?0\.1\.0", source, re.MULTILINE)
    read_markdown(source[:old.start()] if old else source, out)


JSON_TEXT = re.compile(r'"(?:description|summary)"\s*:\s*"((?:[^"\\]|\\.)*)"')


def read_json(source, out, texts=False):
    """Reads the descriptions of an OpenAPI document."""
    for match in JSON_TEXT.finditer(source):
        out.append(Passage("text", [(source.count("\n", 0, match.start(1)) + 1, match.group(1))]))


BY_ENDING = {
    "hpp": read_c, "cpp": read_c, "h": read_c, "c": read_c, "fbs": read_c, "cs": read_csharp, "js": read_js,
    "mjs": read_js, "ts": read_js, "py": read_python,
    "sh": read_hash, "cmake": read_hash, "in": read_hash, "yaml": read_hash, "yml": read_hash, "md": read_markdown,
}
BY_NAME = {"dev": read_hash, "CMakeLists.txt": read_hash, "Dockerfile": read_hash, "prometheus.Dockerfile": read_hash,
           "CHANGELOG.md": read_changelog, "openapi.json": read_json}


def reader_of(name):
    """Returns the reader of a file by its name, or None for files without prose."""
    return BY_NAME.get(name) or BY_ENDING.get(name.rsplit(".", 1)[-1])
