// Bots whose sessions end. The worker's script runs here, and the test calls its timers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "@mobula/client";
import { fakeToken } from "../../../web/test/support/fake_server.js";
import type { BotReport } from "../../src/session/bots.js";

const token = Buffer.from(fakeToken()).toString("base64");

class FakeWebSocket {
  static newest: FakeWebSocket;
  onclose = (_event: { code: number }): void => {};

  constructor() {
    FakeWebSocket.newest = this;
  }

  close(): void {}
}

test("Bots.EndedOnesNeitherActNorCount", async (t) => {
  const timers: (() => void)[] = [];
  const reports: BotReport[] = [];
  const scope = { onmessage: (_event: unknown) => {}, postMessage: (report: BotReport) => void reports.push(report) };
  const globals = { self: scope, WebSocket: FakeWebSocket, setInterval: (call: () => void) => timers.push(call) };
  const former = Object.fromEntries(Object.keys(globals).map((name) => [name, (globalThis as Record<string, unknown>)[name]]));
  Object.assign(globalThis, globals);
  let now = performance.now();
  t.mock.method(performance, "now", () => now);
  // As if they were in the village.
  t.mock.method(Client.prototype, "has", () => true);
  t.mock.method(Client.prototype, "get", () => ({ position: { x: 1, y: 0, z: 1 } }));
  t.after(() => void Object.assign(globalThis, former));
  await import("../../src/session/bots.js");
  const act = timers.splice(0);
  scope.onmessage({ data: { url: "ws://server", tokens: [token, token] } });
  for (const call of act) call();
  assert.deepEqual(reports.at(-1), { playing: 2, wanted: 2, ended: 0 });
  FakeWebSocket.newest.onclose({ code: 1006 });
  for (const update of timers) update();
  for (let i = 0; i < 20; ++i, now += 3000) for (const call of act) call();
  assert.deepEqual(reports[1], { playing: 1, wanted: 1, ended: 1 });
  assert.deepEqual(reports.at(-1), { playing: 1, wanted: 1, ended: 0 });
});
