#!/usr/bin/env python3
# tests/each_source.py BUILD_DIR OUT_DIR: the build's compile_commands.json with a command for each source, also of those
# that CMAKE_UNITY_BUILD compiles together: clang-tidy looks at each with nothing but what it includes itself.
import json
import pathlib
import re
import sys

build, out = map(pathlib.Path, sys.argv[1:3])
commands = []
for each in json.loads((build / "compile_commands.json").read_text()):
    together = re.findall(r'^#include "(.*)"$', pathlib.Path(each["file"]).read_text(), re.M) if "/Unity/" in each["file"] else []
    commands += [each | {"file": source, "command": each["command"].replace(each["file"], source)} for source in together or [each["file"]]]
out.mkdir(exist_ok=True)
(out / "compile_commands.json").write_text(json.dumps(commands, indent=1))
