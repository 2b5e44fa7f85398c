// First steps of a newcomer to the page: the tests of the game that take seconds.
import assert from "node:assert/strict";
import { test } from "node:test";
import { hamlet } from "../../web/test/support/demo_server.js";
import { sleep } from "./support/browser.mjs";
import type { Player } from "./support/player.js";
import { distance, options, startPlayers } from "./support/players.js";

const well = { x: 0, z: 5 };
const enter = startPlayers(hamlet);

/** Moves a player, and checks that another page shows it on its way and at its end. */
async function watch(watcher: Player, mover: Player): Promise<void> {
  const entity = await mover.entity();
  await watcher.page.until(`play.game.village.creatures.all.has(${entity}n)`);
  const begin = (await watcher.shownOf(entity))!;
  await mover.face({ x: begin.x, z: begin.z + 40 });
  await mover.page.down("KeyW");
  await watcher.page.until(`play.game.village.creatures.all.get(${entity}n)?.at.z > ${begin.z + 1.5}`);
  await mover.page.up("KeyW");
  await mover.stand();
  await sleep(600);
  assert.ok(distance((await watcher.shownOf(entity))!, await mover.spot()) < 0.1);
}

test("Play.TwoPagesSeeEachOtherMove", options, async (t) => {
  const [ada, bob] = await Promise.all([enter(t), enter(t)]);
  await Promise.all([ada.walkTo({ x: 3, z: 6 }), bob.walkTo({ x: -3, z: 6 })]);
  await Promise.all([watch(ada, bob), watch(bob, ada)]);
  ada.checkConsole();
  bob.checkConsole();
});

test("Play.AScriptedWalkEndsWhereTheServerHasIt", options, async (t) => {
  const player = await enter(t);
  await player.walkTo(well);
  for (const key of ["KeyD", "ArrowUp", "KeyS", "KeyA"]) {
    await player.page.down(key);
    await sleep(700);
    await player.page.up(key);
  }
  await player.stand();
  await sleep(800);
  assert.ok(distance(await player.shown(), await player.spot()) < 0.05);
  assert.equal(await player.page.run("play.game.client.statistics.refusedCommands"), 0);
  assert.equal(await player.page.run("play.game.client.statistics.mismatchedTicks"), 0);
  player.checkConsole();
});

test("Play.TheKeyboardAloneSuffices", options, async (t) => {
  const { page } = await enter(t);
  const isOpen = (id: string): Promise<boolean> => page.run(`!document.getElementById("${id}").hidden`);
  await page.press("Space");
  await page.until(`play.game.client.entities("Stone").length > 0`);
  await page.press("KeyF");
  await page.press("Enter");
  await page.type("<b>Hello</b> to all");
  await page.press("Enter");
  await page.until(`document.getElementById("chat-log").textContent.includes("<b>Hello</b> to all")`);
  assert.equal(await page.run(`document.querySelectorAll("#chat-log b").length`), 0);
  await page.press("KeyN");
  assert.equal(await isOpen("panel"), true);
  // The tab key reaches the sliders, and arrows move the one in focus, not the avatar.
  for (let i = 0; i < 20 && (await page.run("document.activeElement.id")) !== "s-latency"; ++i) await page.press("Tab");
  await page.press("ArrowRight");
  await page.until(`document.getElementById("o-latency").textContent === "10 ms" && play.game.conditions.latency === 10`);
  await page.press("Escape");
  assert.equal(await isOpen("panel"), false);
  await page.press("KeyH");
  assert.equal(await isOpen("help"), true);
  await page.press("Escape");
  const yaw = await page.run<number>("play.game.camera.yaw");
  await page.down("KeyQ");
  await page.until(`play.game.camera.yaw > ${yaw + 0.1}`);
  await page.up("KeyQ");
  assert.deepEqual(page.complaints, []);
});

// A token would be longer than any of them, and no pattern of one has a place for it.
test("Play.NoUrlHasAToken", options, async (t) => {
  const { page } = await enter(t);
  assert.ok(page.urls.some((url) => url.startsWith("ws:")) && page.urls.some((url) => url.endsWith("/token")));
  const plain = /^(http|ws):\/\/127\.0\.0\.1:[0-9]+\/[a-z_.]{0,30}(\?quality=3)?$/;
  for (const url of page.urls) if (!/^(data|blob):/.test(url)) assert.match(url, plain);
});
