// A page that the browser freezes, as it does with tabs in the back.
import assert from "node:assert/strict";
import { test } from "node:test";
import { hamlet } from "../../web/test/support/demo_server.js";
import { sleep } from "./support/browser.mjs";
import { options, startPlayers } from "./support/players.js";

const enter = startPlayers(hamlet);
const frozenTime = 60_000; // ms, after which the server no longer has the player
const skip = process.env["PLAY_URL"] === undefined ? options.skip : "takes a minute: a page is checked without it";

test("FrozenPage.ComesBackWholeAfterAMinute", { skip, timeout: 300_000 }, async (t) => {
  const { page } = await enter(t);
  await page.until("play.game.motion?.isRunning");
  await page.freeze();
  const calls = "[play.times.count, play.game.client.statistics.bytesSent].join()";
  const before = await page.run(calls);
  await sleep(frozenTime);
  assert.equal(await page.run(calls), before, "nothing has run");
  await page.thaw();
  const { verifiedTicks } = await page.run<{ verifiedTicks: number }>("play.game.client.statistics");
  await page.until(`play.game.client.state === "playing" && play.game.client.statistics.verifiedTicks > ${verifiedTicks + 20}`);
  await page.until("play.game.village.own?.isShown && play.game.motion?.isRunning && document.getElementById('notice').hidden");
  await page.down("KeyW");
  await page.until("play.game.village.own.speed > 0.5");
  await page.up("KeyW");
  t.diagnostic(`${await page.run("play.game.client.connection.mirrors")} mirrors, ${await page.run("play.game.client.statistics.rejoins")} rejoins`);
  assert.equal(await page.run("play.game.client.statistics.mismatchedTicks"), 0);
  const complaints = page.complaints.filter((each) => !each.includes("Page entered Back-Forward Cache")); // its WebSocket
  assert.deepEqual(complaints, []);
});
