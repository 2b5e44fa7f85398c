// A headless Chromium, driven by the DevTools protocol through a pipe. Its folder is the caller's, who removes it.
import { spawn } from "node:child_process";
import { join } from "node:path";

const options = [
  "--headless=new",
  "--no-sandbox",
  "--disable-dev-shm-usage",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
  "--mute-audio",
  "--disable-background-timer-throttling",
  "--disable-renderer-backgrounding",
  "--remote-debugging-pipe",
];

/** One page, with what it has done in the network and complained of. */
class Page {
  frames = 0;
  websocket = "";
  errors = [];

  constructor(browser, session) {
    this.browser = browser;
    this.session = session;
  }

  call(method, parameters = {}) {
    return this.browser.call(method, parameters, this.session);
  }

  onNotice(method, parameters) {
    if (method === "Network.webSocketCreated") this.websocket = parameters.url;
    if (method === "Network.webSocketFrameReceived") ++this.frames;
    if (method === "Runtime.exceptionThrown")
      this.errors.push(parameters.exceptionDetails.exception?.description ?? parameters.exceptionDetails.text);
    if (method === "Log.entryAdded" && parameters.entry.level === "error")
      this.errors.push(`${parameters.entry.text} ${parameters.entry.url ?? ""}`);
  }
}

export class Browser {
  pages = [];
  #calls = new Map();
  #last = 0;
  #rest = "";

  constructor(folder, ...more) {
    const profile = `--user-data-dir=${join(folder, "profile")}`;
    this.process = spawn("chromium", [...options, profile, ...more, "about:blank"], {
      stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
      env: { ...process.env, TMPDIR: folder },
    });
    this.process.stdio[4].setEncoding("utf8").on("data", (text) => {
      const parts = (this.#rest + text).split("\0");
      this.#rest = parts.pop();
      for (const part of parts) this.#receive(JSON.parse(part));
    });
  }

  #receive({ id, sessionId, method, params, result, error }) {
    if (id === undefined) return this.pages.find(({ session }) => session === sessionId)?.onNotice(method, params);
    const { resolve, reject } = this.#calls.get(id);
    this.#calls.delete(id);
    if (error === undefined) resolve(result);
    else reject(new Error(error.message));
  }

  call(method, params = {}, sessionId = undefined) {
    const id = ++this.#last;
    this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((resolve, reject) => this.#calls.set(id, { resolve, reject }));
  }

  /** Opens an empty page of this size. */
  async open({ width, height, mobile = false }) {
    const { targetId } = await this.call("Target.createTarget", { url: "about:blank", newWindow: true });
    const { sessionId } = await this.call("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, sessionId);
    this.pages.push(page);
    for (const domain of ["Page", "Runtime", "Log", "Network"]) await page.call(`${domain}.enable`);
    await page.call("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile });
    await page.call("Emulation.setFocusEmulationEnabled", { enabled: true });
    return page;
  }

  async close() {
    if (this.process.exitCode !== null) return;
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    this.process.kill("SIGTERM");
    await ended; // it writes to its folder
  }
}
