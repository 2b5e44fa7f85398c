// Failures as the page shows them: words, a button, and no frozen picture.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chromium } from "./support/browser.mjs";
import { Player } from "./support/player.js";
import { serveSite as start } from "./support/site.js";
import { hasPrograms } from "../../web/test/support/demo_server.js";

const skip = chromium === undefined ? "no Chromium" : hasPrograms ? false : "PROGRAMS names no programs";
const options = { skip, timeout: 150_000 };
const notice = `document.getElementById("notice")`;

test("Failures.AServerThatRestartsIsJoinedAgain", options, async (t) => {
  const { server, browser } = await start(t);
  const { page } = await Player.join(browser, server.page);
  await server.stop();
  await page.until(`!${notice}.hidden && /server|connect/i.test(${notice}.innerText)`);
  const frames = await page.run<number>("play.times.count");
  await page.until(`play.times.count > ${frames + 5}`);
  await server.start({ ticks: 20 });
  await page.until(`${notice}.hidden && play.game.client.state === "playing" && play.game.village.own?.isShown`);
  assert.ok((await page.run<number>(`play.game.client.entities("Transform").length`)) > 100);
});

test("Failures.APageThatIsLeftEndsItsSessionAndComesBack", options, async (t) => {
  const { server, browser } = await start(t);
  const { page } = await Player.join(browser, server.page);
  await page.run(`globalThis.former = play.game.client; dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }))`);
  assert.equal(await page.run("former.end.reason"), "left");
  await page.run(`dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))`);
  await page.until(`play.game.client !== former && play.game.village.own?.isShown && ${notice}.hidden`);
});

test("Failures.ARefusedTokenIsShownInWords", options, async (t) => {
  const { server, browser } = await start(t, "--web-tokens", "none");
  const page = await browser.open(server.page, { width: 512, height: 288 });
  await page.until(`globalThis.play && /No entry|No token/.test(${notice}.innerText)`);
  assert.equal(await page.run("document.activeElement.id"), "notice-button");
  await server.stop();
  await server.start({ ticks: 20 });
  await page.press("Enter");
  await page.until("play.game.village.own?.isShown");
});

test("Failures.ASocketThatClosesDuringTheLevelIsOpenedAgain", options, async (t) => {
  const { server, browser } = await start(t);
  const page = await browser.open("about:blank", { width: 512, height: 288 });
  await page.call("Page.addScriptToEvaluateOnNewDocument", {
    source: `(() => {
      const Real = WebSocket;
      let count = 0;
      globalThis.sockets = () => count;
      globalThis.WebSocket = class extends Real {
        constructor(...all) {
          super(...all);
          if (++count > 2) return;
          let messages = 0;
          this.addEventListener("message", () => ++messages === 12 && this.close());
        }
      };
      globalThis.WebSocket.OPEN = Real.OPEN;
    })()`,
  });
  await page.call("Page.navigate", { url: `${server.page}?quality=3` });
  await page.until("globalThis.play?.game.village.own?.isShown");
  assert.ok((await page.run<number>("sockets()")) > 2);
  await page.until(`play.game.client.statistics.verifiedTicks > 20`);
  assert.equal(await page.run("play.game.client.statistics.mismatchedTicks"), 0);
});

test("Failures.ABusyPageCatchesUp", options, async (t) => {
  const { server, browser } = await start(t);
  const player = await Player.join(browser, server.page);
  await player.page.run(`globalThis.busy = setInterval(() => { for (const end = performance.now() + 50; performance.now() < end;); }, 60)`);
  await player.page.down("KeyW");
  await player.page.until("play.game.village.own.speed > 0.5");
  await player.page.up("KeyW");
  await player.page.run("clearInterval(globalThis.busy)");
  await player.stand();
  assert.equal(await player.page.run("play.game.client.statistics.mismatchedTicks"), 0);
  assert.equal(await player.page.run("play.game.client.state"), "playing");
});

test("Failures.APageWithoutRulesPlaysWithoutPrediction", options, async (t) => {
  const { server, browser } = await start(t);
  const page = await browser.open("about:blank", { width: 512, height: 288 });
  await page.call("Network.setBlockedURLs", { urls: ["*demo_rules.wasm"] });
  await page.call("Page.navigate", { url: `${server.page}?quality=3` });
  await page.until("globalThis.play?.game.village.own?.isShown");
  await page.until(`document.getElementById("t-prediction").disabled && play.game.motion === null`);
  await page.press("KeyN");
  await page.until(`/No prediction: the rules did not arrive/.test(document.getElementById("captions").innerText)`);
  await page.press("KeyN");
  await page.down("KeyW");
  await page.until("play.game.village.own.speed > 0.5");
  await page.up("KeyW");
});

test("Failures.RulesThatFailEndThePredictionAlone", options, async (t) => {
  const { server, browser } = await start(t);
  const { page } = await Player.join(browser, server.page);
  await page.until("play.game.motion?.isRunning");
  await page.run(`play.game.motion.rules.step = () => { throw new Error("the step has failed"); }`);
  await page.until(`play.game.motion === null && document.getElementById("toasts").innerText.includes("the step has failed")`);
  await page.down("KeyW");
  await page.until("play.game.village.own.speed > 0.5");
  await page.up("KeyW");
});

/** Damages the levels that the browser has kept, and resolves with their number. */
const damageLevels = `new Promise((resolve, reject) => {
  const request = indexedDB.open("mobula-levels");
  request.onerror = reject;
  request.onsuccess = () => {
    const contents = request.result.transaction("contents", "readwrite").objectStore("contents");
    let count = 0;
    contents.openCursor().onsuccess = ({ target: { result: cursor } }) => {
      if (cursor === null) return void contents.transaction.commit();
      cursor.update(cursor.value.map((byte, at) => (at % 97 === 60 ? byte ^ 255 : byte)));
      ++count;
      cursor.continue();
    };
    contents.transaction.oncomplete = () => {
      request.result.close();
      resolve(count);
    };
  };
})`;

test("Failures.ADamagedLevelOfAFormerVisitIsReceivedAgain", options, async (t) => {
  const { server, browser } = await start(t);
  const { page } = await Player.join(browser, server.page);
  await page.until("play.game.client.connection.levels.at(Infinity) !== null");
  await page.until(`(async () => (await indexedDB.databases()).some(({ name }) => name === "mobula-levels"))()`);
  await page.until(`(await ${damageLevels}) === 1`);
  await page.call("Page.reload");
  await page.until("globalThis.play?.game.village.own?.isShown && play.game.client.connection.levels.at(Infinity) !== null");
  await page.until("play.game.client.statistics.verifiedTicks > 20");
  assert.equal(await page.run("play.game.client.statistics.mismatchedTicks"), 0);
  assert.deepEqual(page.complaints, []);
});
