# A headless Chromium, driven by the W3C WebDriver protocol of Debian's chromium-driver over HTTP and JSON.
import base64
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "Tab": "\ue004", "Down": "\ue015", "Up": "\ue013", "Left": "\ue012",
        "Right": "\ue014", "End": "\ue010", "Home": "\ue011", "Control": "\ue009"}
FORMS = {"desktop": (1280, 720, False), "phone": (390, 844, True)}


# The shell has no windows of a person, and takes half of the time. Debian's script for it ends without it.
CHROMIUM = shutil.which("/usr/lib/chromium/chromium-headless-shell") or shutil.which("chromium")


def is_there():
    return bool(CHROMIUM and shutil.which("chromedriver"))


class Browser:
    """A browser window. Waits end with an error after some seconds."""

    def __init__(self):
        # Chromium leaves profiles in its temporary folder when it is closed, hence one of its own.
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                       text=True, env={**os.environ, "TMPDIR": self.folder.name})
        self.session = ""
        port = None
        for line in self.driver.stdout:
            port = re.search(r"started successfully on port (\d+)", line)
            if port:
                break
        if not port:
            raise RuntimeError("chromedriver did not start")
        self.base = f"http://127.0.0.1:{port[1]}/session"
        arguments = ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars=false"]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")  # it refuses to run as root without
        options = {"binary": CHROMIUM, "args": arguments}
        answer = self._ask("POST", "", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}}})
        self.session = "/" + answer["sessionId"]

    def close(self):
        try:
            self._ask("DELETE", "", None)
        finally:
            self.driver.stdout.close()
            self.driver.terminate()
            self.driver.wait()
            self.folder.cleanup()

    def _ask(self, method, path, body):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + self.session + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path}: {json.load(error)['value']['message'].splitlines()[0]}") from None

    def _devtools(self, command, parameters):
        return self._ask("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def take_form(self, form, theme):
        width, height, mobile = FORMS[form]
        self._devtools("Emulation.setDeviceMetricsOverride",
                       {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile})
        self._devtools("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": theme}]})

    def open(self, url):
        self._ask("POST", "/url", {"url": "about:blank"})  # the same page with another '#' would not be reloaded
        self._ask("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        """Returns the value of a JavaScript expression; arguments are a[0], a[1] …"""
        return self._ask("POST", "/execute/sync", {"script": f"const a = arguments; return {script};", "args": list(arguments)})

    def wait(self, script, *arguments, seconds=30):
        """Waits until the expression is true, and returns its value."""
        end = time.monotonic() + seconds
        while True:
            value = self.run(script, *arguments)
            if value:
                return value
            if time.monotonic() > end:
                page = " ".join(self.run("document.body.innerText").split())
                raise AssertionError(f"waited in vain for {script} with {arguments}; the page: {page}")
            time.sleep(0.05)

    def press(self, *keys):
        """Types keys by name, or text, into the focused element."""
        actions = []
        for each in keys:
            for key in [KEYS[each]] if each in KEYS else each:
                actions += [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self._ask("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def click(self, x, y):
        self._ask("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [
            {"type": "pointerMove", "x": int(x), "y": int(y)}, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]}]})

    def screenshot(self, path):
        path.write_bytes(base64.b64decode(self._ask("GET", "/screenshot", None)))

    def complaints(self):
        """Returns errors and violations of the security policy in the console since the last call."""
        entries = self._ask("POST", "/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries if entry["level"] in ("SEVERE", "WARNING")]
