// The client in a headless Chromium: a page joins the server, and sends its statistics back.
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { build } from "esbuild";
import { toHex } from "../../src/core/bytes.js";
import { makeCertificate } from "../support/certificate.js";
import { DemoServer, hasPrograms } from "../support/demo_server.js";
import { root } from "../support/repository.js";

const chromium = ["chromium", "chromium-browser"].find((name) => spawnSync(name, ["--version"]).status === 0);
const skip = chromium === undefined ? "no Chromium" : hasPrograms ? false : "PROGRAMS names no programs";

interface Report {
  readonly state: string;
  readonly entities: number;
  readonly verified: number;
  readonly mismatched: number;
  readonly errors: string[];
}

const script = (url: string, token: string): string => `
import { connect } from "./client.js";
const errors = [];
onerror = (message) => void errors.push(String(message));
const token = Uint8Array.from("${token}".match(/../g), (hex) => parseInt(hex, 16));
const client = connect({ url: "${url}", token });
setInterval(() => {
  const { verifiedTicks: verified, mismatchedTicks: mismatched } = client.statistics;
  if (verified < 60 && client.end === null) return;
  const entities = client.entities("Transform").length;
  fetch("/report", { method: "POST", body: JSON.stringify({ state: client.state, entities, verified, mismatched, errors }) });
}, 100);
`;

/** Serves the page. The report resolves when the page has sent it. */
async function serve(
  bundle: Uint8Array,
  page: string,
): Promise<{ server: Server; url: string; report: Promise<Report> }> {
  let done: (report: Report) => void = () => {};
  const report = new Promise<Report>((resolve) => (done = resolve));
  const bodies: Record<string, [type: string, content: string | Uint8Array]> = {
    "/": ["text/html", '<!doctype html><script type="module" src="/page.js"></script>'],
    "/page.js": ["text/javascript", page],
    "/client.js": ["text/javascript", bundle],
  };
  const server = createServer((request, response) => {
    if (request.url === "/report") {
      let text = "";
      request.on("data", (bytes: Buffer) => (text += bytes.toString()));
      request.on("end", () => done(JSON.parse(text) as Report));
      return void response.end();
    }
    const [type, content] = bodies[request.url ?? ""] ?? ["text/plain", ""];
    response.writeHead(200, { "content-type": type }).end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, report };
}

/** Plays in a page until the server has verified some ticks. The flags are for Chromium. */
async function play(t: TestContext, scheme: string, game: DemoServer, flags: string[] = []): Promise<void> {
  let browser: ChildProcess | null = null;
  t.after(async () => {
    const ended = new Promise((resolve) => (browser === null ? resolve(null) : browser.once("exit", resolve)));
    browser?.kill("SIGTERM");
    await ended; // it writes to the folder that is removed next
    await game.remove();
  });
  await game.start();
  const { outputFiles } = await build({
    entryPoints: [join(root, "build/web/src/client.js")],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "browser",
  });
  const { server, url, report } = await serve(
    outputFiles[0]!.contents,
    script(game.url(scheme), toHex(await game.token())),
  );
  t.after(() => server.close());
  const own = ["--headless=new", "--no-sandbox", "--disable-gpu", `--user-data-dir=${game.file("profile")}`, ...flags];
  browser = spawn(chromium!, [...own, url], { stdio: "ignore" });
  const { state, entities, verified, mismatched, errors } = await report;
  assert.deepEqual({ state, mismatched, errors }, { state: "playing", mismatched: 0, errors: [] });
  assert.ok(verified >= 60 && entities > 500, `${verified} ticks, ${entities} entities`);
}

test("Browser.MirrorsAWorldInChromium", { skip, timeout: 120_000 }, (t) => play(t, "ws", new DemoServer()));

test("Browser.MirrorsAWorldOverWssInChromium", { skip, timeout: 120_000 }, (t) => {
  const game = new DemoServer();
  const { file, key, fingerprint } = makeCertificate(game.file("game.pem"), game.file("game.key"));
  game.options = ["--certificate", file, "--certificate-key", key];
  return play(t, "wss", game, [`--ignore-certificate-errors-spki-list=${fingerprint}`]);
});
