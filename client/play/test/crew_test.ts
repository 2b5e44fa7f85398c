// Bots of the page with a server that judges their commands.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Player } from "./support/player.js";
import { options } from "./support/players.js";
import { serveSite } from "./support/site.js";

const { skip, timeout } = options;
// A page elsewhere has a server whose log this test cannot read.
const isElsewhere = (process.env["PLAY_URL"] ?? "") !== "";

test("Crew.BotsThrowAndTheServerAcceptsTheirAim", { skip: isElsewhere ? "PLAY_URL names the page" : skip, timeout }, async (t) => {
  const { server, browser } = await serveSite(t);
  const { page } = await Player.join(browser, server.page);
  await page.run(`(function look() {
    window.stones ??= new Set();
    for (const stone of play.game.client.entities("Stone")) window.stones.add(stone);
    requestAnimationFrame(look);
  })()`);
  await page.run(`document.getElementById("do-bots").click()`);
  await page.until("window.stones.size >= 4");
  assert.doesNotMatch(server.log, /aim out of range/);
  assert.deepEqual(page.complaints, []);
});
