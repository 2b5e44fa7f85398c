// Time that the page takes to join, on a first and a second visit, and time of its script per frame:
// PROGRAMS=build/release/bin node client/play/bench/join.mjs [QUALITY] [VISITS]
// It needs build/web and build/play-site. Without a graphics card the processor draws.
import { DemoServer, hamlet, village } from "../../../build/web/test/support/demo_server.js";
import { Browser, sleep } from "../test/support/browser.mjs";

const [quality = "3", visits = "3"] = process.argv.slice(2);
const size = { width: 512, height: 288 };
const joinTime = 10_000; // ms of a visit in which tasks are recorded
const frames = { drawn: 100, blank: 600 }; // frames that are timed

// Runs before the page's own script. `play` is what main.ts leaves for tests.
const probe = `(() => {
  const probe = (globalThis.probe = { tasks: [], updates: [], frames: [] });
  const add = (list, at, ms) => void list.push({ at: Math.round(at), ms: Math.round(ms) });
  new PerformanceObserver((list) => list.getEntries().forEach(({ startTime, duration }) => add(probe.tasks, startTime, duration)))
    .observe({ type: "longtask", buffered: true });
  let play;
  Object.defineProperty(globalThis, "play", { get: () => play, set: (value) => record((play = value)) });
  const timed = (object, name, list) => {
    const call = object[name].bind(object);
    object[name] = (...all) => {
      const begin = performance.now();
      const result = call(...all);
      add(list, begin, performance.now() - begin);
      return result;
    };
  };
  const record = ({ game }) => {
    timed(game, "play", probe.frames);
    const { follow } = game.village;
    game.village.follow = (client) => {
      timed(client, "update", probe.updates);
      follow.call(game.village, client);
    };
  };
})()`;

const report = `({
  ...probe,
  entities: play.game.client.indices("Transform").length,
  unplaced: play.game.village.unplaced.count,
  marks: performance.getEntriesByType("mark").map(({ name, startTime }) => name + " after " + Math.round(startTime) + " ms"),
})`;

const longest = (list) => {
  const sorted = [...list].sort((a, b) => b.ms - a.ms).slice(0, 6);
  return sorted.map(({ at, ms }) => `${ms} ms at ${at}`).join(", ");
};

async function visit(browser, url, name) {
  const page = await browser.open("about:blank", size);
  await page.call("Page.addScriptToEvaluateOnNewDocument", { source: probe });
  await page.call("Page.navigate", { url: `${url}?quality=${quality}` });
  await page.until("globalThis.play?.game.village.own?.isShown");
  await sleep(joinTime);
  const { entities, unplaced, marks, tasks, updates, frames } = await page.run(report);
  console.log(`${name}: ${marks.join(", ")}; ${entities} entities, ${unplaced} unplaced, ${frames.length} frames`);
  console.log(`  tasks above 50 ms: ${longest(tasks)}`);
  console.log(`  updates: ${longest(updates)}`);
  console.log(`  scripts of frames: ${longest(frames)}`);
  return page;
}

async function timeFrames(page, count, name) {
  await page.run("play.times.clear(); play.game.times.clear()");
  await page.until(`play.times.count > ${count}`, 180);
  const { entities, script } = await page.run(`({
    entities: play.game.client.indices("Transform").length,
    script: [play.game.times, play.times].map((times) => [0.5, 0.95].map((part) => times.percentile(part).toFixed(1))),
  })`);
  const [own, all] = script.map(([middle, most]) => `p50 ${middle} ms, p95 ${most} ms`);
  console.log(`  ${entities} entities, ${name}: ${own}; with the calls of WebGL: ${all}`);
}

/** Times frames as they are drawn, and then those of a page that draws nothing, as if drawing took no time. */
async function timeScript(page) {
  await timeFrames(page, frames.drawn, "drawn by the processor");
  await page.run("void (play.game.stage.renderer.render = () => {})");
  await timeFrames(page, frames.blank, "not drawn");
}

async function measure(browser, level, names) {
  const server = new DemoServer("build/play-site");
  try {
    await server.start({ level, ticks: 20 });
    for (const name of names) {
      const page = await visit(browser, server.page, name);
      if (name === names.at(-1)) await timeScript(page);
      await page.close();
    }
  } finally {
    await server.remove();
  }
}

const browser = new Browser();
try {
  await measure(browser, village, Array.from({ length: Number(visits) }, (_, i) => `village, visit ${i + 1}`));
  await measure(browser, hamlet, ["hamlet"]);
} finally {
  await browser.close();
}
