// A browser and a server of the demo, for tests that play the game in pages.
import { type TestContext, after, before } from "node:test";
import { DemoServer, hasPrograms } from "../../../web/test/support/demo_server.js";
import { Browser, chromium } from "./browser.mjs";
import { Player } from "./player.js";

/** Joins with a page that is closed when the test ends. */
export type Enter = (t: TestContext, more?: Parameters<typeof Player.join>[2]) => Promise<Player>;

// The page at PLAY_URL, or that of a server of these tests.
const given = process.env["PLAY_URL"] ?? "";
const hasPage = hasPrograms || given !== "";
const skip = chromium === undefined ? "no Chromium" : hasPage ? false : "neither PROGRAMS nor PLAY_URL names a page";

export const options = { skip, timeout: 150_000 };

/** Starts both before the tests of a file, and ends them after these. */
export function startPlayers(level: string): Enter {
  const server = new DemoServer("build/play-site");
  let browser: Browser;
  let url = given;
  before(async () => {
    if (skip !== false) return;
    browser = new Browser();
    if (url !== "") return;
    await server.start({ level, ticks: 20 });
    url = server.page;
  });
  after(async () => {
    if (skip === false) await browser.close();
    await server.remove();
  });
  return async (t, more = {}) => {
    const player = await Player.join(browser, url, more);
    t.after(() => player.page.close());
    return player;
  };
}

export const distance = (a: { x: number; z: number }, b: { x: number; z: number }): number => Math.hypot(a.x - b.x, a.z - b.z);
