// A server's end of netcode and of a session in this process, to send what no honest server sends.
import { Client, type ConnectOptions } from "../../src/connection/client.js";
import { BitWriter } from "../../src/core/bits.js";
import { bytesOfText, concat, putU32, putU64 } from "../../src/core/bytes.js";
import * as flat from "../../src/core/flat_writer.js";
import type { End } from "../../src/core/refusal.js";
import type { Pipe, PipeEvents } from "../../src/pipe/pipe.js";
import { contentHash } from "../../src/core/content_hash.js";
import { ReplayWindow, openPacket, packetType, sealPacket } from "../../src/session/packet.js";
import { flag } from "../../src/wire/delta_header.js";
import { Session, endBody } from "../../src/session/session.js";
import { type ConnectToken, readToken } from "../../src/session/token.js";

const protocolId = bytesOfText("TestGame");
const clientToServer = new Uint8Array(32).fill(1);
const serverToClient = new Uint8Array(32).fill(2);

/** Returns a token whose servers know the keys of this file. */
export function fakeToken(timeoutSeconds = 5, lifetime = 3600): Uint8Array {
  const token = new Uint8Array(2048);
  token.set(bytesOfText("NETCODE 1.02\0"));
  token.set(protocolId, 13);
  putU64(token, 29, lifetime);
  token[1085] = timeoutSeconds;
  token[1089] = 1;
  token.set([1, 127, 0, 0, 1, 0x61, 0x1e], 1093);
  token.set(clientToServer, 1100);
  token.set(serverToClient, 1132);
  return token;
}

export class FakeServer {
  readonly session = new Session(true);
  /** Whether a client has a session here. */
  isConnected = false;
  /** Whether it has received a message of the client. */
  hasHello = false;
  /** Reliable messages of the client. */
  readonly received: Uint8Array[] = [];
  /** Messages that follow Hello. */
  readonly answer: Uint8Array[] = [];
  /** The end that follows Hello instead; null for none. */
  refusal: End | null = null;
  private readonly toSend: [type: number, body: Uint8Array][] = [];
  private sequence = 0;
  private readonly window = new ReplayWindow();
  private readonly token: ConnectToken;

  /** `token` is that of the client, whose keys it takes. */
  constructor(token = fakeToken()) {
    this.token = readToken(token);
  }

  receive(datagram: Uint8Array, now: number): void {
    const kind = datagram[0]! & 15;
    if (kind === packetType.request) this.toSend.push([packetType.challenge, new Uint8Array(308)]);
    if (kind === packetType.response) {
      this.isConnected = true;
      this.toSend.push([packetType.keepAlive, new Uint8Array(8)]);
    }
    const { protocolId, clientToServer } = this.token;
    const packet = kind === packetType.payload ? openPacket(protocolId, clientToServer, datagram, this.window) : null;
    if (packet === null) return;
    this.session.receive(packet.body, now);
    const messages = this.session.drainReliable();
    if (messages.length === 0) return;
    this.received.push(...messages);
    this.hasHello = true;
    if (this.refusal !== null) this.toSend.push([packetType.payload, endBody(this.refusal)]);
    for (const message of this.answer.splice(0)) this.session.sendReliable(message);
  }

  /** Ends the session with a reason. */
  finish(end: End): void {
    this.toSend.push([packetType.payload, endBody(end)]);
  }

  /** Ends the session in a packet without a reason. */
  disconnect(): void {
    this.toSend.push([packetType.disconnect, new Uint8Array(0)]);
  }

  /** Sends what is due to a client. */
  flush(now: number, send: (datagram: Uint8Array) => void): void {
    if (this.isConnected) this.session.flush(now, (body) => void this.toSend.push([packetType.payload, body]));
    const { protocolId, serverToClient } = this.token;
    for (const [kind, body] of this.toSend.splice(0))
      send(sealPacket(protocolId, serverToClient, kind, this.sequence++, body));
  }
}

export const messageOf = (kind: number, fields: flat.Field[]): Uint8Array =>
  flat.flatMessage([flat.u8(kind), flat.table(fields)]);

export const welcomeWith = (schema: Uint8Array, resumed = false, entitiesMax = 1000): Uint8Array =>
  messageOf(2, [
    flat.u32(1),
    flat.u32(60),
    flat.u32(entitiesMax),
    flat.blob(contentHash(schema)),
    flat.blob(schema),
    null,
    flat.bool(resumed),
  ]);

export const namesMessage = (texts: flat.Field): Uint8Array => messageOf(3, [texts]);

export const rejoinTokensMessage = (graceSeconds: number, ...tokens: Uint8Array[]): Uint8Array =>
  messageOf(6, [flat.blob(concat(...tokens)), flat.u32(graceSeconds)]);

export const resourceOfferMessage = (identity: Uint8Array, size: number, firstTick: number): Uint8Array =>
  messageOf(18, [flat.list([flat.table([flat.blob(identity), flat.u64(BigInt(size)), flat.u32(firstTick)])])]);

export const resourcePartMessage = (identity: Uint8Array, bytes: Uint8Array): Uint8Array =>
  messageOf(8, [flat.blob(identity), null, flat.blob(bytes)]);

export const playerEntityMessage = (index: number, generation: number): Uint8Array => {
  const handle = new Uint8Array(8);
  putU32(handle, 0, index);
  putU32(handle, 4, generation);
  return messageOf(5, [flat.struct(handle)]);
};

export const followMessage = (world: string, address: string, visit: boolean, token = fakeToken()): Uint8Array =>
  messageOf(19, [flat.text(world), flat.blob(token), flat.list([flat.text(address)]), flat.bool(visit)]);

/** A client with a clock of its own, and a way to servers that answer while `isReachable`. */
export class FakeNetwork {
  now = 0;
  isReachable = true;
  /** Without it pipes end before a datagram has left, as a WebSocket without a network does. */
  opens = true;
  /** URLs at which no pipe opens. */
  readonly shut = new Set<string>();
  server = new FakeServer();
  /** Called with the server of each session before it begins. */
  onOpened: (server: FakeServer, url: URL) => void = () => {};
  opened = 0;
  private readonly open: { readonly server: FakeServer; readonly events: PipeEvents }[] = [];

  client(options: Partial<ConnectOptions> = {}): Client {
    const all = { url: "fake://server", token: fakeToken(), timer: false, now: () => this.now, ...options };
    return new Client(all, { "fake:": (url, _server, events) => this.openPipe(url, events) });
  }

  /** Ends the newest pipe, as a lost WebSocket does. */
  cut(): void {
    this.open.pop()!.events.onClosed("cut by the test");
  }

  private openPipe(url: URL, events: PipeEvents): Pipe {
    ++this.opened;
    this.server = new FakeServer();
    this.onOpened(this.server, url);
    const { server } = this;
    const entry = { server, events };
    this.open.push(entry);
    const opens = this.opens && !this.shut.has(url.href);
    if (!opens) queueMicrotask(() => events.onClosed("there is no network"));
    return {
      wasOpen: opens,
      send: (datagram) => {
        if (this.isReachable) server.receive(datagram, this.now);
      },
      close: () => {
        const place = this.open.indexOf(entry);
        if (place >= 0) this.open.splice(place, 1);
      },
    };
  }

  /** Lets time pass. Promises are settled in each step. Without `updates` the client has its datagrams alone. */
  async run(client: Client, ms: number, updates = true): Promise<void> {
    for (const end = this.now + ms; this.now < end; this.now += 20) {
      if (updates) client.update();
      for (const { server, events } of this.isReachable ? [...this.open] : [])
        server.flush(this.now, (datagram) => events.onDatagram(datagram));
      for (let i = 0; i < 4; ++i) await null;
    }
  }
}

/** A level of which all entities are there, with indices from 0 on. */
export const levelMessage = (identity: Uint8Array, count: number, tick: number): Uint8Array => {
  const present = new Uint8Array((count + 7) >> 3).fill(255);
  return messageOf(10, [flat.blob(identity), null, flat.u32(count), flat.u32(1), flat.u32(tick), flat.blob(present)]);
};

/** A delta in which nothing has changed since acknowledgement 0. */
export const emptyDelta = (sequence: number, tick: number): Uint8Array => {
  const bits = new BitWriter();
  bits.golomb(0, 4);
  for (let list = 0; list < 3; ++list) bits.golomb(0, 2);
  const header = new Uint8Array(13);
  header[0] = flag.complete | flag.long;
  putU32(header, 1, sequence);
  putU32(header, 5, tick);
  return concat(header, bits.view());
};
