// Joins that overlap, and ends as the player is shown them. Servers are in this process.
import assert from "node:assert/strict";
import { type TestContext, mock, test } from "node:test";
import type { Client, End } from "@mobula/client";
import { FakeServer, fakeToken } from "../../../web/test/support/fake_server.js";
import { Entrance } from "../../src/session/entrance.js";

/** A WebSocket to a server of its own. */
class FakeWebSocket {
  static readonly OPEN = 1;
  static readonly all: FakeWebSocket[] = [];
  static fails = false;
  /** End that servers give; null for none. */
  static refusal: End | null = null;
  /** Whether servers answer. */
  static answers = true;
  readonly server = new FakeServer();
  readyState = 0;
  bufferedAmount = 0;
  onopen = (): void => {};
  onclose = (_event: { code: number }): void => {};
  onmessage = (_event: { data: ArrayBuffer }): void => {};

  constructor() {
    FakeWebSocket.all.push(this);
    const { fails, refusal } = FakeWebSocket;
    this.server.refusal = refusal;
    queueMicrotask(() => (fails ? this.onclose({ code: 1006 }) : this.open()));
  }

  private open(): void {
    this.readyState = FakeWebSocket.OPEN;
    this.onopen();
  }

  send(bytes: Uint8Array): void {
    if (FakeWebSocket.answers) this.server.receive(bytes, performance.now());
    this.flush();
  }

  flush(): void {
    this.server.flush(performance.now(), (datagram) => this.onmessage({ data: datagram.slice().buffer as ArrayBuffer }));
  }

  close(): void {
    this.readyState = 3;
  }
}

interface Start {
  readonly entrance: Entrance;
  readonly clients: Client[];
  /** Titles of the messages with a button. */
  readonly asked: string[];
  /** Texts of all messages. */
  readonly texts: string[];
}

function start(t: TestContext): Start {
  FakeWebSocket.all.length = 0;
  Object.assign(FakeWebSocket, { fails: false, refusal: null, answers: true });
  const token = Buffer.from(fakeToken()).toString("base64");
  const answer = (): Promise<Response> => Promise.resolve(Response.json({ tokens: [token], ws: "ws://server" }));
  const globals = { WebSocket: FakeWebSocket, location: { protocol: "http:" }, fetch: answer };
  const former = Object.fromEntries(Object.keys(globals).map((name) => [name, (globalThis as Record<string, unknown>)[name]]));
  Object.assign(globalThis, globals);
  const [clients, asked, texts]: [Client[], string[], string[]] = [[], [], []];
  const messages = {
    hasButton: false,
    ask: (title: string, text: string) => void (asked.push(title), texts.push(text)),
    wait: (_title: string, text: string) => void texts.push(text),
    hide: () => {},
  };
  const conditions = { latency: 0, jitter: 0, loss: 0 };
  const onClient = (client: Client): void => void clients.push(client);
  const entrance = new Entrance(messages, conditions, { passed: 0, dropped: 0 }, onClient);
  t.after(() => {
    entrance.leave();
    for (const client of clients) client.close();
    Object.assign(globalThis, former);
  });
  return { entrance, clients, asked, texts };
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds() && tries < 1000; ++tries) await new Promise((resolve) => setTimeout(resolve, 10));
}

async function connected(): Promise<FakeWebSocket> {
  await until(() => FakeWebSocket.all.at(-1)?.server.isConnected ?? false);
  return FakeWebSocket.all.at(-1)!;
}

test("Entrance.TheLastOfJoinsAtOnceIsTheOnlyOne", async (t) => {
  const { entrance, clients } = start(t);
  await Promise.all(["a", "ab", "abc"].map((name) => entrance.join(name)));
  assert.equal(clients.length, 1);
  assert.equal(clients[0]!.end, null);
  assert.equal(FakeWebSocket.all.length, 1);
});

test("Entrance.ANewJoinEndsTheFormerSessionWithoutAMessage", async (t) => {
  const { entrance, clients, asked } = start(t);
  await entrance.join("a");
  const { server } = await connected();
  await entrance.join("ab");
  assert.deepEqual(clients.map(({ end }) => end?.reason), ["left", undefined]);
  assert.equal(server.session.ended?.reason, "left");
  assert.deepEqual(asked, []);
});

test("Entrance.AJoinByHandReplacesARetry", async (t) => {
  const { entrance, clients } = start(t);
  mock.timers.enable({ apis: ["setTimeout"] });
  t.after(() => mock.timers.reset());
  FakeWebSocket.fails = true;
  await entrance.join("a");
  await null;
  clients[0]!.update();
  assert.notEqual(clients[0]!.end, null);
  FakeWebSocket.fails = false;
  await entrance.join("ab");
  mock.timers.tick(5000);
  for (let i = 0; i < 20; ++i) await null;
  assert.equal(clients.length, 2);
  assert.equal(clients[1]!.end, null);
});

test("Entrance.AnEndByTheServerWithoutAReasonIsShown", async (t) => {
  const { entrance, clients, asked } = start(t);
  await entrance.join("a");
  const socket = await connected();
  clients[0]!.update();
  socket.server.disconnect();
  socket.flush();
  clients[0]!.update();
  assert.equal(clients[0]!.end?.reason, "left");
  assert.deepEqual(asked, ["The server has ended the session"]);
});

test("Entrance.LeavingIsReportedToTheServerAndNotShown", async (t) => {
  const { entrance, clients, asked } = start(t);
  await entrance.join("a");
  const { server } = await connected();
  entrance.leave();
  assert.equal(clients[0]!.end?.reason, "left");
  assert.equal(server.session.ended?.reason, "left");
  assert.deepEqual(asked, []);
});

test("Entrance.AServerThatHasStoppedIsJoinedByItself", async (t) => {
  const { entrance, clients, asked, texts } = start(t);
  FakeWebSocket.refusal = { reason: "shutting down", text: "" };
  await entrance.join("a");
  await until(() => asked.length > 0);
  assert.deepEqual(asked, ["The server has stopped"]);
  assert.match(texts.at(-1)!, /tries again by itself/);
  FakeWebSocket.refusal = null;
  const count = clients.length;
  await until(() => clients.length > count);
  await connected();
  assert.equal(clients.at(-1)!.end, null);
});

test("Entrance.AStoppedServerIsNotJoinedAfterLeaving", async (t) => {
  const { entrance, clients, asked } = start(t);
  FakeWebSocket.refusal = { reason: "shutting down", text: "" };
  await entrance.join("a");
  await until(() => asked.length > 0);
  const count = clients.length;
  entrance.leave();
  await new Promise((resolve) => setTimeout(resolve, 1500)); // longer than the first interval
  assert.equal(clients.length, count);
});

test("Entrance.ATokenWithoutAnAnswerNamesThePossibleCauses", async (t) => {
  const { entrance, clients, asked, texts } = start(t);
  FakeWebSocket.answers = false;
  mock.method(performance, "now", () => now);
  t.after(() => mock.restoreAll());
  let now = 0;
  await entrance.join("a");
  for (let i = 0; i < 4; ++i) await null;
  clients[0]!.update();
  now += 5000;
  FakeWebSocket.all[0]!.onclose({ code: 1000 }); // as a server does without a session
  clients[0]!.update();
  assert.deepEqual(asked, ["The server does not answer"]);
  assert.match(texts.at(-1)!, /token may be of another server.*clocks/);
});

test("Entrance.WordsOfALostConnectionPromiseNoAvatar", async (t) => {
  const { entrance, clients, texts } = start(t);
  await entrance.join("a");
  const client = clients[0]!;
  Object.defineProperty(client, "state", { value: "reconnecting" });
  entrance.watch(performance.now());
  assert.match(texts.at(-1)!, /A server that still runs keeps your avatar/);
});
