// The client in headless browsers: pages join the server, and report what they have seen.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { toHex } from "../../src/core/bytes.js";
import { PageBrowser, bundle, chromium, firefox } from "../support/page_browser.js";
import { DemoServer, hasPrograms } from "../support/demo_server.js";

const noPrograms = hasPrograms ? false : "PROGRAMS names no programs";
const options = { skip: chromium.command === null ? "no Chromium" : noPrograms, timeout: 120_000 };
const inFirefox = { ...options, skip: firefox.command === null ? "no Firefox" : noPrograms };

interface Report {
  readonly state: string;
  readonly entities: number;
  readonly verified: number;
  readonly mismatched: number;
}

let game: DemoServer;
let browser: PageBrowser;

before(async () => {
  if (noPrograms !== false) return;
  [game, browser] = [new DemoServer(), new PageBrowser(chromium)];
  await game.start();
});
after(async () => {
  await browser?.remove();
  await game?.remove();
});

/** Returns the begin of a script: the options of connect(). */
const access = async (): Promise<string> => `
const token = Uint8Array.from("${toHex(await game.token())}".match(/../g), (hex) => parseInt(hex, 16));
const options = { url: "${game.url("ws")}", token };
`;

/** Reports once as many ticks are verified. */
const reportAt = (ticks: number, more = "{}"): string => `
setInterval(() => {
  const { verifiedTicks: verified, mismatchedTicks: mismatched } = client.statistics;
  if (verified < ${ticks} && client.end === null) return;
  const entities = client.entities("Transform").length;
  report({ state: client.state, entities, verified, mismatched, ...${more} });
}, 100);
`;

function check(report: Report & { readonly errors: string[] }): void {
  const { state, mismatched, errors, verified, entities } = report;
  assert.deepEqual({ state, mismatched, errors }, { state: "playing", mismatched: 0, errors: [] });
  assert.ok(verified >= 30 && entities > 500, `${verified} ticks, ${entities} entities`);
}

test("Browser.MirrorsAWorldInChromium", options, async () => {
  browser.add("/client.js", await bundle("client"));
  const script = `import { connect } from "./client.js";${await access()}const client = connect(options);`;
  check(await browser.run<Report>(script + reportAt(60)));
});

test("Browser.MirrorsAWorldInFirefox", inFirefox, async (t) => {
  const other = new PageBrowser(firefox);
  t.after(() => other.remove());
  other.add("/client.js", await bundle("client"));
  const script = `import { connect } from "./client.js";${await access()}const client = connect(options);`;
  check(await other.run<Report>(script + reportAt(60)));
});

test("Browser.TheClientRunsInAWorker", options, async () => {
  browser.add("/worker_client.js", await bundle("worker"));
  browser.add("/worker.js", 'import { serveClient } from "./worker_client.js"; serveClient();');
  const script = `import { connectInWorker } from "./worker_client.js";${await access()}
const client = connectInWorker(new Worker("/worker.js", { type: "module" }), options);
let spawned = 0, sampled = 0;
client.onSpawn("Transform", () => void ++spawned);
requestAnimationFrame(function draw() {
  for (const entity of client.entities("Transform"))
    if (Number.isFinite(client.sample(entity, "Transform").position.x)) ++sampled;
  requestAnimationFrame(draw);
});`;
  const report = await browser.run<Report & { spawned: number; sampled: number }>(
    script + reportAt(60, "{ spawned, sampled }"),
  );
  check(report);
  assert.ok(report.spawned > 500 && report.sampled > 5000, `${report.spawned} spawned, ${report.sampled} sampled`);
});

interface Visit extends Report {
  readonly kept: number;
  readonly bytes: number;
  readonly ofLevel: number;
}

/** Joins with the levels that the browser keeps, after some statements. */
const visit = async (first = ""): Promise<Visit & { errors: string[] }> =>
  browser.run<Visit>(`import { connect } from "./client.js"; import { keepLevels } from "./level_cache.js";
const open = () => new Promise((resolve) => {
  indexedDB.open("mobula-levels", 1).onsuccess = ({ target }) => resolve(target.result);
});
const settle = (transaction) => new Promise((resolve) => (transaction.oncomplete = resolve));
${first}
const levels = await keepLevels();
const kept = levels.all().length;
${await access()}
const client = connect({ ...options, levels });
${reportAt(30, "{ kept, bytes: client.statistics.bytesReceived, ofLevel: client.connection.mirror.state.level?.count ?? 0 }")}`);

test("Browser.ALevelIsKeptInIndexedDb", options, async () => {
  browser.add("/client.js", await bundle("client"));
  browser.add("/level_cache.js", await bundle("level-cache"));
  const first = await visit();
  check(first);
  assert.deepEqual([first.kept, first.ofLevel], [0, 0]);
  const second = await visit();
  check(second);
  assert.equal(second.kept, 1);
  assert.ok(second.ofLevel > 200);
  const damaged = await visit(`
const change = (await open()).transaction("contents", "readwrite");
change.objectStore("contents").openCursor().onsuccess = ({ target: { result: cursor } }) => {
  cursor.value[100] ^= 1;
  cursor.update(cursor.value);
};
await settle(change);`);
  check(damaged);
  assert.deepEqual([damaged.kept, damaged.ofLevel], [0, 0]);
  const again = await visit();
  assert.equal(again.kept, 1);
});

test("Browser.WithoutIndexedDbLevelsAreInMemory", options, async () => {
  browser.add("/client.js", await bundle("client"));
  browser.add("/level_cache.js", await bundle("level-cache"));
  const report = await visit(
    'Object.defineProperty(globalThis, "indexedDB", { get() { throw new Error("refused"); } });',
  );
  check(report);
  assert.equal(report.kept, 0);
});
