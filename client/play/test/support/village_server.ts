// The page and its server for tests: those at PLAY_URL, or a server of the demo that serves the site.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { sleep } from "./browser.mjs";

// This file is bundled into tests in build/play-test and in its folders.
const here = dirname(fileURLToPath(import.meta.url));
export const root = here.slice(0, here.lastIndexOf(join("build", "play-test")) - 1);
const bin = process.env["PROGRAMS"] ?? "";
const given = process.env["PLAY_URL"] ?? "";

/** Folder of the pictures that tests take. */
export const pictures = process.env["PLAY_OUT"] ?? join(root, "build/play");

/** Whether there are programs to serve a page with. */
export const hasPrograms = bin !== "";
export const hasPage = hasPrograms || given !== "";

export const village = "server/examples/demo/level/village.json";
/** A level that is compiled and joined sooner. */
export const hamlet = "client/web/test/live/level.json";

export class VillageServer {
  url = "";
  private log = "";
  private readonly folder = mkdtempSync(join(tmpdir(), "mobula-play-"));
  private process: ChildProcess | null = null;

  constructor(private readonly site = "build/play-site") {}

  /** Takes the page that is there, or starts a server with the village. */
  async startOrTake(): Promise<void> {
    if (given === "") return this.start(village);
    this.url = given;
  }

  /** Starts a server; at the ports of the last one, if there was one. */
  async start(level: string, ...more: string[]): Promise<void> {
    const [web, socket] = [this.find(/web address http:\/\/[0-9.]+:([0-9]+)/), this.find(/listening on ws port ([0-9]+)/)];
    const blob = join(this.folder, "test.level");
    execFileSync(join(bin, "mobula-compile"), [join(root, level), "-o", blob]);
    const ports = ["--port", "0", "--admin-port", "0", "--ws-port", socket || "0", "--web-port", web || "0"];
    const all = ["--level", blob, ...ports, "--web-root", join(root, this.site), "--log-format", "text", ...more];
    this.log = "";
    const server = spawn(join(bin, "mobula-server"), all, { cwd: this.folder });
    this.process = server;
    const read = (bytes: Buffer): void => void (this.log += bytes.toString());
    server.stdout.on("data", read);
    server.stderr.on("data", read);
    for (let tries = 0; !this.log.includes("admin address") && server.exitCode === null && tries < 600; ++tries) await sleep(50);
    this.url = this.find(/web address (http:\/\/[0-9.]+:[0-9]+)/);
    if (this.url === "") throw new Error(`the server did not start: ${this.log}`);
    this.url += "/";
  }

  private find(pattern: RegExp): string {
    return pattern.exec(this.log)?.[1] ?? "";
  }

  async stop(): Promise<void> {
    const server = this.process;
    if (server === null || server.exitCode !== null || server.signalCode !== null) return;
    const ended = new Promise((resolve) => server.once("exit", resolve));
    server.kill("SIGTERM");
    await ended;
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
