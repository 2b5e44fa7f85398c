// A browser, and a server of the page, of one test.
import type { TestContext } from "node:test";
import { DemoServer } from "../../../web/test/support/demo_server.js";
import { Browser } from "./browser.mjs";

/** Starts both. They end with the test. `more` are further options of the server. */
export async function serveSite(t: TestContext, ...more: string[]): Promise<{ server: DemoServer; browser: Browser }> {
  const server = new DemoServer("build/play-site");
  const browser = new Browser();
  t.after(async () => {
    await browser.close();
    await server.remove();
  });
  await server.start({ ticks: 20, more });
  return { server, browser };
}
