"""Copies the pages of the tree to the folder that mkdocs reads, so that every link of theirs works in the site.

Pages of docs/ stay what they are. Pages from elsewhere get the names of NAMES. Other files and folders that a page
links to become pages below tree/ that show them. Headings get the anchors that code hosts give them.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path
from urllib.parse import quote, unquote

import markdown

NAMES = {
    "bench/README.md": "benchmarks.md",
    "CHANGELOG.md": "changes.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
}
ASSETS = ("docs/tools/site/style.css", "docs/tools/site/search.js", "client/inspector/icon.svg")  # files that the pages load
LANGUAGES = {".cpp": "cpp", ".hpp": "cpp", ".py": "python", ".sh": "bash", ".json": "json", ".cmake": "cmake",
             ".fbs": "cpp", ".js": "js", ".yaml": "yaml", ".yml": "yaml", ".css": "css"}
PICTURES = {".png", ".svg", ".jpg", ".jpeg", ".webp"}
FILE_BYTES_MAX = 200_000  # limit of a file that is shown; larger ones are not for reading


class Stage:
    """The pages of a site, made from those of a tree. `tracked` are the tree's files, relative to its root."""

    def __init__(self, root, target, tracked):
        self.root = Path(root).resolve()
        self.target = Path(target).resolve()
        self.tracked = [Path(each) for each in tracked]
        self.queue = []  # paths of the tree that were linked and wait to be shown
        self.known = set()

    def run(self):
        if self.target.exists():
            shutil.rmtree(self.target)
        for path in self.tracked:
            name = path.as_posix()
            if name in NAMES or (path.parts[0] == "docs" and len(path.parts) == 2 and path.suffix == ".md"):
                self.stage_page(path, self.page_of(path))
        while self.queue:
            self.show(self.queue.pop())
        for name in ASSETS:
            self.copy(Path(name), Path("assets") / Path(name).name)

    def page_of(self, path):
        """Where a file of the tree is in the site."""
        name = path.as_posix()
        if name in NAMES:
            return Path(NAMES[name])
        if path.parts and path.parts[0] == "docs" and (path.suffix == ".md" or path.suffix in PICTURES):
            return Path(*path.parts[1:])
        if path.suffix in PICTURES:
            return Path("tree") / path
        return Path("tree") / f"{name}.md"

    def refer(self, path):
        """The page of a path that is linked; it is shown later if it is none of its own."""
        page = self.page_of(path)
        if page not in self.known:
            self.known.add(page)
            if not (path.as_posix() in NAMES or (path.suffix == ".md" and path.parts[0] == "docs")):
                self.queue.append(path)
        return page

    def show(self, path):
        absolute = self.root / path
        page = self.page_of(path)
        if path.suffix in PICTURES:
            self.copy(path, page)
        elif absolute.is_dir():
            self.write(page, self.folder_text(path, page))
        elif path.suffix == ".md":
            self.stage_page(path, page)
        else:
            self.write(page, self.file_text(path))

    def folder_text(self, path, page):
        inside = sorted({each.relative_to(path).parts[0] for each in self.tracked if each.is_relative_to(path)})
        text = f"# {path.as_posix()}\n\n"
        for name in inside:
            text += f"- [{name}]({self.relative(page, self.refer(path / name))})\n"
        return text

    def file_text(self, path):
        if (self.root / path).stat().st_size > FILE_BYTES_MAX:
            return f"# {path.as_posix()}\n\nThis file is too large to be shown here.\n"
        text = (self.root / path).read_text(encoding="utf-8", errors="replace")
        language = LANGUAGES.get(path.suffix, "cmake" if path.name == "CMakeLists.txt" else "text")
        longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
        fence = "`" * max(3, longest + 1)
        return f"# {path.as_posix()}\n\n{fence}{language}\n{text.rstrip()}\n{fence}\n"

    def stage_page(self, path, page):
        self.known.add(page)
        source = markdown.Page(self.root, path)
        anchors = {line: anchor for line, _, _, anchor in source.headings()}
        fences = {block.line for block in source.blocks if block.language == "fbs"}  # which no highlighter knows
        lines = source.text.split("\n")
        for number, line in enumerate(lines):
            if number + 1 in anchors:
                lines[number] = f"{line.rstrip()} {{ #{anchors[number + 1]} }}"
            elif number + 1 in fences:
                lines[number] = re.sub(r"\bfbs\b", LANGUAGES[".fbs"], line)
            elif source.prose[number]:
                lines[number] = self.rewritten(line, path, page)
        self.write(page, "\n".join(lines))

    def rewritten(self, line, path, page):
        """Returns a line whose links lead to pages of the site. Code stays unchanged."""
        codes = [code.span() for code in markdown.INLINE_CODE.finditer(line)]

        def replace(found):
            start, end = found.span("target")
            if any(low <= start < high for low, high in codes if not (found.start() < low and high < found.end())):
                return found[0]
            target = self.site_target(found["target"], path, page)
            whole = found[0]
            text = self.rewritten(whole[: start - found.start()], path, page) if "](" in whole[1 : start - found.start() - 1] else whole[: start - found.start()]
            return text + target + whole[end - found.start() :]

        line = markdown.LINK.sub(replace, line)
        line = markdown.HTML_TARGET.sub(replace, line)
        return markdown.REFERENCE.sub(replace, line)

    def site_target(self, target, path, page):
        if re.match(r"[a-z]+:", target) or target.startswith("#"):
            return target
        name, _, anchor = target.partition("#")
        linked = Path(os.path.normpath(path.parent / unquote(name)))
        if linked.parts[0] == ".." or not (self.root / linked).exists():
            return target  # a dead link, which mkdocs reports
        other = quote(self.relative(page, self.refer(linked)))
        return other + (f"#{anchor}" if anchor else "")

    @staticmethod
    def relative(page, other):
        return os.path.relpath(other, page.parent).replace(os.sep, "/")

    def copy(self, path, page):
        (self.target / page).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(self.root / path, self.target / page)

    def write(self, page, text):
        (self.target / page).parent.mkdir(parents=True, exist_ok=True)
        (self.target / page).write_text(text, encoding="utf-8")


def tracked_files(root):
    """The files of a tree: those that git knows or would take, and that exist."""
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            capture_output=True, check=True).stdout.decode()
    return sorted(name for name in set(listed.split("\0")) if name and (Path(root) / name).is_file())
