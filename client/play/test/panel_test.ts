// The netcode panel: what its sliders and switches change.
import assert from "node:assert/strict";
import { test } from "node:test";
import { hamlet } from "../../web/test/support/demo_server.js";
import type { Page } from "./support/browser.mjs";
import { options, startPlayers } from "./support/players.js";

const enter = startPlayers(hamlet);
const text = (id: string): string => `document.getElementById("${id}").textContent`;

/** Moves a slider as a player does. */
const slide = (page: Page, name: string, value: number): Promise<void> =>
  page.run(`void (() => {
    const slider = document.getElementById("s-${name}");
    slider.value = ${value};
    slider.dispatchEvent(new Event("input"));
  })()`);

const flip = (page: Page, name: string): Promise<void> => page.run(`document.getElementById("t-${name}").click()`);

test("Panel.SlidersMakeTheNetworkWorse", options, async (t) => {
  const { page } = await enter(t);
  await page.press("KeyN");
  await slide(page, "latency", 200);
  await slide(page, "jitter", 50);
  await slide(page, "loss", 20);
  await page.until(`${text("o-latency")} === "200 ms" && ${text("o-jitter")} === "50 ms" && ${text("o-loss")} === "20 %"`);
  await page.until(`parseInt(${text("f-rtt")}) >= 200 && / ± [1-9]/.test(${text("f-rtt")}) && ${text("f-loss")} !== "0 %"`);
  await page.until(`/: [1-9][0-9]* of /.test(${text("total-dropped")})`);
  for (const name of ["latency", "jitter", "loss"]) await slide(page, name, 0);
  await page.until(`parseInt(${text("f-rtt")}) < 150`);
  assert.equal(await page.run("play.game.client.statistics.mismatchedTicks"), 0);
  assert.deepEqual(page.complaints, []);
});

test("Panel.SwitchesChangeWhatIsShown", options, async (t) => {
  const { page } = await enter(t);
  await page.until("play.game.motion?.isRunning");
  await page.press("KeyN");
  await page.until(`${text("captions")} !== ""`);
  for (const [name, isOff] of [
    ["prediction", "!play.game.motion.isRunning"],
    ["interpolation", "!play.game.timeline.isInterpolating"],
    ["smoothing", "!play.game.isSmoothing"],
    ["ghost", "play.game.village.marks.ghostAt !== null"],
  ]) {
    const before = await page.run<string>(text("captions"));
    await flip(page, name!);
    await page.until(`${isOff} && ${text("captions")} !== ${JSON.stringify(before)}`);
    await flip(page, name!);
    await page.until(`!(${isOff})`);
  }
  assert.deepEqual(page.complaints, []);
});

/** Number of the plot's points that have the colour of corrections. */
const corrections = `(() => {
  const canvas = document.getElementById("plot");
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
  let count = 0;
  for (let i = 0; i < data.length; i += 4) if (data[i] === 255 && data[i + 1] === 157 && data[i + 2] === 122) ++count;
  return count;
})()`;

test("Panel.ThePlotAndTheTotalsShowCorrections", options, async (t) => {
  const { page } = await enter(t);
  await page.until("play.game.motion?.isRunning");
  await page.press("KeyN");
  assert.equal(await page.run(corrections), 0);
  await page.down("KeyW");
  await page.until("play.game.village.own.speed > 0.5");
  // The stop arrives late: the server goes on for some ticks. In one task of the page, since the client would learn of the
  // latency in between.
  await page.run(`void (() => {
    play.game.conditions.latency = 2000;
    dispatchEvent(new KeyboardEvent("keyup", { code: "KeyW" }));
  })()`);
  await page.until(`${corrections} > 0 && /late command [1-9]/.test(${text("total-mispredictions")})`);
  assert.equal((await page.run<{ remote: number }>("play.game.motion.figures")).remote, 0);
  // Another way of smoothing begins the prediction anew, not the figures.
  await flip(page, "smoothing");
  await page.until(`play.game.motion.isRunning && !play.game.isSmoothing && /Smoothing is off/.test(${text("captions")})`);
  assert.match(await page.run<string>(text("total-mispredictions")), /late command [1-9]/);
  assert.deepEqual(page.complaints, []);
});
