// WebSockets as Chromium opens them: wss with a certificate that nobody has signed, and pages of other hosts. Connect
// tokens for pages of other origins.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { toHex } from "../../src/core/bytes.js";
import { makeCertificate } from "../support/certificate.js";
import { PageBrowser, bundle, chromium } from "../support/page_browser.js";
import { DemoServer, hasPrograms } from "../support/demo_server.js";

const skip = chromium.command === null ? "no Chromium" : hasPrograms ? false : "PROGRAMS names no programs";
const options = { skip, timeout: 120_000 };

interface Report {
  readonly state: string;
  readonly verified: number;
  readonly mismatched: number;
}

/** Opens a browser that is removed when the test ends. */
function open(t: TestContext, game: DemoServer, ...more: string[]): PageBrowser {
  const browser = new PageBrowser(chromium, more);
  t.after(async () => {
    await browser.remove();
    await game.remove();
  });
  return browser;
}

test("SecureBrowser.MirrorsAWorldOverWss", options, async (t) => {
  const game = new DemoServer();
  const { file, key, fingerprint } = makeCertificate(game.file("game.pem"), game.file("game.key"));
  const browser = open(t, game, `--ignore-certificate-errors-spki-list=${fingerprint}`);
  await game.start({ more: ["--certificate", file, "--certificate-key", key] });
  browser.add("/client.js", await bundle("client"));
  const { state, verified, mismatched, errors } = await browser.run<Report>(`
import { connect } from "./client.js";
const token = Uint8Array.from("${toHex(await game.token())}".match(/../g), (hex) => parseInt(hex, 16));
const client = connect({ url: "${game.url("wss")}", token });
setInterval(() => {
  const { verifiedTicks: verified, mismatchedTicks: mismatched } = client.statistics;
  if (verified >= 60 || client.end !== null) report({ state: client.state, verified, mismatched });
}, 100);`);
  assert.deepEqual({ state, mismatched, errors }, { state: "playing", mismatched: 0, errors: [] });
  assert.ok(verified >= 60);
});

test("SecureBrowser.APageOfAnotherHostIsRefused", options, async (t) => {
  const game = new DemoServer();
  const browser = open(t, game);
  await game.start();
  const { own, other } = await browser.run<{ own: string; other: string }>(`
const opens = (url) => new Promise((resolve) => {
  const socket = new WebSocket(url);
  socket.onopen = () => resolve("open");
  socket.onerror = () => resolve("refused");
});
const url = "${game.url("ws")}";
report({ own: await opens(url), other: await opens(url.replace("127.0.0.1", "localhost")) });`);
  assert.deepEqual({ own, other }, { own: "open", other: "refused" });
  assert.match(game.log, /refused a WebSocket of a page of the origin 'http:\/\/127\.0\.0\.1:/);
});

/** A page that requests a token as pages of a development server do, and joins with it. */
const ownToken = (game: DemoServer): string => `
import { connect } from "./client.js";
const request = { method: "POST", body: '{"count": 1}' };
const answer = await fetch("${game.admin}/api/tokens", request).catch((error) => error.name);
if (typeof answer === "string") await report({ state: answer });
const { tokens } = await answer.json();
const client = connect({ url: "${game.url("ws")}", token: tokens[0] });
const end = performance.now() + 20_000;
setInterval(() => {
  if (client.state === "playing" || performance.now() > end) report({ state: client.state });
}, 100);`;

test("SecureBrowser.APageOfANamedOriginRequestsItsToken", options, async (t) => {
  const game = new DemoServer();
  const browser = open(t, game);
  browser.add("/client.js", await bundle("client"));
  await game.start({ more: ["--token-origin", await browser.origin()] });
  assert.deepEqual(await browser.run(ownToken(game)), { state: "playing", errors: [] });
});

test("SecureBrowser.APageOfAnotherOriginGetsNoToken", options, async (t) => {
  const game = new DemoServer();
  const browser = open(t, game);
  browser.add("/client.js", await bundle("client"));
  await game.start({ more: ["--token-origin", "http://127.0.0.1:5173"] });
  const { state } = await browser.run<{ state: string }>(ownToken(game));
  assert.equal(state, "TypeError");
});
