// The browser's WebSocket as a pipe, on a WebSocket that the test moves.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Pipe } from "../../src/pipe/pipe.js";
import { openWebSocket } from "../../src/pipe/web_socket.js";

class FakeWebSocket {
  static readonly OPEN = 1;
  static newest: FakeWebSocket;
  readonly sent: Uint8Array[] = [];
  readyState = 0;
  bufferedAmount = 0;
  binaryType = "";
  onopen = (): void => {};
  onclose = (_event: { code: number }): void => {};

  constructor() {
    FakeWebSocket.newest = this;
  }

  send(bytes: Uint8Array): void {
    this.sent.push(bytes);
  }

  close(): void {}

  open(): void {
    this.readyState = FakeWebSocket.OPEN;
    this.onopen();
  }
}

function open(t: TestContext): { pipe: Pipe; socket: FakeWebSocket; ends: string[] } {
  const former = globalThis.WebSocket;
  globalThis.WebSocket = FakeWebSocket as unknown as typeof WebSocket;
  t.after(() => void (globalThis.WebSocket = former));
  const ends: string[] = [];
  const events = { onDatagram: () => {}, onClosed: (why: string) => void ends.push(why) };
  const pipe = openWebSocket(new URL("ws://server"), { host: "server", port: 1 }, events);
  return { pipe, socket: FakeWebSocket.newest, ends };
}

test("WebSocketPipe.SendsTheFirstDatagramOnceItIsOpen", (t) => {
  const { pipe, socket } = open(t);
  pipe.send(Uint8Array.of(1));
  pipe.send(Uint8Array.of(2));
  assert.deepEqual(socket.sent, []);
  assert.equal(pipe.wasOpen, false);
  socket.open();
  pipe.send(Uint8Array.of(3));
  assert.deepEqual(socket.sent, [Uint8Array.of(1), Uint8Array.of(3)]);
  assert.equal(pipe.wasOpen, true);
});

test("WebSocketPipe.AFailedOneWasNeverOpen", (t) => {
  const { pipe, socket, ends } = open(t);
  pipe.send(Uint8Array.of(1));
  socket.onclose({ code: 1006 });
  assert.deepEqual(ends, ["the WebSocket was closed (1006)"]);
  assert.equal(pipe.wasOpen, false);
  assert.deepEqual(socket.sent, []);
});
