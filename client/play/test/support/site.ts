// A server of the page for each test, and one browser for the tests of a file.
import { type TestContext, after } from "node:test";
import { DemoServer } from "../../../web/test/support/demo_server.js";
import { Browser } from "./browser.mjs";

/** The page, as a path from the root. */
export const site = "build/play-site";

let browser: Browser | undefined;

interface Served {
  readonly server: DemoServer;
  readonly browser: Browser;
}

/** Starts both. The server and its pages end with the test. `more` are further options of the server. */
export const serveSite = (t: TestContext, ...more: string[]): Promise<Served> => serveFolder(t, site, more);

/** Does the same with the page of another folder. */
export async function serveFolder(t: TestContext, folder: string, more: readonly string[] = []): Promise<Served> {
  const server = new DemoServer(folder);
  browser ??= new Browser();
  const { pages } = browser;
  t.after(async () => {
    for (const page of pages.splice(0)) await page.close();
    await server.remove();
  });
  await server.start({ ticks: 20, more: [...more] });
  return { server, browser };
}

after(() => browser?.close());
