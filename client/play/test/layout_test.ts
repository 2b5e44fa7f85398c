// Places of the page's elements, at sizes of a phone and of a small window.
import assert from "node:assert/strict";
import { test } from "node:test";
import { hamlet } from "../../web/test/support/demo_server.js";
import type { Page } from "./support/browser.mjs";
import { options, startPlayers } from "./support/players.js";

const enter = startPlayers(hamlet);

/** Fills the list of scores with players, and stops the page from writing it. */
const fill = (page: Page): Promise<void> =>
  page.run(`void (() => {
    play.game.scores.showList = () => {};
    const row = document.querySelector("#score-list li");
    document.getElementById("score-list").replaceChildren(...Array.from({ length: 8 }, () => row.cloneNode(true)));
  })()`);

/** Returns which of these elements lie over the first one. */
const over = (page: Page, id: string, others: readonly string[]): Promise<string[]> =>
  page.run(`(() => {
    const box = (id) => document.getElementById(id).getBoundingClientRect();
    const a = box("${id}");
    return ${JSON.stringify(others)}.filter((other) => {
      const b = box(other);
      return a.width > 0 && b.width > 0 && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    });
  })()`);

const buttons = ["do-throw", "do-tag", "do-chat", "do-panel", "do-help"];

test("Layout.APhonesScoresLeaveItsButtonsFree", options, async (t) => {
  const { page } = await enter(t, { touch: true, width: 844, height: 390 });
  await fill(page);
  assert.deepEqual(await over(page, "scores", [...buttons, "stick", "vitals"]), []);
  assert.deepEqual(await over(page, "walk-hint", [...buttons, "stick", "scores"]), []);
});

test("Layout.AnOpenPanelLeavesScoresAndButtonsFree", options, async (t) => {
  const { page } = await enter(t, { width: 1000, height: 617 });
  await fill(page);
  for (const [key, id] of [["KeyH", "help"], ["KeyN", "panel"]] as const) {
    await page.press(key);
    assert.deepEqual(await over(page, id, [...buttons, "scores", "vitals", "walk-hint"]), []);
  }
  const bottom = await page.run<number>(`document.getElementById("do-bots").getBoundingClientRect().bottom`);
  assert.ok(bottom < 617, "bots are added without scrolling");
});

test("Layout.ANarrowWindowsHelpLeavesItsButtonFree", options, async (t) => {
  const { page } = await enter(t, { width: 900, height: 537 });
  await page.press("KeyH");
  assert.deepEqual(await over(page, "help", ["do-help", "scores"]), []);
});
