# The demo's village, served by mobula-server with bots, or none, and requests to its admin port without the page.
import json
import os
import re
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request


class Village:
    def __init__(self, programs, level_json, folder, bots, admin_port=0):
        self.programs = programs
        self.environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}  # the caller's
        self.bots = bots
        self.log_path = folder / "server.log"
        self.level = folder / "village.level"
        self.log = open(self.log_path, "w")
        self.crowd = None
        subprocess.run([programs / "mobula-compile", level_json, "-o", self.level], check=True, stdout=self.log,
                       env=self.environment)
        self.start(admin_port)

    def start(self, admin_port, udp_port=0):
        at = self.log_path.stat().st_size
        self.server = subprocess.Popen(
            [self.programs / "mobula-server", "--level", self.level, "--port", str(udp_port), "--admin-port",
             str(admin_port)],
            stdout=self.log, stderr=self.log, env=self.environment)
        end = time.monotonic() + 60
        while True:
            text = self.log_path.read_text()[at:]
            found = re.search(r"http://127\.0\.0\.1:(\d+)", text)
            port = re.search(r"listening on udp port (\d+)", text)
            if found and port:
                break
            if self.server.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"the server did not start: {text[-2000:]}")
            time.sleep(0.05)
        self.admin_port, self.udp_port = int(found[1]), int(port[1])
        self.url = found[0] + "/"
        if not self.bots:
            return
        self.crowd = subprocess.Popen(
            [self.programs / "mobula-bots", "--connect", f"127.0.0.1:{port[1]}", "--admin", found[0], "--clients", str(self.bots),
             "--seconds", "600", "--predict"], stdout=self.log, stderr=self.log, env=self.environment)

    def stop(self):
        for each in (self.crowd, self.server):
            if each and each.poll() is None:
                each.terminate()
        for each in (self.crowd, self.server):
            if each:
                try:
                    each.wait(timeout=20)
                except subprocess.TimeoutExpired:
                    each.kill()
                    each.wait()

    def close(self):
        """Stops for good."""
        self.stop()
        self.log.close()

    def ask(self, path, method="GET", body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + "api/" + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=20) as response:
            return json.load(response)

    def find(self, **query):
        """Returns the first matching entity."""
        cursor = None
        while True:
            page = self.ask("entities?" + urllib.parse.urlencode(query | ({"cursor": cursor} if cursor else {})))
            if page["entities"]:
                return page["entities"][0]
            cursor = page["next"]
            if cursor is None:
                raise AssertionError(f"no entity is like {query}")

    def wait_for_players(self, number):
        end = time.monotonic() + 60
        while self.ask("status")["worlds"][0]["players"] < number:
            if time.monotonic() > end:
                raise AssertionError("the bots did not join")
            time.sleep(0.1)
