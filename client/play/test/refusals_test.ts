// Servers that end the session, or do not take the token: the page shows why in words, and how to go on.
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { encode } from "@mobula/client/messages";
import { schema } from "../../web/demo/components.js";
import { Chat } from "../../web/demo/demo_commands.js";
import { putU32, u32 } from "../../web/src/core/bytes.js";
import { endBody } from "../../web/src/session/session.js";
import { DemoServer, hasPrograms } from "../../web/test/support/demo_server.js";
import { root } from "../../web/test/support/repository.js";
import { type Page, chromium } from "./support/browser.mjs";
import { Player } from "./support/player.js";
import { serveFolder, serveSite, site } from "./support/site.js";

const skip = chromium === undefined ? "no Chromium" : hasPrograms ? false : "PROGRAMS names no programs";
const options = { skip, timeout: 150_000 };
const tokenPart = { created: 21, expires: 29, timeout: 1085, addresses: 1089 } as const;
const isAsked = (title: string): string =>
  `document.getElementById("notice-title")?.innerText === "${title}" && document.activeElement.id === "notice-button"`;
const isPlaying = `globalThis.play?.game.village.own?.isShown && document.getElementById("notice").hidden`;

test("Refusals.AnotherVersionAsksToLoadThePageAnew", options, async (t) => {
  const { server, browser } = await serveSite(t);
  const { page } = await Player.join(browser, server.page);
  const body = endBody({ reason: "other protocol version", text: "the server speaks version 3" });
  // As if the packet of a server had been opened.
  await page.run(`play.game.client.connection.endpoint.handle(5, Uint8Array.of(${body}), performance.now())`);
  await page.until(isAsked("The server has another version"));
  assert.equal(await page.run(`document.getElementById("notice-detail").innerText`), "the server speaks version 3");
  await page.run("void (globalThis.isOld = true)");
  await page.press("Enter");
  await page.until(`globalThis.isOld === undefined && ${isPlaying}`);
});

test("Refusals.APageOfAnotherSchemaAsksToBeLoadedAnew", options, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "mobula-play-"));
  t.after(() => rmSync(folder, { recursive: true }));
  cpSync(join(root, site), folder, { recursive: true });
  const script = join(folder, "game.js");
  const own = readFileSync(script, "utf8");
  // As if components had changed since the page was built.
  const other = own.replace(schema.fingerprint, schema.fingerprint.replace(/^../, (first) => (first === "00" ? "01" : "00")));
  assert.notEqual(other, own);
  writeFileSync(script, other);
  const { server, browser } = await serveFolder(t, folder);
  const page = await browser.open(`${server.page}?quality=3`, { width: 512, height: 288 });
  await page.until(isAsked("The server runs another game"));
  assert.equal(await page.run(`document.getElementById("notice-button").innerText`), "Load the page anew");
  assert.equal(await page.run("play.game.client.indices('Transform').length"), 0);
  await server.stop();
  writeFileSync(script, own);
  await server.start({ ticks: 20 });
  await page.press("Enter");
  await page.until(isPlaying);
});

test("Refusals.ARefusedCommandIsShownInWords", options, async (t) => {
  const { server, browser } = await serveSite(t);
  const { page } = await Player.join(browser, server.page);
  const text = "x".repeat(121); // the page itself would cut it
  await page.run(`play.game.commands.act(() => Uint8Array.of(${encode(Chat, { text })}))`);
  await page.until(`document.getElementById("toasts").innerText.includes("${text}” was not sent: ")`);
});

/** Opens the page, which is given a token of another server. With `isHonest` set it is given one of its own. */
async function openWithForeignToken(t: TestContext, change: (token: Uint8Array) => void): Promise<Page> {
  const other = new DemoServer();
  t.after(() => other.remove());
  await other.start();
  const token = await other.token();
  change(token);
  const { server, browser } = await serveSite(t);
  const page = await browser.open("about:blank", { width: 512, height: 288 });
  await page.call("Page.addScriptToEvaluateOnNewDocument", {
    source: `(() => {
      const real = fetch;
      globalThis.fetch = async (url, options) => {
        const response = await real(url, options);
        if (url !== "token" || globalThis.isHonest) return response;
        return Response.json({ ...(await response.json()), tokens: ["${Buffer.from(token).toString("base64")}"] });
      };
    })()`,
  });
  await page.call("Page.navigate", { url: `${server.page}?quality=3` });
  return page;
}

/** Presses the button of the notice, after which the page must play. */
async function joinAgain(page: Page): Promise<void> {
  await page.run("void (globalThis.isHonest = true)");
  await page.press("Enter");
  await page.until(isPlaying);
}

test("Refusals.AForeignTokenIsShownInWords", options, async (t) => {
  const page = await openWithForeignToken(t, (token) => {
    putU32(token, tokenPart.timeout, 1); // second
    putU32(token, tokenPart.addresses, 1);
  });
  await page.until(isAsked("The server does not answer"));
  assert.match(await page.run(`document.getElementById("notice-text").innerText`), /token may be of another server/);
  await joinAgain(page);
});

test("Refusals.AnExpiredTokenIsShownInWords", options, async (t) => {
  const page = await openWithForeignToken(t, (token) =>
    putU32(token, tokenPart.expires, u32(token, tokenPart.created) + 1),
  );
  await page.until(isAsked("The token has expired"));
  await joinAgain(page);
});
