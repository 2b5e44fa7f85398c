// The game played by mouse and by finger.
import assert from "node:assert/strict";
import { test } from "node:test";
import { hamlet } from "../../web/test/support/demo_server.js";
import { type Page, sleep } from "./support/browser.mjs";
import { options, startPlayers } from "./support/players.js";

const enter = startPlayers(hamlet);
// Stones of players who have left lie about for seconds.
const hasThrown = `(({ client }) => client.entities("Stone").some((stone) => client.get(stone, "Stone").by === client.player))(play.game)`;

interface View {
  readonly yaw: number;
  readonly pitch: number;
  readonly distance: number;
}

const viewOf = (page: Page): Promise<View> => page.run("(({ yaw, pitch, distance }) => ({ yaw, pitch, distance }))(play.game.camera)");

/** Returns the middle of an element. */
const middleOf = (page: Page, id: string): Promise<{ x: number; y: number }> =>
  page.run(`(({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 }))(document.getElementById("${id}").getBoundingClientRect())`);

test("Play.TheMouseTurnsZoomsAndThrows", options, async (t) => {
  const { page } = await enter(t);
  const before = await viewOf(page);
  await page.drag({ x: 256, y: 150 }, { x: 306, y: 170 });
  const turned = await viewOf(page);
  assert.ok(turned.yaw < before.yaw && turned.pitch > before.pitch, JSON.stringify([before, turned]));
  await page.wheel(256, 150, 120);
  await page.until(`play.game.camera.distance > ${before.distance}`);
  await page.wheel(256, 150, -120);
  await page.wheel(256, 150, -120);
  await page.until(`play.game.camera.distance < ${before.distance}`);
  assert.equal(await page.run(hasThrown), false, "a drag is no click");
  await page.click(256, 150);
  await page.until(hasThrown);
  assert.deepEqual(page.complaints, []);
});

test("Play.AHeldMouseWalksAndThrowsNothing", options, async (t) => {
  const { page } = await enter(t);
  const isHinted = `!document.getElementById("walk-hint").hidden`;
  assert.equal(await page.run(isHinted), true);
  const mouse = (type: string): Promise<unknown> =>
    page.call("Input.dispatchMouseEvent", { type, x: 400, y: 150, button: "left", clickCount: 1 });
  await mouse("mousePressed");
  await page.until(`play.game.village.own.speed > 0.5 && !(${isHinted})`);
  await mouse("mouseReleased");
  await page.until("play.game.village.own.speed < 0.1");
  assert.equal(await page.run(hasThrown), false);
  assert.deepEqual(page.complaints, []);
});

test("Play.AFingerWalksTurnsAndThrows", options, async (t) => {
  const { page } = await enter(t, { touch: true });
  const stick = await middleOf(page, "stick");
  await page.touch(stick, { x: stick.x, y: stick.y - 30 }, { x: stick.x, y: stick.y - 60 });
  await page.until("play.game.village.own.speed > 0.5");
  await page.lift();
  await page.until("play.game.village.own.speed < 0.1");
  const { yaw } = await viewOf(page);
  await page.touch({ x: 300, y: 120 }, { x: 330, y: 120 }, { x: 350, y: 120 });
  await page.lift();
  await page.until(`play.game.camera.yaw < ${yaw}`);
  assert.equal(await page.run(hasThrown), false, "neither was a tap");
  await sleep(500); // sooner, the browser takes it for the second tap of two
  await page.touch(await middleOf(page, "do-throw"));
  await page.lift();
  await page.until(hasThrown);
  assert.deepEqual(page.complaints, []);
});
