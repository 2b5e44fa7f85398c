// Plays a page of the web address in a headless Chromium: node check.mjs URL ADMIN OUT
// Two pages join, on a desktop and on a phone. Both must draw something, receive deltas and report neither error nor
// warning, and the server must have their players. Pictures go to OUT. The last line is JSON; the status is 1 after a
// failure.
import { join } from "node:path";
import { Browser, sleep } from "../../client/play/test/support/browser.mjs";

const [url, admin, out] = process.argv.slice(2);
const patience = 180_000;
const framesWanted = 60;
const forms = { desktop: { width: 1280, height: 720 }, phone: { width: 390, height: 844, touch: true } };

async function until(what, holds) {
  for (const begin = performance.now(); !holds(); await sleep(50))
    if (performance.now() - begin > patience) throw new Error(`waited in vain until ${what}`);
}

/** Draws a picture in an empty page, and returns how many of its colours differ. */
const countColours = (picture) => `(async () => {
  const bytes = Uint8Array.from(atob("${picture}"), (letter) => letter.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes]));
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
  context.drawImage(bitmap, 0, 0);
  return new Set(new Uint32Array(context.getImageData(0, 0, bitmap.width, bitmap.height).data.buffer)).size;
})()`;

async function play(browser, name) {
  const page = await browser.open(url, forms[name]);
  const joined = () => page.frames >= framesWanted || page.complaints.length > 0;
  await until(`the ${name} has received ${framesWanted} messages`, joined);
  // Houses and trees of the game are placed in slices.
  await page.until("(globalThis.play?.game?.village.unplaced.count ?? 0) === 0");
  await sleep(2000); // until models and labels are there
  const picture = await page.screenshot(join(out, `${name}.png`));
  const blank = await browser.open("about:blank", forms[name]);
  return { name, page, colours: await blank.run(countColours(picture.toString("base64"))) };
}

async function judge(played) {
  const status = await (await fetch(`${admin}/api/status`)).json();
  const report = {
    url,
    players: status.worlds[0].players,
    pages: played.map(({ name, page, colours }) => ({
      name,
      websocket: page.websocket,
      frames: page.frames,
      colours,
      errors: page.complaints,
    })),
  };
  const good = report.pages.every(({ colours, errors }) => colours >= 16 && errors.length === 0);
  return { ...report, good: good && report.players >= played.length };
}

const browser = new Browser();
let report;
try {
  const played = [];
  for (const name of Object.keys(forms)) played.push(await play(browser, name));
  report = await judge(played);
} catch (error) {
  report = { url, good: false, error: String(error), pages: browser.pages.map(({ complaints }) => ({ errors: complaints })) };
} finally {
  await browser.close();
}
console.log(JSON.stringify(report));
process.exitCode = report.good ? 0 : 1;
