import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { openNodeWebSocket } from "../../src/pipe/node_web_socket.js";

/** Opens a pipe to a server that answers with these bytes. Returns what it hands out, to its end. */
async function received(...frames: number[]): Promise<string[]> {
  const server = createServer();
  server.on("upgrade", ({ headers }, socket) => {
    const key = headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    const accept = createHash("sha1").update(key).digest("base64");
    socket.on("error", () => {});
    const head = `HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}`;
    socket.end(Buffer.concat([Buffer.from(`${head}\r\n\r\n`), Uint8Array.from(frames)]));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const out: string[] = [];
  await new Promise<void>((resolve) => {
    openNodeWebSocket(
      new URL(`ws://127.0.0.1:${port}`),
      { host: "", port: 0 },
      { onDatagram: (bytes) => void out.push(bytes.join()), onClosed: (why) => resolve(void out.push(why)) },
    );
  });
  await new Promise((resolve) => server.close(resolve));
  return out;
}

test("NodeWebSocket.JoinsTheFramesOfAMessage", async () => {
  assert.deepEqual(await received(0x02, 1, 7, 0x80, 1, 8, 0x82, 1, 9), [
    "7,8",
    "9",
    "the server closed the connection",
  ]);
});

test("NodeWebSocket.HandsOutNothingAfterItsEnd", async () => {
  assert.deepEqual(await received(0x88, 0, 0x82, 1, 7), ["the server closed the WebSocket"]);
  const parts = Array.from({ length: 65 }, () => [0, 0]).flat();
  assert.deepEqual(await received(...parts, 0x82, 1, 7), ["the server breaks the protocol of WebSocket"]);
});
