// Datagrams as binary messages of WebSocket, over sockets of Node: Node 20 has no WebSocket of its own.
import { createHash, randomBytes } from "node:crypto";
import { type ClientRequest, request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import type { Duplex } from "node:stream";
import { FrameReader, opcode, writeFrame } from "./frames.js";
import type { OpenPipe, PipeEvents } from "./pipe.js";

const acceptGuid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const queuedMax = 64 * 1024;

/** An upgraded connection. */
class NodeWebSocket {
  private readonly frames = new FrameReader();
  private message: Uint8Array[] = [];

  constructor(
    private readonly socket: Duplex & { destroySoon?: () => void },
    private readonly events: PipeEvents,
    private readonly fail: (why: string) => void,
  ) {
    socket.on("data", (bytes: Uint8Array) => this.onData(bytes));
    socket.on("close", () => fail("the server closed the connection"));
    socket.on("error", (error: Error) => fail(error.message));
  }

  send(code: number, bytes: Uint8Array): void {
    if (this.socket.writableLength < queuedMax) this.socket.write(writeFrame(code, bytes, randomBytes(4)));
  }

  close(): void {
    this.socket.end();
    this.socket.destroySoon?.();
  }

  private onData(bytes: Uint8Array): void {
    const frames = this.frames.add(bytes);
    if (frames === null) return this.fail("the server breaks the protocol of WebSocket");
    for (const frame of frames) {
      if (frame.opcode === opcode.ping) this.send(opcode.pong, frame.bytes);
      else if (frame.opcode === opcode.close) return this.fail("the server closed the WebSocket");
      else if (frame.opcode === opcode.binary || frame.opcode === opcode.continuation)
        this.onPart(frame.bytes, frame.isLast);
    }
  }

  private onPart(bytes: Uint8Array, isLast: boolean): void {
    this.message.push(bytes);
    if (this.message.length > 64) return this.fail("the server breaks the protocol of WebSocket");
    if (!isLast) return;
    const message = this.message.length === 1 ? bytes : new Uint8Array(Buffer.concat(this.message));
    this.message = [];
    this.events.onDatagram(message);
  }
}

export const openNodeWebSocket: OpenPipe = (url, _server, events) => {
  let socket: NodeWebSocket | null = null;
  let isClosed = false;
  const key = randomBytes(16).toString("base64");
  const accept = createHash("sha1")
    .update(key + acceptGuid)
    .digest("base64");
  const target = new URL(url);
  target.protocol = url.protocol === "wss:" ? "https:" : "http:";
  const headers = {
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Key": key,
    "Sec-WebSocket-Version": "13",
  };
  const request: ClientRequest = (url.protocol === "wss:" ? requestSecure : requestPlain)(target, { headers });
  const stop = (): void => {
    isClosed = true;
    socket?.close();
    request.destroy();
  };
  const fail = (why: string): void => {
    if (!isClosed) events.onClosed(why);
    stop();
  };
  request.on("upgrade", (response, stream, head) => {
    if (response.headers["sec-websocket-accept"] !== accept) return fail("the server does not answer as a WebSocket");
    socket = new NodeWebSocket(stream, events, fail);
    if (head.length > 0) stream.unshift(head);
  });
  request.on("response", ({ statusCode }) => fail(`the server answered with status ${statusCode}`));
  request.on("error", (error) => fail(error.message));
  request.end();
  return {
    get wasOpen() {
      return socket !== null;
    },
    send: (datagram) => socket?.send(opcode.binary, datagram),
    close: () => {
      socket?.send(opcode.close, new Uint8Array(0));
      stop();
    },
  };
};
