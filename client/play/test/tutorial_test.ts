// The page of the tutorial, docs/web-tutorial.md, in a headless Chromium. tests/client/play/tutorial.sh makes it.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Browser, chromium } from "./support/browser.mjs";
import { DemoServer, hasPrograms, village } from "../../web/test/support/demo_server.js";

const skip = chromium === undefined ? "no Chromium" : hasPrograms ? false : "PROGRAMS names no programs";
const picture = `document.querySelector("canvas").toDataURL()`;

async function open(t: TestContext) {
  const server = new DemoServer("build/play-example/site");
  const browser = new Browser();
  t.after(async () => {
    await browser.close();
    await server.remove();
  });
  await server.start({ level: village, ticks: 20 });
  const page = await browser.open(server.page);
  await page.until(`/^playing: tick [0-9]+, [1-9]/.test(document.title)`);
  return { server, page };
}

test("Tutorial.ItsPageShowsEntitiesThatMove", { skip, timeout: 120_000 }, async (t) => {
  const { page } = await open(t);
  const first = await page.run<string>(picture);
  await page.until(`${picture} !== ${JSON.stringify(first)}`);
  assert.deepEqual(page.complaints, []);
});

test("Tutorial.ItsPageShowsWhyTheClientHasClosed", { skip, timeout: 120_000 }, async (t) => {
  const { server, page } = await open(t);
  await server.stop();
  await page.until(`document.title.startsWith("Closed: ")`);
  await page.run(`new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(0))))`);
  assert.equal(await page.run<string>("document.title"), "Closed: shutting down");
});
