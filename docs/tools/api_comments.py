"""Public headers as Doxygen reads them: their // comments, which it ignores, become documentation.

A comment above a public declaration, or behind it, is that of the declaration. The comment at the head of a file is that
of the only type without one, or of the one that the file is named after, else of the file. Indented lines after an empty
one are shown as they are. Comments of functions' bodies and of private members remain. Each line stays in its place, so
that warnings name the right one.
"""

import re

STRING = re.compile(r'"(?:\\.|[^"\\])*"|(?<!\w)\'(?:\\.|[^\'\\])+\'')
TEMPLATE = re.compile(r"template\s*<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>")
TYPE = re.compile(r"\s*(?:typedef\s+)?(class|struct|union|enum(?:\s+(?:class|struct))?)\b\s*([A-Za-z_]\w*)?\s*(<?)")
NAMESPACE = re.compile(r'\s*(?:inline\s+)?(?:namespace\b\s*([\w:]*)|extern\s+"")')
ACCESS = re.compile(r"\s*(public|protected|private):")
ITEM = re.compile(r"\s*(?:-|\d+\.)\s")
NO_DECLARATION = re.compile(r"\s*(?:$|#(?! *define)|[})]|//|/\*|(?:public|protected|private):|friend\b|using namespace\b)")


class Scopes:
    """The scopes around a line of C++ or C, as far as documentation depends on them."""

    def __init__(self):
        self.open = []  # (kind, name, whether its declarations are public)
        self.statement = ""  # its text so far
        self.parentheses = 0

    def is_public(self):
        """Whether a declaration may begin here that others see."""
        return all(kind != "body" and public for kind, _, public in self.open)

    def begins_statement(self):
        return not self.statement.strip() and self.parentheses == 0

    def namespace(self):
        """The name of the namespaces around; None within a type or a body."""
        if any(kind != "namespace" for kind, _, _ in self.open):
            return None
        return "::".join(name for _, name, _ in self.open if name)

    def in_enum(self):
        return bool(self.open) and self.open[-1][0] == "enum"

    def read(self, code):
        """Reads a line without strings and comments."""
        access = ACCESS.match(code)
        if access and self.open and self.open[-1][0] == "type":
            kind, name, _ = self.open[-1]
            self.open[-1] = (kind, name, access[1] != "private")
            return
        for each in "" if code.lstrip().startswith("#") else code:
            if each in "()":
                self.parentheses += 1 if each == "(" else -1
            if each == "{":
                self.open.append(scope_of(self.statement))
            elif each == "}" and self.open:
                self.open.pop()
            if each in "{};" or (each == "," and self.in_enum()):
                self.statement = ""
            else:
                self.statement += each
        self.statement += " "


def scope_of(statement):
    """Returns the scope that a statement opens."""
    statement = TEMPLATE.sub("", statement)
    namespace = NAMESPACE.match(statement)
    if namespace:
        return ("namespace", namespace[1] or "", namespace[1] != "")
    kind = TYPE.match(statement)
    if not kind or "(" in statement:
        return ("body", "", False)
    return ("enum" if kind[1].startswith("enum") else "type", kind[2] or "", kind[1] != "class")


def split_comment(line):
    """Returns (code, comment) of a line whose comment ends with it. Strings are no comments."""
    masked = STRING.sub(lambda match: "x" * len(match[0]), line)
    at = re.search(r"//|/\*(?=.*\*/\s*$)", masked)
    return (line[: at.start()], line[at.start():]) if at else (line, "")


def code_of(line):
    return STRING.sub('""', split_comment(line)[0])


def escaped(text):
    """The text of a comment that was not written for Doxygen, in which no character is a command."""
    text = re.sub(r"[\\@]", r"\\\g<0>", text)
    return re.sub(r"<(?=[\w/!])|(?<!\w)(?:[#%]|::)(?=\w)", r"\\\g<0>", text)


def blocks_of_code(texts):
    """Returns, for each line of a comment, whether it is shown as it is: an indented line after an empty one or another."""
    shown, before = [], True
    for text in texts:
        shown.append(before and text.startswith("   "))
        before = shown[-1] or not text.strip()
    return shown


class File:
    """One header, whose comments are turned into documentation."""

    def __init__(self, text, name):
        self.lines = text.split("\n")
        self.main = "".join(word.capitalize() for word in name.split(".")[0].split("_"))
        self.scopes = Scopes()
        self.without_text = {}  # types of namespaces: their qualified names by their own, and their kinds

    def documented(self):
        begin = self.end_of_block(0) if self.lines[0].startswith(("//", "/*")) else 0
        at, trailing, has_text = begin, None, False
        while at < len(self.lines):
            line = self.lines[at]
            if trailing is not None and line.find("//") == trailing and line[:trailing].isspace():
                self.lines[at] = line[:trailing] + "///<" + escaped(line[trailing + 2 :])
                at += 1
                continue
            if line.lstrip().startswith(("//", "/*")):
                end = self.end_of_block(at)
                has_text = self.document_block(at, end)
                at, trailing = end, None
                continue
            self.note_type(line, has_text)
            trailing = self.document_trailing(at)
            has_text = False
            at += 1
        self.document_head(begin)
        return "\n".join(self.lines)

    def end_of_block(self, at):
        """Returns the line after the comment that begins at a line."""
        if self.lines[at].lstrip().startswith("/*"):
            return next(place for place in range(at, len(self.lines)) if "*/" in self.lines[place]) + 1
        indentation = self.lines[at].index("//")
        end = at
        while end < len(self.lines) and self.lines[end].startswith(" " * indentation + "//"):
            end += 1
        return end

    def document_block(self, at, end):
        """Documents what follows a comment. Returns whether that has a text then."""
        following = self.lines[end] if end < len(self.lines) else ""
        is_text = self.scopes.is_public() and self.scopes.begins_statement() and not NO_DECLARATION.match(following)
        if is_text and not re.match(r"\s*(?://|/\*) ---", self.lines[at]):
            self.write_block(at, end, "")
            return True
        return False

    def write_block(self, at, end, command):
        """Writes a comment as documentation. One of C ends with a command of Doxygen, if that is given."""
        if self.lines[at].lstrip().startswith("/*"):
            first = re.match(r"(\s*)/\*+(.*)", self.lines[at])
            self.lines[at] = f"{first[1]}/**{escaped(first[2])}"
            inner = [re.match(r"(\s*\*)(?!/)(.*)", line) for line in self.lines[at + 1 : end]]
            shown = blocks_of_code([match[2] if match else "" for match in inner])
            for place, (match, is_code) in enumerate(zip(inner, shown), at + 1):
                if match:
                    self.lines[place] = match[1] + (f"    {match[2]}" if is_code else escaped(match[2]))
            if command:
                self.lines[end - 1] = self.lines[end - 1].replace("*/", f"* {command} */")
            return
        blocks = [re.match(r"(\s*)(///?)(?!/)(.*)", line) for line in self.lines[at:end]]
        if not all(blocks):
            return
        for place, (match, is_code) in enumerate(zip(blocks, blocks_of_code([match[3] for match in blocks])), at):
            text = escaped(match[3]) if match[2] == "//" else re.sub(r"#(?=[a-z])", r"\\#", match[3])
            self.lines[place] = f"{match[1]}///" + (f"    {match[3]}" if is_code else text)

    def note_type(self, line, has_text):
        """Remembers a type of a namespace if it has no text."""
        kind = TYPE.match(TEMPLATE.sub("", line))
        namespace = self.scopes.namespace()
        opens = "{" in code_of(line) and self.scopes.is_public() and not self.scopes.statement.replace("template", "").strip()
        if kind and kind[2] and not kind[3] and namespace and opens and not has_text:
            self.without_text[kind[2]] = f"@{kind[1].split()[0]} {namespace}::{kind[2]}"

    def document_trailing(self, at):
        """Documents a declaration by the comment behind it. Returns the column of that comment, or None."""
        line = self.lines[at]
        code, comment = split_comment(line)
        was_public = self.scopes.is_public() and self.scopes.begins_statement()
        depth = len(self.scopes.open)
        in_enum = self.scopes.in_enum()
        self.scopes.read(code_of(line))
        ends = in_enum or re.match(r"#define \w+ .*[^\\]$", code.rstrip()) or (
            code.rstrip().endswith((";", "}")) and self.scopes.begins_statement())
        if not (was_public and ends and depth == len(self.scopes.open) and not NO_DECLARATION.match(code)):
            return None
        if comment.startswith("//") and not comment.startswith("///"):
            self.lines[at] = f"{code}///<{escaped(comment[2:])}"
            return len(code)
        if comment.startswith("/*") and not comment.startswith("/**"):
            self.lines[at] = f"{code}/**<{escaped(comment[2:])}"
        return None

    def document_head(self, end):
        """Gives the comment at the head of the file to a type without text, or to the file."""
        if end == 0:
            return
        if len(self.without_text) == 1:
            _, command = self.without_text.popitem()
        else:
            command = self.without_text.pop(self.main, "@file")
        if self.lines[0].startswith("/*"):
            self.write_block(0, end, "@file")
            return
        self.write_block(0, end, "")
        # In place of #pragma once, which means nothing here.
        if self.lines[end : end + 1] == ["#pragma once"]:
            del self.lines[end]
        self.lines.insert(0, f"/// {command}")


def documented(text, name):
    """Returns the text of a header, a file of that name, with documentation in place of comments."""
    return File(text, name).documented()
