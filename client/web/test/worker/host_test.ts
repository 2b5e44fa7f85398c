// The worker's side, whose levels are not there yet when the page leaves, or never come.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "../../src/connection/client.js";
import type { LevelStore } from "../../src/connection/level_store.js";
import { Host } from "../../src/worker/host.js";
import type { Port, SentUpdate, ToPage, ToWorker } from "../../src/worker/messages.js";

/** Hosts a client with levels that the test gives. */
function start() {
  const sent: SentUpdate[] = [];
  let give: (levels: LevelStore) => void = () => {};
  let fail: (error: Error) => void = () => {};
  const levels = new Promise<LevelStore>((resolve, reject) => ([give, fail] = [resolve, reject]));
  let connections = 0;
  const port: Port<ToPage> = { postMessage: (message) => void sent.push(message as SentUpdate), onmessage: null };
  const connect = (): Client => {
    ++connections;
    throw new Error("this test has no server");
  };
  new Host(port, connect, { levels });
  const receive = (data: ToWorker): unknown => port.onmessage!({ data } as MessageEvent);
  receive({ kind: "connect", options: { url: "ws://server", token: "" }, givesTokens: false, givesWorldTokens: false });
  return { sent, give, fail, receive, connections: () => connections };
}

const settle = async (): Promise<void> => {
  for (let i = 0; i < 4; ++i) await null;
};

test("Host.ClosedBeforeItsLevelsAreThereNeverConnects", async () => {
  const { sent, give, receive, connections } = start();
  receive({ kind: "close" });
  assert.equal(sent.at(-1)!.end?.reason, "left");
  give({} as LevelStore);
  await settle();
  assert.equal(connections(), 0);
});

test("Host.LevelsThatFailEndTheClient", async () => {
  const { sent, fail, connections } = start();
  fail(new Error("the disk is on fire"));
  await settle();
  assert.match(sent.at(-1)!.end!.text, /the disk is on fire/);
  assert.equal(sent.at(-1)!.state, "closed");
  assert.equal(connections(), 0);
});
