// Memory of the page in a session with eight bots, by minute:
// PROGRAMS=build/release/bin node client/play/bench/growth.mjs [MINUTES]
// It needs build/web and build/play-site.
import { DemoServer, village } from "../../../build/web/test/support/demo_server.js";
import { Browser, sleep } from "../test/support/browser.mjs";

const [minutes = "10"] = process.argv.slice(2);
const mebi = 2 ** 20;

const report = `({
  frames: play.times.count,
  ticks: play.game.client.statistics.ticks,
  entities: play.game.client.indices("Transform").length,
  players: play.game.players.length,
  elements: document.getElementsByTagName("*").length,
  geometries: play.game.stage.renderer.info.memory.geometries,
})`;

async function show(page, minute) {
  await page.call("HeapProfiler.collectGarbage");
  const { usedSize } = await page.call("Runtime.getHeapUsage");
  const figures = Object.entries(await page.run(report)).map(([name, value]) => `${value} ${name}`);
  console.log(`${minute} min: ${(usedSize / mebi).toFixed(1)} MiB, ${figures.join(", ")}`);
}

const server = new DemoServer("build/play-site");
const browser = new Browser();
try {
  await server.start({ level: village, ticks: 20 });
  const page = await browser.open(`${server.page}?quality=3`, { width: 512, height: 288 });
  await page.until("globalThis.play?.game.village.own?.isShown");
  await page.press("KeyN"); // the panel, with its plot
  await page.run(`document.getElementById("do-bots").click()`);
  for (let minute = 1; minute <= Number(minutes); ++minute) {
    await sleep(60_000);
    await show(page, minute);
  }
  if (page.complaints.length > 0) throw new Error(page.complaints.join("; "));
} finally {
  await browser.close();
  await server.remove();
}
