// A page whose worker fails, ends, or is slow. The worker's side is the test.
import assert from "node:assert/strict";
import { type TestContext, mock, test } from "node:test";
import { noStatistics } from "../../src/connection/statistics.js";
import type { Port, SentUpdate, ToPage, ToWorker } from "../../src/worker/messages.js";
import { WorkerClient, type WorkerConnectOptions } from "../../src/worker/worker_client.js";

class FakePort implements Port<ToWorker> {
  readonly sent: ToWorker[] = [];
  onmessage: ((event: MessageEvent) => unknown) | null = null;
  onerror: ((event: ErrorEvent) => unknown) | null = null;
  onmessageerror: ((event: MessageEvent) => unknown) | null = null;

  postMessage(message: ToWorker): void {
    this.sent.push(message);
  }

  receive(message: ToPage): void {
    this.onmessage!({ data: message } as MessageEvent);
  }
}

const update: SentUpdate = {
  kind: "update",
  state: "playing",
  end: null,
  at: 0,
  tick: 1,
  viewTick: 1,
  serverTick: 1,
  ticksPerSecond: 60,
  mirrors: 1,
  player: 0n,
  statistics: noStatistics(),
  pools: [],
  changes: [],
  events: [],
  failed: [],
};

function start(t: TestContext, more: Partial<WorkerConnectOptions> = {}) {
  mock.timers.enable({ apis: ["setInterval"] });
  t.after(() => mock.timers.reset());
  const port = new FakePort();
  const client = new WorkerClient(port, { url: "ws://server", token: "", ...more });
  const ends: string[] = [];
  client.onClosed = ({ reason }) => void ends.push(reason);
  return { port, client, ends };
}

const seconds = (count: number, each: () => void = () => {}): void => {
  for (let i = 0; i < count; ++i, mock.timers.tick(1000)) each();
};

test("WorkerClient.EndsIfTheScriptDoesNotLoad", (t) => {
  const { port, client, ends } = start(t);
  port.onerror!({ message: "not found" } as ErrorEvent);
  assert.deepEqual(ends, ["no answer"]);
  assert.match(client.end!.text, /not found/);
  assert.equal(client.state, "closed");
});

test("WorkerClient.OutlivesErrorsOfOtherCodeInTheWorker", (t) => {
  const { port, client } = start(t);
  port.receive(update);
  port.onerror!({ message: "a fault" } as ErrorEvent);
  assert.equal(client.end, null);
});

test("WorkerClient.EndsAtAMessageThatIsUnreadable", (t) => {
  const { port, ends } = start(t);
  port.receive(update);
  port.onmessageerror!({} as MessageEvent);
  assert.deepEqual(ends, ["protocol error"]);
});

test("WorkerClient.EndsAfterTenSecondsOfSilence", (t) => {
  const { port, client, ends } = start(t);
  seconds(60); // the script loads
  seconds(60, () => port.receive(update));
  assert.equal(client.end, null);
  seconds(8);
  assert.equal(client.end, null);
  seconds(3);
  assert.deepEqual(ends, ["no answer"]);
  port.receive(update);
  assert.equal(client.state, "closed");
});

test("WorkerClient.MessagesThatThePageHasNotTakenAreNoSilence", (t) => {
  const { port, client } = start(t, { timer: false });
  port.receive({ ...update, state: "closed", end: { reason: "kicked", text: "" } });
  seconds(60);
  client.update();
  assert.equal(client.end?.reason, "kicked");
});

test("WorkerClient.CloseEndsAlsoIfTheWorkerIsGone", (t) => {
  const { client, ends } = start(t);
  client.close();
  seconds(11);
  assert.deepEqual(ends, ["no answer"]);
});

test("WorkerClient.PostsNoCommandOnceItIsClosed", (t) => {
  const { port, client } = start(t);
  assert.equal(client.send(Uint8Array.of(1)), true);
  port.onmessageerror!({} as MessageEvent);
  const { length } = port.sent;
  assert.equal(client.send(Uint8Array.of(1)), false);
  assert.equal(port.sent.length, length);
});

test("WorkerClient.ANewTokenThatThrowsAtOnceIsNone", async (t) => {
  const newToken = (): Promise<string> => {
    throw new Error("there is no network");
  };
  const { port } = start(t, { newToken });
  port.receive({ kind: "newToken", world: null });
  await null;
  assert.deepEqual(port.sent.at(-1), { kind: "token", token: null });
});

test("WorkerClient.ATokenOfAnotherWorldIsAskedForByItsName", async (t) => {
  const { port } = start(t, { worldToken: (world) => Promise.resolve(`token of ${world}`) });
  assert.deepEqual(port.sent.map((message) => message.kind === "connect" && message.givesWorldTokens), [true]);
  port.receive({ kind: "newToken", world: "arena" });
  await null;
  await null;
  assert.deepEqual(port.sent.at(-1), { kind: "token", token: "token of arena" });
});

test("WorkerClient.CommandsThatFailAreHandedOn", (t) => {
  const { port, client } = start(t);
  const reasons: string[] = [];
  client.onCommandFailed = ({ reason }) => void reasons.push(reason);
  port.receive({ ...update, failed: [{ command: Uint8Array.of(1), reason: "too late" }] });
  assert.deepEqual(reasons, ["too late"]);
});
