// A server of the page for each test, and one browser for the tests of a file.
import { type TestContext, after } from "node:test";
import { DemoServer } from "../../../web/test/support/demo_server.js";
import { Browser } from "./browser.mjs";

let browser: Browser | undefined;

/** Starts both. The server and its pages end with the test. `more` are further options of the server. */
export async function serveSite(t: TestContext, ...more: string[]): Promise<{ server: DemoServer; browser: Browser }> {
  const server = new DemoServer("build/play-site");
  browser ??= new Browser();
  const { pages } = browser;
  t.after(async () => {
    for (const page of pages.splice(0)) await page.close();
    await server.remove();
  });
  await server.start({ ticks: 20, more });
  return { server, browser };
}

after(() => browser?.close());
