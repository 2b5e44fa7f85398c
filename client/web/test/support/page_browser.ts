// Pages in a headless browser. A page reports by POST to /report.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { root } from "./repository.js";

/** A program that opens a page with a profile of its own. */
export interface BrowserProgram {
  /** Null if it is not installed. */
  readonly command: string | null;
  readonly options: (profile: string) => readonly string[];
  /** Preferences of a new profile. */
  readonly preferences: Readonly<Record<string, boolean | string>>;
}

const installed = (...names: string[]): string | null =>
  names.find((name) => spawnSync(name, ["--version"]).status === 0) ?? null;

export const chromium: BrowserProgram = {
  command: installed("/usr/lib/chromium/chromium-headless-shell", "chromium", "chromium-browser"),
  options: (profile) => [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--js-flags=--expose-gc",
    `--user-data-dir=${profile}`,
  ],
  preferences: {},
};

export const firefox: BrowserProgram = {
  command: installed("firefox-esr", "firefox"),
  options: (profile) => ["--headless", "--no-remote", "--profile", profile],
  // Neither pages of its own nor requests to others.
  preferences: {
    "browser.startup.homepage_override.mstone": "ignore",
    "browser.shell.checkDefaultBrowser": false,
    "datareporting.policy.dataSubmissionEnabled": false,
    "toolkit.telemetry.enabled": false,
    "app.normandy.enabled": false,
    "app.update.auto": false,
    "extensions.getAddons.cache.enabled": false,
    "network.captive-portal-service.enabled": false,
    "network.connectivity-service.enabled": false,
  },
};

/** Begins each page: errors are part of its reports. */
const prelude = `
const errors = [];
onerror = (message) => void errors.push(String(message));
onunhandledrejection = ({ reason }) => void errors.push(String(reason));
const report = (value) => fetch("/report", { method: "POST", body: JSON.stringify({ ...value, errors }) });
`;

/** Returns a module of the package with all that it imports. */
export async function bundle(name: string): Promise<Uint8Array> {
  const { outputFiles } = await build({
    entryPoints: [join(root, `build/web/src/${name}.js`)],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "browser",
  });
  return outputFiles[0]!.contents;
}

/** A browser with one profile, and the server of its pages. */
export class PageBrowser {
  private readonly folder = mkdtempSync(join(tmpdir(), "mobula-web-"));
  private readonly profile = join(this.folder, "profile");
  private readonly files = new Map<string, Uint8Array | string>();
  private readonly server: Server;
  private browser: ChildProcess | null = null;
  private onReport: (report: unknown) => void = () => {};

  /** `more` are further options of the program. */
  constructor(
    private readonly program: BrowserProgram,
    private readonly more: readonly string[] = [],
  ) {
    mkdirSync(this.profile);
    const preferences = Object.entries(program.preferences);
    const lines = preferences.map((each) => `user_pref(${each.map((part) => JSON.stringify(part)).join(", ")});\n`);
    if (lines.length > 0) writeFileSync(join(this.profile, "user.js"), lines.join(""));
    this.server = createServer((request, response) => {
      const path = request.url ?? "";
      if (path === "/report") {
        let text = "";
        request.on("data", (bytes: Buffer) => (text += bytes.toString()));
        request.on("end", () => this.onReport(JSON.parse(text)));
        return void response.end();
      }
      const content = this.files.get(path);
      const type = path.endsWith(".js") ? "text/javascript" : "text/html";
      response.writeHead(content === undefined ? 404 : 200, { "content-type": type }).end(content);
    });
  }

  /** Adds a module that pages import, such as "/client.js". */
  add(path: string, script: Uint8Array | string): void {
    this.files.set(path, script);
  }

  /** Returns the origin of the pages. */
  async origin(): Promise<string> {
    if (!this.server.listening) {
      this.server.listen(0, "127.0.0.1");
      await once(this.server, "listening");
    }
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Opens a page with a script, and returns what it reports. Each call is a new process of the same profile. */
  async run<Report>(script: string): Promise<Report & { readonly errors: string[] }> {
    const url = `${await this.origin()}/`;
    this.files.set("/", '<!doctype html><script type="module" src="/page.js"></script>');
    this.files.set("/page.js", prelude + script);
    const reported = new Promise<unknown>((resolve) => (this.onReport = resolve));
    const { command, options } = this.program;
    this.browser = spawn(command!, [...options(this.profile), ...this.more, url], {
      stdio: "ignore",
      env: { ...process.env, HOME: this.folder, TMPDIR: this.folder },
      detached: true, // its own process group
    });
    const report = await reported;
    await this.stop();
    return report as Report & { readonly errors: string[] };
  }

  private async stop(): Promise<void> {
    const { browser } = this;
    this.browser = null;
    if (browser === null || browser.exitCode !== null || browser.signalCode !== null) return;
    const ended = once(browser, "exit");
    browser.kill("SIGTERM");
    await ended; // it writes to the folder, and so do the processes that it has started
    try {
      process.kill(-browser.pid!, "SIGKILL");
    } catch {
      // none is left
    }
  }

  /** Ends the browser and removes its files. */
  async remove(): Promise<void> {
    await this.stop();
    this.server.close();
    this.server.closeAllConnections();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 30 });
  }
}
