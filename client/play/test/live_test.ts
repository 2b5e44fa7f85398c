// The game in a headless Chromium, with the server of the demo.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { village } from "../../web/test/support/demo_server.js";
import { root } from "../../web/test/support/repository.js";
import { sleep } from "./support/browser.mjs";
import { distance, options, startPlayers } from "./support/players.js";
import { colours, readPng } from "./support/png.js";

const pictures = process.env["PLAY_OUT"] ?? join(root, "build/play");
const well = { x: 0, z: 5 };
const enter = startPlayers(village);

test("Play.OwnStepsShowBeforeTheServerHasThem", options, async (t) => {
  const player = await enter(t);
  const { page } = player;
  await page.until("play.game.motion?.isRunning");
  await player.walkTo(well, 3);
  await player.stand();
  await page.run(`const slider = document.getElementById("s-latency"); slider.value = 400;
    slider.dispatchEvent(new Event("input"))`);
  await page.until("play.game.client.link.rtt > 300");
  await player.stand();
  const begin = await player.spot();
  await player.face({ x: begin.x + 40, z: begin.z });
  // Each frame is looked at, because a slow machine draws few. Both places are of one moment: the newest state cannot have
  // a step that the page has just made.
  await page.run(`(function look() {
    const shown = play.game.village.own.at.x;
    const { x } = play.game.client.get(play.game.client.player, "Transform").position;
    window.wasAhead ||= shown > ${begin.x} + 0.1 && x < ${begin.x} + 0.01;
    requestAnimationFrame(look);
  })()`);
  await page.down("KeyW");
  await page.until("window.wasAhead");
  await page.up("KeyW");
  await player.stand();
  await sleep(1000);
  assert.ok(distance(await player.shown(), await player.spot()) < 0.05);
  const { remote } = await page.run<{ remote: number }>("play.game.motion.figures");
  assert.equal(remote, 0);
  await page.run(`document.getElementById("t-prediction").click()`);
  assert.equal(await page.run("play.game.motion.isRunning"), false);
});

test("Play.ATagAtALatencyOf150MsCounts", options, async (t) => {
  const [ada, bob] = await Promise.all([enter(t), enter(t)]);
  await Promise.all([ada.walkTo({ x: 4, z: 5 }), bob.walkTo({ x: -3, z: 5 })]);
  await ada.page.run(`const slider = document.getElementById("s-latency"); slider.value = 150;
    slider.dispatchEvent(new Event("input"))`);
  const target = await bob.entity();
  await ada.page.until(`play.game.client.link.rtt > 140 && play.game.players.some(({ entity }) => entity === ${target}n)`);
  // The target runs to and fro.
  await bob.face({ x: -3, z: 45 });
  await bob.page.run("void setInterval(() => (play.game.camera.yaw += Math.PI), 1200)");
  await bob.page.down("KeyW");
  await bob.page.until("play.game.village.own.speed > 2");
  for (let tries = 0; tries < 30 && (await ada.tags()) === 0; ++tries) { // a slow machine aims late
    await ada.face((await ada.shownOf(target))!);
    await ada.page.press("KeyW");
    if (tries % 2 === 0) await ada.page.press("KeyF");
    else {
      const { x, y } = await ada.onScreen(target);
      await ada.page.click(x, y, "right");
    }
    await sleep(1500);
  }
  assert.ok((await ada.tags()) > 0);
  await ada.page.until(`document.getElementById("own-tags").textContent !== "0"`);
  ada.checkConsole();
  bob.checkConsole();
});

test("Play.BotsJoinAndLeaveOnAButton", options, async (t) => {
  const { page } = await enter(t);
  await page.press("KeyN");
  await page.run(`document.getElementById("do-bots").click()`);
  await page.until(`document.getElementById("bots-state").textContent === "8 of 8 play"`);
  await page.run(`document.getElementById("do-no-bots").click()`);
  await page.until(`document.getElementById("bots-state").textContent === ""`);
  assert.deepEqual(page.complaints, []);
});

test("Play.ReducedMotionKeepsPickupsAndSmokeStill", options, async (t) => {
  const { page } = await enter(t, { calm: true });
  const before = await page.run("play.game.village.time");
  await sleep(500);
  assert.equal(await page.run("play.game.village.time"), before);
  assert.equal(await page.run(`getComputedStyle(document.getElementById("health-bar")).transitionDuration`), "0s");
});

test("Play.ThePictureHasManyColours", options, async (t) => {
  const { page } = await enter(t, { width: 800, height: 450 });
  // Software draws slowly, and the picture is to stay as most players see it.
  await page.run("void (() => { play.game.stage.setQuality(1); play.game.stage.frames.judge = () => 'fine'; })()");
  await page.until("play.game.village.unplaced.count === 0");
  await sleep(4000);
  mkdirSync(pictures, { recursive: true });
  const { count, commonest } = colours(readPng(await page.screenshot(join(pictures, "village.png"))));
  assert.ok(count > 40 && commonest < 0.4, `${count} colours, the commonest has ${commonest}`);
  await page.press("KeyN");
  await page.run(`void (() => {
    for (const [name, value] of [["latency", 180], ["jitter", 40], ["loss", 4]]) {
      const slider = document.getElementById("s-" + name);
      slider.value = value;
      slider.dispatchEvent(new Event("input"));
    }
    document.getElementById("t-ghost").click();
    play.game.camera.yaw += Math.PI / 2;
  })()`);
  await page.down("KeyA"); // along the view, so that the ghost runs beside
  await page.until("play.game.client.link.rtt > 150");
  await sleep(1500);
  await page.screenshot(join(pictures, "panel.png"));
  await page.up("KeyA");
  assert.deepEqual(page.complaints, []);
});

test("Play.VerySlowFramesLeadToThePlainestPicture", options, async (t) => {
  const { page } = await enter(t);
  const quality = await page.run(`(({ stage }) => {
    stage.setQuality(0);
    for (let now = 1000; now < 9000; now += 2000) stage.judge(now);
    return stage.quality;
  })(play.game)`);
  assert.equal(quality, 3);
});

test("Play.AVillageThatIsThereAtOnceIsPlacedInSlices", options, async (t) => {
  const { page } = await enter(t);
  await page.until("play.game.village.scenery.count > 2000");
  // Frames whose time is over place one entity each.
  const { wanted, begun, placed } = await page.run<{ wanted: number; begun: number; placed: number }>(`(() => {
    const { village, client } = play.game;
    const wanted = village.scenery.count;
    village.follow(client);
    const begun = village.scenery.count;
    for (let i = 0; i < 50; ++i) village.place(performance.now() - 1000, 0);
    return { wanted, begun, placed: village.scenery.count };
  })()`);
  assert.equal(begun, 0);
  assert.ok(placed > 0 && placed <= 50, `${placed}`);
  await page.until(`play.game.village.scenery.count >= ${wanted}`);
});

test("Play.ReportsTheTimeOfItsScript", options, async (t) => {
  const { page } = await enter(t);
  await page.until("play.game.village.scenery.count > 500");
  await page.run("play.times.clear(); play.game.times.clear()");
  await page.until("play.times.count > 100");
  const report = await page.run<{ entities: number; all: number; own: number; marks: string }>(`({
    entities: play.game.client.indices("Transform").length,
    all: play.times.percentile(0.95),
    own: play.game.times.percentile(0.95),
    marks: performance.getEntriesByType("mark").map(({ name, startTime }) => name + " after " + Math.round(startTime) + " ms").join(", "),
  })`);
  assert.ok(report.entities > 500);
  t.diagnostic(
    `${report.entities} entities in the mirror: script ${report.own.toFixed(1)} ms of a frame (p95), ${report.all.toFixed(1)} ms with drawing by the processor; ${report.marks}`,
  );
});
