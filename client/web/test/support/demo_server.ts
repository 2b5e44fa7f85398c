// A server of the demo game for tests. Its programs are in the folder that PROGRAMS names.
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { fromBase64 } from "../../src/core/bytes.js";
import * as flat from "../../src/core/flat_writer.js";
import { root } from "./repository.js";

const bin = process.env["PROGRAMS"] ?? "";

/** Whether there are programs to test with. */
export const hasPrograms = bin !== "";

export class DemoServer {
  log = "";
  private readonly folder = mkdtempSync(join(tmpdir(), "mobula-web-"));
  private process: ChildProcess | null = null;
  admin = "";
  /** Further options of the server. */
  options: readonly string[] = [];

  /** Starts a server at a port of WebSocket; 0 takes any. */
  async start(port = "0", source = join(root, "client/web/test/live/level.json"), ticks = "60"): Promise<void> {
    const level = join(this.folder, "test.level");
    execFileSync(join(bin, "mobula-compile"), [source, "-o", level]);
    const all = ["--level", level, "--port", "0", "--ws-port", port, "--admin-port", "0", "--tick-rate", ticks];
    this.log = "";
    const server = spawn(join(bin, "mobula-server"), [...all, ...this.options], { cwd: this.folder });
    this.process = server;
    const read = (bytes: Buffer): void => void (this.log += bytes.toString());
    server.stdout.on("data", read);
    server.stderr.on("data", read);
    for (let tries = 0; !this.log.includes("admin address") && server.exitCode === null && tries < 600; ++tries)
      await sleep(50);
    this.admin = /admin address (http:\/\/[0-9.]+:[0-9]+)/.exec(this.log)?.[1] ?? "";
    if (this.admin === "") throw new Error(`the server did not start: ${this.log}`);
  }

  /** Returns the path of a file that is removed with the server. */
  file(name: string): string {
    return join(this.folder, name);
  }

  /** Returns the URL of the server that has written a log. */
  url(scheme: string, log = this.log): string {
    return `${scheme}://127.0.0.1:${new RegExp(`listening on ${scheme} port ([0-9]+)`).exec(log)?.[1] ?? "0"}`;
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

  kill(): Promise<void> {
    return this.end("SIGKILL");
  }

  /** Stops the server and removes its files. */
  async remove(): Promise<void> {
    await this.end("SIGTERM");
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

/** Runs the C++ client to its end. */
export async function runClient(...options: string[]): Promise<ClientReport> {
  const { stdout } = await promisify(execFile)(join(bin, "mobula-client"), options);
  return JSON.parse(stdout.trim().split("\n").at(-1)!) as ClientReport;
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until a condition holds. Throws after 90 s. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  for (const begin = performance.now(); !holds(); await sleep(10))
    if (performance.now() - begin > 90_000) throw new Error(`waited in vain until ${what}`);
}

/** Returns the demo's command to move in a direction until the next one. */
export const moveCommand = (x: number, z: number): Uint8Array =>
  flat.flatMessage([flat.u8(1), flat.table([flat.f32(x), flat.f32(z)])]);

/** Returns the demo's command to walk to a place. */
export const walkCommand = (x: number, z: number): Uint8Array =>
  flat.flatMessage([flat.u8(2), flat.table([flat.f32(x), flat.f32(z)])]);

/** Returns the demo's command to throw a stone. */
export const throwCommand = (x: number, y: number, z: number): Uint8Array =>
  flat.flatMessage([flat.u8(3), flat.table([flat.f32(x), flat.f32(y), flat.f32(z)])]);

/** Returns the demo's command to tag who is in a direction. */
export const tagCommand = (x: number, y: number, z: number): Uint8Array =>
  flat.flatMessage([flat.u8(4), flat.table([flat.f32(x), flat.f32(y), flat.f32(z)])]);
