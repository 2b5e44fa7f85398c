// Rules that cannot be loaded: the error has the reason in words for the player.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadDemoRules } from "../../src/session/demo_rules.js";

const answers: Readonly<Record<string, [() => Response, RegExp]>> = {
  Missing: [() => new Response("", { status: 404 }), /this site has no demo_rules\.wasm/],
  Damaged: [() => new Response("no module"), /are damaged/],
  Unreachable: [
    () => {
      throw new TypeError("there is no network");
    },
    /did not arrive/,
  ],
};

for (const [name, [answer, words]] of Object.entries(answers))
  test(`DemoRules.SayWhyTheyCannotBeLoaded_${name}`, async (t) => {
    const { fetch } = globalThis;
    t.after(() => void (globalThis.fetch = fetch));
    globalThis.fetch = async () => answer();
    await assert.rejects(loadDemoRules(), words);
  });
