#!/usr/bin/env python3
"""Generates pages and pictures, and builds the manual's site.

  docs.py write SERVER   writes the generated pages and pictures; SERVER is the program mobula-server
  docs.py check SERVER   names each of them that is not current, and ends with 1 if there is one
  docs.py site           builds the site in build/docs, from the pages as they are
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import api_comments  # noqa: E402
import configuration_page  # noqa: E402
import http_api_page  # noqa: E402
import pictures  # noqa: E402
import stage_site  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
OPENAPI = "server/mobula/server/admin/openapi.json"
SITE = Path("docs/tools/site")
LIBRARIES = ("shared/mobula", "server/mobula", "client/mobula")
C_HEADER = Path("client/c/mobula_client.h")


def generated(root, server):
    """Yields (path, text) of each generated file."""
    yield "docs/configuration.md", configuration_page.make(server)
    yield "docs/http-api.md", http_api_page.make(root / OPENAPI)
    for name, text in pictures.make(root).items():
        yield f"docs/pictures/{name}", text


def write(root, server):
    for path, text in generated(root, server):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")


def outdated(root, server):
    """Returns the generated files that are not what they would be now."""
    return [path for path, text in generated(root, server)
            if not (root / path).exists() or (root / path).read_text(encoding="utf-8") != text]


def public_headers(root):
    """Returns the headers that are installed: the entries of cmake/public_headers.cmake and whatever they include."""
    table = (root / "cmake/public_headers.cmake").read_text(encoding="utf-8")
    entries = re.search(r"set\(MOBULA_PUBLIC_HEADERS\s(.*?)\)", re.sub(r"#.*", "", table), re.DOTALL).group(1).split()
    found, left = set(), entries
    while left:
        name = left.pop()
        path = next((root / folder.split("/")[0] / name for folder in LIBRARIES
                     if (root / folder.split("/")[0] / name).exists()), None)
        if path is None or path in found:
            continue
        found.add(path)
        left += re.findall(r"#\s*include <(mobula/[^>]+)>", path.read_text(encoding="utf-8"))
    return sorted(found)


def run(command, names=None, **options):
    """Runs a command, and ends with its output if it fails. `names` replace texts in the output."""
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    output = result.stdout
    for text, name in (names or {}).items():
        output = output.replace(text, name)
    if result.returncode != 0:
        sys.exit(f"{output}\ndocs: {command[0]} failed")


def api_start(root, headers):
    """The first page of the API reference: its headers by library."""
    text = "# Mobula API\n\nThe public headers, each with its classes and functions.\n"
    for library in LIBRARIES:
        inside = [path.relative_to(root / library.split("/")[0]).as_posix() for path in headers if path.is_relative_to(root / library)]
        if inside:
            text += f"\n## {library.split('/')[0].capitalize()}\n\n"
            text += "".join(f'- [&lt;{name}&gt;](@ref {name})\n' for name in inside)
    return text + f"\n## C interface\n\n- [&lt;{C_HEADER.name}&gt;](@ref {C_HEADER.name})\n"


def copy_headers(root, headers, copies):
    """Copies headers as Doxygen reads them."""
    shutil.rmtree(copies, ignore_errors=True)
    for header in headers:
        copy = copies / header.relative_to(root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(api_comments.documented(header.read_text(encoding="utf-8"), header.name), encoding="utf-8")


def make_api(root, target):
    headers = public_headers(root)
    if not headers:
        sys.exit("docs: cmake/public_headers.cmake names no header that exists")
    target.mkdir(parents=True)
    copies = root / "build/docs-headers"
    copy_headers(root, [*headers, root / C_HEADER], copies)
    start = target / "start.md"
    start.write_text(api_start(root, headers), encoding="utf-8")
    roots = " ".join(f'"{copies / each}"' for each in (*(library.split("/")[0] for library in LIBRARIES), C_HEADER.parent))
    text = (root / SITE / "Doxyfile").read_text(encoding="utf-8")
    text += f'\nINPUT = "{start}" "{copies}"\nUSE_MDFILE_AS_MAINPAGE = "{start}"\n'
    text += f'STRIP_FROM_PATH = {roots}\nSTRIP_FROM_INC_PATH = {roots}\n'
    text += f'OUTPUT_DIRECTORY = "{target.parent}"\nHTML_OUTPUT = {target.name}\n'
    text += f'HTML_EXTRA_STYLESHEET = "{root / SITE / "api.css"}"\nHTML_HEADER = "{root / SITE / "api_header.html"}"\n'
    run(["doxygen", "-"], {str(copies): str(root)}, input=text, cwd=root)
    start.unlink()


def make_offline_search(root, site):
    """Turns the theme's search, an index to fetch and a worker to start, into one script."""
    index = json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))
    index["docs"] = [each for each in index["docs"] if not each["location"].startswith("tree/")]
    workers = list((site / "assets/javascripts/workers").glob("search.*.min.js"))
    if len(workers) != 1:
        sys.exit("docs: this mkdocs-material has another search than the one that docs/tools/site/search.js stands in for")
    program = workers[0].read_text(encoding="utf-8").split("\n//# sourceMappingURL=")[0]
    data = json.dumps(index, ensure_ascii=False).replace("</", "<\\/")
    (site / "search/offline.js").write_text(
        f"offlineSearch({data}, function (self, addEventListener, postMessage) {{\n{program}\n}});\n", encoding="utf-8")


def make_site(root):
    pages = root / "build/docs-pages"
    stage_site.Stage(root, pages, stage_site.tracked_files(root)).run()
    make_api(root, pages / "api")
    run(["mkdocs", "--quiet", "build", "--clean", "--strict", "--config-file", str(root / SITE / "mkdocs.yml")])
    make_offline_search(root, root / "build/docs")


def main(arguments):
    if arguments == ["site"]:
        make_site(ROOT)
        return 0
    if len(arguments) != 2 or arguments[0] not in ("write", "check"):
        print(__doc__, file=sys.stderr)
        return 2
    if arguments[0] == "write":
        write(ROOT, arguments[1])
        return 0
    old = outdated(ROOT, arguments[1])
    for path in old:
        print(f"{path} is not current: ./dev docs --write makes it anew")
    return 1 if old else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
