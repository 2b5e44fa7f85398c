// Answers of a token address, as the player is shown them.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Admission, Refused, admit } from "../../src/session/admission.js";

/** Asks an address that answers so. */
function admitBy(t: TestContext, answer: () => Response): Promise<Admission> {
  const former = [globalThis.fetch, (globalThis as { location?: unknown }).location];
  t.after(() => Object.assign(globalThis, { fetch: former[0], location: former[1] }));
  const named = (): Response => Object.defineProperty(answer(), "url", { value: "http://game.example/token" });
  Object.assign(globalThis, { fetch: async () => named(), location: { protocol: "http:" } });
  return admit();
}

const isRefused = (title: RegExp, text: RegExp, returns = false) => (error: unknown): boolean => {
  assert.ok(error instanceof Refused);
  assert.match(error.title, title);
  assert.match(error.message, text);
  assert.equal(error.returns, returns);
  return true;
};

test("Admission.HasTheTokenAndTheAddress", async (t) => {
  const admission = await admitBy(t, () => Response.json({ tokens: ["AAAA"], ws: "ws://server" }));
  assert.deepEqual(admission, { token: "AAAA", url: "ws://server" });
});

test("Admission.AnAnswerWithoutATokenSaysSo", async (t) => {
  for (const tokens of [[], [5]])
    await assert.rejects(admitBy(t, () => Response.json({ tokens, ws: "ws://server" })), isRefused(/^No token$/, /has no token/));
});

test("Admission.AnAnswerWithoutAnAddressSaysSo", async (t) => {
  await assert.rejects(admitBy(t, () => Response.json({ tokens: ["AAAA"] })), isRefused(/^No way in$/, /no WebSocket address/));
});

for (const [name, body] of [["AWebPage", "<!doctype html>"], ["Null", "null"], ["NoList", '{"tokens": 1}']] as const)
  test(`Admission.AnotherAnswerIsShownWithItsAddress_${name}`, async (t) => {
    const answer = (): Response => new Response(body);
    await assert.rejects(admitBy(t, answer), isRefused(/^The answer has no token$/, /^http:\/\/game\.example\/token answers/));
  });

test("Admission.AServerThatFailsMayComeBack", async (t) => {
  await assert.rejects(admitBy(t, () => new Response("", { status: 502 })), isRefused(/^No token$/, /HTTP 502/, true));
  await assert.rejects(admitBy(t, () => new Response("", { status: 403 })), isRefused(/^No entry$/, /operator/));
  const fails = (): never => {
    throw new TypeError("there is no network");
  };
  await assert.rejects(admitBy(t, fails), isRefused(/^The server does not answer$/, /restarting/, true));
});
