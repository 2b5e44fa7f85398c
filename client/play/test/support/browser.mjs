// A headless Chromium, driven over the DevTools protocol through a pipe: no port, and no library. Plain JavaScript, because
// tests/play runs it without a build. The shell, which has no windows of a person, takes two thirds of the time. Debian's
// script for it stays its parent, and ends without it.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const chromium = ["/usr/lib/chromium/chromium-headless-shell", "chromium", "chromium-browser"].find((name) => spawnSync(name, ["--version"]).status === 0);

const options = [
  "--headless=new",
  "--no-sandbox",
  "--disable-dev-shm-usage",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
  "--ignore-gpu-blocklist",
  "--mute-audio",
  // Pages in the back play on.
  "--disable-background-timer-throttling",
  "--disable-renderer-backgrounding",
  "--disable-backgrounding-occluded-windows",
  "--remote-debugging-pipe",
];

export class Browser {
  /** @type {Page[]} */
  pages = [];
  #folder = mkdtempSync(join(tmpdir(), "mobula-play-"));
  #calls = new Map();
  #last = 0;
  #rest = "";
  #process;

  constructor() {
    this.#process = spawn(chromium, [...options, `--user-data-dir=${join(this.#folder, "profile")}`, "about:blank"], {
      stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
      env: { ...process.env, TMPDIR: this.#folder },
      detached: true, // a group of its own; the browser ends with its pipe
    });
    this.#process.stdio[4].setEncoding("utf8").on("data", (text) => {
      const parts = (this.#rest + text).split("\0");
      this.#rest = parts.pop();
      for (const part of parts) this.#onMessage(JSON.parse(part));
    });
  }

  #onMessage({ id, sessionId, method, params, result, error }) {
    if (id === undefined) return this.pages.find(({ session }) => session === sessionId)?.onNotice(method, params);
    const { resolve, reject } = this.#calls.get(id);
    this.#calls.delete(id);
    if (error === undefined) resolve(result);
    else reject(new Error(error.message));
  }

  /** @returns {Promise<any>} */
  call(method, params = {}, sessionId = undefined) {
    const id = ++this.#last;
    this.#process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((resolve, reject) => this.#calls.set(id, { resolve, reject }));
  }

  /** Opens a page of this size, as one that has the focus. Its frames are begun no sooner than `pause` ms after a request. */
  async open(url, { width = 960, height = 540, calm = false, touch = false, pause = 0 } = {}) {
    const { targetId } = await this.call("Target.createTarget", { url: "about:blank", newWindow: true, width, height });
    const { sessionId } = await this.call("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, sessionId, targetId);
    this.pages.push(page);
    for (const domain of ["Page", "Runtime", "Log", "Network"]) await page.call(`${domain}.enable`);
    await page.call("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: touch });
    await page.call("Emulation.setFocusEmulationEnabled", { enabled: true });
    if (touch) await page.call("Emulation.setTouchEmulationEnabled", { enabled: true });
    if (calm) await page.call("Emulation.setEmulatedMedia", { features: [{ name: "prefers-reduced-motion", value: "reduce" }] });
    if (pause > 0)
      await page.call("Page.addScriptToEvaluateOnNewDocument", {
        source: `{
          const request = requestAnimationFrame;
          globalThis.requestAnimationFrame = (frame) => setTimeout(() => request(frame), ${pause});
        }`,
      });
    await page.call("Page.navigate", { url });
    return page;
  }

  async close() {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const ended = new Promise((resolve) => this.#process.once("exit", resolve));
      this.#process.kill("SIGTERM");
      await ended; // it writes to the folder that is removed next
    }
    this.#killGroup();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 30 });
  }

  /** Kills processes that outlive the browser, such as that of a frozen page. */
  #killGroup() {
    try {
      process.kill(-this.#process.pid, "SIGKILL");
    } catch (error) {
      if (error.code !== "ESRCH") throw error;
    }
  }
}

const keys = {
  KeyW: ["w", 87],
  KeyA: ["a", 65],
  KeyS: ["s", 83],
  KeyD: ["d", 68],
  KeyF: ["f", 70],
  KeyN: ["n", 78],
  KeyH: ["h", 72],
  KeyG: ["g", 71],
  KeyQ: ["q", 81],
  Space: [" ", 32],
  Enter: ["Enter", 13],
  Escape: ["Escape", 27],
  Tab: ["Tab", 9],
  ArrowUp: ["ArrowUp", 38],
  ArrowRight: ["ArrowRight", 39],
};

export class Page {
  /**
   * Errors and warnings of the console, exceptions, and violations of the content policy.
   * @type {string[]}
   */
  complaints = [];
  /** Messages that its WebSockets have received. */
  frames = 0;
  /** URL of the newest WebSocket. */
  websocket = "";
  /**
   * URLs of all requests and WebSockets.
   * @type {string[]}
   */
  urls = [];

  constructor(browser, session, target) {
    this.browser = browser;
    this.session = session;
    this.target = target;
  }

  call(method, params = {}) {
    return this.browser.call(method, params, this.session);
  }

  onNotice(method, params) {
    if (method === "Network.requestWillBeSent") this.urls.push(params.request.url);
    if (method === "Network.webSocketCreated") this.urls.push((this.websocket = params.url));
    if (method === "Network.webSocketFrameReceived") ++this.frames;
    if (method === "Runtime.exceptionThrown")
      this.complaints.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    if (method === "Runtime.consoleAPICalled" && ["error", "warning", "assert"].includes(params.type))
      this.complaints.push(params.args.map((each) => each.value ?? each.description).join(" "));
    if (method === "Log.entryAdded" && ["error", "warning"].includes(params.entry.level) && !isOfMachine(params.entry.text))
      this.complaints.push(`${params.entry.text} ${params.entry.url ?? ""}`);
  }

  /**
   * Returns the value of an expression, which may be a promise.
   * @template T
   * @param {string} expression
   * @returns {Promise<T>}
   */
  async run(expression) {
    const { result, exceptionDetails } = await this.call("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails !== undefined) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  /** Waits until an expression is true. Throws after some seconds, with the text of the page. */
  async until(expression, seconds = 60) {
    for (const end = Date.now() + 1000 * seconds; !(await this.run(`(async () => Boolean(await (${expression})))()`)); await sleep(60)) {
      if (Date.now() < end) continue;
      const text = await this.run("document.body.innerText");
      throw new Error(`waited in vain for ${expression}; the page: ${text}; ${this.complaints.join("; ")}`);
    }
  }

  async down(code) {
    const [key, windowsVirtualKeyCode] = keys[code];
    const text = key.length === 1 ? key : key === "Enter" ? "\r" : undefined;
    await this.call("Input.dispatchKeyEvent", { type: "keyDown", code, key, windowsVirtualKeyCode, text });
  }

  async up(code) {
    const [key, windowsVirtualKeyCode] = keys[code];
    await this.call("Input.dispatchKeyEvent", { type: "keyUp", code, key, windowsVirtualKeyCode });
  }

  async press(code) {
    await this.down(code);
    await this.up(code);
  }

  async type(text) {
    await this.call("Input.insertText", { text });
  }

  async click(x, y, button = "left") {
    for (const type of ["mousePressed", "mouseReleased"])
      await this.call("Input.dispatchMouseEvent", { type, x, y, button, clickCount: 1 });
  }

  /** Presses a button of the mouse, moves it to another place, and releases it. */
  async drag(from, to, button = "left") {
    const steps = [
      ["mousePressed", from],
      ["mouseMoved", to],
      ["mouseReleased", to],
    ];
    for (const [type, { x, y }] of steps)
      await this.call("Input.dispatchMouseEvent", { type, x, y, button, buttons: type === "mouseMoved" ? 1 : 0, clickCount: 1 });
  }

  /** Turns the wheel of the mouse, away from the player if `deltaY` is below 0. */
  async wheel(x, y, deltaY) {
    await this.call("Input.dispatchMouseEvent", { type: "mouseWheel", x, y, deltaX: 0, deltaY });
  }

  /** Puts a finger on the screen, moves it to other places, and keeps it there. */
  async touch(from, ...to) {
    await this.call("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [from] });
    for (const each of to) await this.call("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: [each] });
  }

  /** Lifts the finger. */
  async lift() {
    await this.call("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  }

  /** Hides the page and lets none of its scripts run, as browsers do with tabs in the back. */
  async freeze() {
    await this.call("Emulation.setFocusEmulationEnabled", { enabled: false });
    await this.call("Page.setWebLifecycleState", { state: "frozen" });
  }

  async thaw() {
    await this.call("Page.setWebLifecycleState", { state: "active" });
    await this.call("Emulation.setFocusEmulationEnabled", { enabled: true });
  }

  /** @param {string} [path] */
  async screenshot(path) {
    const { data } = await this.call("Page.captureScreenshot", { format: "png" });
    const bytes = Buffer.from(data, "base64");
    if (path !== undefined) writeFileSync(path, bytes);
    return bytes;
  }

  async close() {
    await this.browser.call("Target.closeTarget", { targetId: this.target });
  }
}

// No faults of the page: a machine without a graphics card draws slowly, and a client gives up a socket that opens late.
const isOfMachine = (text) => /GPU stall due to ReadPixels|software WebGL|WebGL-0x|before the connection is established/.test(text);

/** @returns {Promise<void>} */
export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
