#!/usr/bin/env python3
"""Commands that the pages show run to their end: run_commands.py ROOT BIN_DIR [SCENARIO…]

commands.toml beside this file says what runs each command that a page shows. A command that it does not list is reported,
and so is one that it lists and no page shows. Then its scenarios run (default: all), each in an empty folder and in a
network of its own, in which every port is free and no other machine can be reached.

Prints what is wrong, and ends with 1 if something was; with 77 (skipped) if this system allows no network of its own.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs" / "tools"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import check_names  # noqa: E402
import markdown  # noqa: E402
import own_network  # noqa: E402

NOT_READ = {Path("CHANGELOG.md"), Path("tests/mutation/README.md")}
NOT_SHELL = {"cmake", "cpp", "fbs", "json", "toml", "yaml"}
PROGRAMS = (r"\./dev|docker|curl|sqlite3|cmake|xz|kubectl|mono|mcs|cc|gcc|flatc|npm|npx|openssl|python3|venv/bin/\S+|"
            r"build/\S+|(?:\S*/)?mobula-[a-z-]+")
SHOWN = re.compile(r"(?:\$ )?((?:[A-Z][A-Z_]*=\S+ )*(?:" + PROGRAMS + r")\b(?!:)(?: .*)?)")
PROMPT_COMMENT = re.compile(r"(^|\s)#.*")
SECONDS_MAX = 120
SKIPPED = 77


def command_of(line):
    """Returns the command that a line of a block shows, in one form, or None."""
    shown = SHOWN.fullmatch(PROMPT_COMMENT.sub("", line).strip())
    return " ".join(shown[1].split()) if shown else None


def shown_commands(root):
    """Yields (place, command) for each command of a block, and of inline code with a path or arguments."""
    for page in markdown.pages(root):
        if page.path in NOT_READ:
            continue
        for block in page.blocks:
            if block.language in NOT_SHELL:
                continue
            for line, text in check_names.block_lines(block):
                if command := command_of(text):
                    yield f"{page.path}:{line}", command
        for line, code in page.inline_codes():
            command = command_of(code)
            if command and (" " in command or "/bin/" in command):
                yield f"{page.path}:{line}", command


def listed_commands(table):
    """The commands that the table lists as shown."""
    steps = [step for scenario in table["scenario"] for step in scenario["step"]]
    listed = {each for step in steps for each in step.get("shown", [])} | set(table["elsewhere"])
    return {" ".join(each.split()) for each in listed}


def ci_commands(root):
    """The commands that .ci/run runs, each a list of words: `step NAME COMMAND` or `beside NAME COMMAND`,
    `step NAME env VARIABLE=VALUE COMMAND` or `COMMAND || exit 1`."""
    lines = (root / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    words = [PROMPT_COMMENT.sub("", line).split(" || ")[0].split() for line in lines]
    words = [each[2:] if each and each[0] in ("step", "beside") else each for each in words]
    return [each[2:] if each[:1] == ["env"] else each for each in words]


def problems_of_lists(root, table):
    """Commands that are shown and not listed, or listed and not shown."""
    listed, shown = listed_commands(table), {}
    for place, command in shown_commands(root):
        shown.setdefault(command, place)
    problems = [f"{place}: commands.toml does not say what runs '{each}'" for each, place in shown.items() if each not in listed]
    problems += [f"commands.toml: no page shows '{each}'" for each in sorted(listed - set(shown))]
    return problems + problems_of_reasons(root, sorted(set(table["elsewhere"].values())))


def problems_of_reasons(root, reasons):
    """Reasons that name a command that .ci/run does not run, or a test that does not exist."""
    checks = ci_commands(root)
    listings = [path.read_text(encoding="utf-8") for path in sorted((root / "tests").rglob("CMakeLists.txt"))]
    problems = []
    for kind, name in (reason.split(": ", 1) for reason in reasons):
        if kind == "ci" and name.split() not in checks:
            problems.append(f"commands.toml: .ci/run does not run '{name}'")
        if kind == "test" and not has_test("\n".join(listings), name):
            problems.append(f"commands.toml: there is no test '{name}'")
    return problems


def has_test(listings, name):
    """Returns whether a listing adds the test, itself or by a call of a function that makes names of its first argument."""
    for added in re.findall(r"add_test\(NAME ([^\s)]+)", listings):
        fixed = re.split(r"\$\{\w+\}", added)
        match = re.fullmatch("(.+)".join(map(re.escape, fixed)), name)
        if match and all(re.search(rf"(?:\(|foreach\(name (?:\w+ )*){re.escape(part)}\b", listings) for part in match.groups()):
            return True
    return False


class Scenario:
    """Steps that run one after the other in a folder. One server at a time runs beside them."""

    def __init__(self, root, programs, scenario):
        self.scenario = scenario
        self.environment = {**os.environ, "ROOT": str(root), "BIN": str(programs), "PATH": f"{programs}:{os.environ['PATH']}", "HOME": "."}
        self.server = None
        self.problems = []

    def run(self):
        with tempfile.TemporaryDirectory() as folder:
            self.folder = Path(folder)
            for step in self.scenario["step"]:
                if not self.run_step(step):
                    break
            self.stop_server()
        return self.problems

    def run_step(self, step):
        command = step.get("run") or step["shown"][0]
        began = len(self.problems)
        if "serves" in step:
            self.serve(command, step["serves"])
        else:
            self.execute(command, step.get("prints", ""), step.get("status", 0))
        return len(self.problems) == began

    def execute(self, command, prints, status):
        try:
            done = subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.environment, capture_output=True,
                                  text=True, timeout=SECONDS_MAX, check=False, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return self.report(command, f"did not end within {SECONDS_MAX} s", "")
        output = done.stdout + done.stderr
        if done.returncode != status:
            self.report(command, f"ended with {done.returncode} instead of {status}", output)
        elif not re.search(prints, output, re.MULTILINE):
            self.report(command, f"does not print '{prints}'", output)

    def serve(self, command, until):
        """Starts a server in the place of the one before and waits until it prints a line that matches."""
        self.stop_server()
        self.log = self.folder / "server.log"
        with self.log.open("w") as log:
            self.server = subprocess.Popen(["bash", "-c", f"exec {command}"], cwd=self.folder, env=self.environment,
                                           stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        self.serving = command
        end = time.monotonic() + SECONDS_MAX
        while not re.search(until, self.log.read_text()):
            if self.server.poll() is not None or time.monotonic() > end:
                return self.report(command, f"does not print '{until}'", self.log.read_text())
            time.sleep(0.05)

    def stop_server(self):
        if self.server is None:
            return
        self.server.terminate()
        try:
            status = self.server.wait(SECONDS_MAX)
        except subprocess.TimeoutExpired:
            self.server.kill()
            status = self.server.wait()
        if status != 0:
            self.report(self.serving, f"ended with {status} when it was stopped", self.log.read_text())
        self.server = None

    def report(self, command, problem, output):
        last = "".join(f"\n    {line}" for line in output.splitlines()[-15:])
        self.problems.append(f"{self.scenario['name']}: {command}: {problem}{last}")


def main(arguments):
    if len(arguments) < 3:
        print("usage: run_commands.py ROOT BIN_DIR [SCENARIO…]", file=sys.stderr)
        return 2
    root, programs, wanted = Path(arguments[1]).resolve(), Path(arguments[2]).resolve(), arguments[3:]
    table = tomllib.loads((Path(__file__).parent / "commands.toml").read_text(encoding="utf-8"))
    if not own_network.enter():
        print("this system allows no network of its own")
        return SKIPPED
    problems = problems_of_lists(root, table)
    for scenario in table["scenario"]:
        if not wanted or scenario["name"] in wanted:
            problems += Scenario(root, programs, scenario).run()
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
