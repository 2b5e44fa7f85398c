// The page of the tutorial, docs/web-tutorial.md, in a headless Chromium. tests/client/play/tutorial.sh makes it.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Browser, chromium } from "./support/browser.mjs";
import { DemoServer, hasPrograms, village } from "../../web/test/support/demo_server.js";
import { root } from "../../web/test/support/repository.js";

const wanted = chromium === undefined ? "no Chromium" : hasPrograms ? false : "PROGRAMS names no programs";
// tutorial.sh makes the folder. Without it there is none, or that of an earlier build.
const skip = (process.env["PLAY_URL"] ?? "") === "" ? wanted : "PLAY_URL names the page";
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

test("Tutorial.ItsPackageHasTheLicenceAndAReadme", { skip }, () => {
  const installed = join(root, "build/play-example/node_modules/@mobula/client");
  const text = (path: string): string => readFileSync(path, "utf8");
  assert.equal(text(join(installed, "LICENSE")), text(join(root, "LICENSE")));
  const readme = text(join(installed, "README.md"));
  assert.match(readme, /connect\(/);
  const links = [...readme.matchAll(/\]\(([^)#]+)/g)].map(([, target]) => target!);
  const dead = links.filter((target) => !/^https?:/.test(target) && !existsSync(join(installed, target)));
  assert.deepEqual(dead, [], "links out of the package");
});
