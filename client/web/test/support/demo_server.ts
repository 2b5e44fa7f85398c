// A server of the demo game for tests. Its programs are in the folder that PROGRAMS names.
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { fromBase64 } from "../../src/core/bytes.js";
import { root } from "./repository.js";

const bin = process.env["PROGRAMS"] ? resolve(process.env["PROGRAMS"]) : "";

/** Whether there are programs to test with. */
export const hasPrograms = bin !== "";

/** Levels, as paths below the root. The first is compiled and joined sooner. */
export const hamlet = "client/web/test/live/level.json";
export const village = "server/examples/demo/level/village.json";

const webAddress = "web address http://[0-9.]+:";
const adminAddress = "admin address http://[0-9.]+:";

/** Compiles a level, a path from the root, into a file. */
export function compileLevel(level: string, file: string): void {
  execFileSync(join(bin, "mobula-compile"), [resolve(root, level), "-o", file]);
}

export class DemoServer {
  log = "";
  private readonly folder = mkdtempSync(join(tmpdir(), "mobula-web-"));
  private process: ChildProcess | null = null;

  /** `site` is a folder, as a path from the root, that the server shows at its web address. */
  constructor(private readonly site: string | null = null) {}

  /** Starts a server, at the ports of the last one if there was one. `more` are further options of the server. */
  async start({ level = hamlet, ticks = 60, more = [] as string[] } = {}): Promise<void> {
    const blob = this.compile(level);
    const ports = ["--port", "0", "--ws-port", this.port("listening on ws port "), "--admin-port", "0"];
    if (this.site !== null) ports.push("--web-port", this.port(webAddress), "--web-root", resolve(root, this.site));
    const all = ["--level", blob, "--tick-rate", String(ticks), ...ports, ...more];
    this.log = "";
    const server = spawn(join(bin, "mobula-server"), all, { cwd: this.folder });
    this.process = server;
    const read = (bytes: Buffer): void => void (this.log += bytes.toString());
    server.stdout.on("data", read);
    server.stderr.on("data", read);
    for (let tries = 0; this.port(adminAddress) === "0" && server.exitCode === null && tries < 600; ++tries)
      await sleep(50);
    if (this.port(adminAddress) === "0") throw new Error(`the server did not start: ${this.log}`);
  }

  private compile(level: string): string {
    const blob = this.file("test.level");
    compileLevel(level, blob);
    return blob;
  }

  /** Lets the server replace its level, which it does soon. */
  reload(level: string): void {
    this.compile(level);
    this.process!.kill("SIGHUP");
  }

  /** Returns the path of a file that is removed with the server. */
  file(name: string): string {
    return join(this.folder, name);
  }

  /** Returns the port behind a text of the log; 0 if there is none. */
  private port(text: string): string {
    return new RegExp(`${text}([0-9]+)`).exec(this.log)?.[1] ?? "0";
  }

  /** Returns the URL of clients. */
  url(scheme: string): string {
    return `${scheme}://127.0.0.1:${this.port(`listening on ${scheme} port `)}`;
  }

  get page(): string {
    return `http://127.0.0.1:${this.port(webAddress)}/`;
  }

  get admin(): string {
    return `http://127.0.0.1:${this.port(adminAddress)}`;
  }

  async token(): Promise<Uint8Array> {
    const answer = await fetch(`${this.admin}/api/tokens`, { method: "POST", body: '{"count": 1}' });
    const { tokens } = (await answer.json()) as { tokens: string[] };
    return fromBase64(tokens[0]!);
  }

  private async end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    const server = this.process;
    if (server === null || server.exitCode !== null || server.signalCode !== null) return;
    const ended = new Promise((resolve) => server.once("exit", resolve));
    server.kill(signal);
    await ended;
  }

  stop(): Promise<void> {
    return this.end("SIGTERM");
  }

  kill(): Promise<void> {
    return this.end("SIGKILL");
  }

  /** Stops the server and removes its files. */
  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The line of JSON with which the C++ client ends. */
export interface ClientReport {
  readonly ticks: number;
  readonly entities: number;
  readonly verified_ticks: number;
  readonly mismatched_ticks: number;
  readonly bytes_received: number;
  readonly state_hash: string;
}

const reportOf = (output: string): ClientReport => JSON.parse(output.trim().split("\n").at(-1)!) as ClientReport;
const run = promisify(execFile);

/** Runs the C++ client to its end. Throws if it does not verify its mirror. */
export async function runClient(...options: string[]): Promise<ClientReport> {
  const { stdout } = await run(join(bin, "mobula-client"), options);
  return reportOf(stdout);
}

/** Replays a recording with the C++ client. Returns also its log. */
export async function replay(file: string): Promise<{ report: ClientReport; log: string }> {
  const ended = run(join(bin, "mobula-client"), ["--replay", file, "--json"]);
  const { stdout, stderr } = await ended.catch((failed: { stdout: string; stderr: string }) => failed);
  return { report: reportOf(stdout), log: stderr };
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until a condition holds. Throws after 90 s. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  for (const begin = performance.now(); !holds(); await sleep(10))
    if (performance.now() - begin > 90_000) throw new Error(`waited in vain until ${what}`);
}
