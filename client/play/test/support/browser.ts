// A headless Chromium, driven over the DevTools protocol through a pipe: no port, and no library.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";

export const chromium = ["chromium", "chromium-browser"].find((name) => spawnSync(name, ["--version"]).status === 0);

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

type Message = { id?: number; sessionId?: string; method?: string; params?: any; result?: any; error?: { message: string } };

export class Browser {
  private readonly folder = mkdtempSync(join(tmpdir(), "mobula-play-"));
  private readonly process: ChildProcess;
  private readonly pages = new Map<string, Page>();
  private readonly calls = new Map<number, { resolve: (result: any) => void; reject: (error: Error) => void }>();
  private last = 0;
  private rest = "";

  constructor() {
    this.process = spawn(chromium!, [...options, `--user-data-dir=${join(this.folder, "profile")}`, "about:blank"], {
      stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
      env: { ...process.env, TMPDIR: this.folder },
    });
    (this.process.stdio[4] as Readable).setEncoding("utf8").on("data", (text: string) => this.read(text));
  }

  private read(text: string): void {
    const parts = (this.rest + text).split("\0");
    this.rest = parts.pop()!;
    for (const part of parts) this.onMessage(JSON.parse(part) as Message);
  }

  private onMessage({ id, sessionId, method, params, result, error }: Message): void {
    if (id === undefined) return void this.pages.get(sessionId ?? "")?.onNotice(method!, params);
    const call = this.calls.get(id)!;
    this.calls.delete(id);
    if (error === undefined) call.resolve(result);
    else call.reject(new Error(error.message));
  }

  call(method: string, params: object = {}, sessionId?: string): Promise<any> {
    const id = ++this.last;
    (this.process.stdio[3] as Writable).write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((resolve, reject) => this.calls.set(id, { resolve, reject }));
  }

  /** Opens a page of this size, as one that has the focus. */
  async open(url: string, { width = 960, height = 540, calm = false, touch = false } = {}): Promise<Page> {
    const { targetId } = await this.call("Target.createTarget", { url: "about:blank", newWindow: true, width, height });
    const { sessionId } = await this.call("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, sessionId, targetId);
    this.pages.set(sessionId, page);
    for (const domain of ["Page", "Runtime", "Log", "Network"]) await page.call(`${domain}.enable`);
    await page.call("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: touch });
    await page.call("Emulation.setFocusEmulationEnabled", { enabled: true });
    if (touch) await page.call("Emulation.setTouchEmulationEnabled", { enabled: true });
    if (calm) await page.call("Emulation.setEmulatedMedia", { features: [{ name: "prefers-reduced-motion", value: "reduce" }] });
    await page.call("Page.navigate", { url });
    return page;
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    this.process.kill("SIGTERM");
    await ended; // it writes to the folder that is removed next
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 30 });
  }
}

const keys: Readonly<Record<string, readonly [key: string, code: number]>> = {
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
  /** Errors and warnings of the console, exceptions, and violations of the content policy. */
  readonly complaints: string[] = [];

  constructor(
    private readonly browser: Browser,
    private readonly session: string,
    private readonly target: string,
  ) {}

  call(method: string, params: object = {}): Promise<any> {
    return this.browser.call(method, params, this.session);
  }

  onNotice(method: string, params: any): void {
    if (method === "Runtime.exceptionThrown")
      this.complaints.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    if (method === "Runtime.consoleAPICalled" && ["error", "warning", "assert"].includes(params.type))
      this.complaints.push(params.args.map((each: any) => each.value ?? each.description).join(" "));
    if (method === "Log.entryAdded" && ["error", "warning"].includes(params.entry.level) && !isOfDriver(params.entry.text))
      this.complaints.push(`${params.entry.text} ${params.entry.url ?? ""}`);
  }

  /** Returns the value of an expression, which may be a promise. */
  async run<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = await this.call("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails !== undefined) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value as T;
  }

  /** Waits until an expression is true. Throws after some seconds, with the text of the page. */
  async until(expression: string, seconds = 60): Promise<void> {
    for (const end = Date.now() + 1000 * seconds; !(await this.run<boolean>(`(async () => Boolean(await (${expression})))()`)); await sleep(60)) {
      if (Date.now() < end) continue;
      const text = await this.run<string>("document.body.innerText");
      throw new Error(`waited in vain for ${expression}; the page: ${text}; ${this.complaints.join("; ")}`);
    }
  }

  async down(code: string): Promise<void> {
    const [key, windowsVirtualKeyCode] = keys[code]!;
    const text = key.length === 1 ? key : key === "Enter" ? "\r" : undefined;
    await this.call("Input.dispatchKeyEvent", { type: "keyDown", code, key, windowsVirtualKeyCode, text });
  }

  async up(code: string): Promise<void> {
    const [key, windowsVirtualKeyCode] = keys[code]!;
    await this.call("Input.dispatchKeyEvent", { type: "keyUp", code, key, windowsVirtualKeyCode });
  }

  async press(code: string): Promise<void> {
    await this.down(code);
    await this.up(code);
  }

  async type(text: string): Promise<void> {
    await this.call("Input.insertText", { text });
  }

  async click(x: number, y: number, button: "left" | "right" = "left"): Promise<void> {
    for (const type of ["mousePressed", "mouseReleased"])
      await this.call("Input.dispatchMouseEvent", { type, x, y, button, clickCount: 1 });
  }

  async screenshot(path?: string): Promise<Buffer> {
    const { data } = await this.call("Page.captureScreenshot", { format: "png" });
    const bytes = Buffer.from(data, "base64");
    if (path !== undefined) writeFileSync(path, bytes);
    return bytes;
  }

  async close(): Promise<void> {
    await this.browser.call("Target.closeTarget", { targetId: this.target });
  }
}

// A machine without a graphics card draws slowly; that is no fault of the page.
const isOfDriver = (text: string): boolean => /GPU stall due to ReadPixels|software WebGL|WebGL-0x/.test(text);

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
