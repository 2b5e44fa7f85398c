// A session: bodies with acknowledgements, the reliable lanes and the unreliable messages in them. docs/protocol.md,
// The session, describes the bytes. Time goes in; the session has no clock.
import { putU16, putU32, textOf, u16, u32 } from "../core/bytes.js";
import { type End, endReasons } from "../core/refusal.js";
import { Link } from "./link.js";
import { ReceivedHistory, isAfter } from "./received_history.js";
import { ReliableReceiver } from "./reliable_receiver.js";
import { ReliableSender, messageBytesMax } from "./reliable_sender.js";

export const bodyBytesMax = 1200;
const headerBytes = 8;
const waitingBytesMax = messageBytesMax + 64 * 1024;
const keepAliveInterval = 250;
const unreliableBytesMax = 1190;
const unreliableQueueBytesMax = 256 * 1024;
const unreliableWaitingMax = 1024; // received ones that nobody has taken; later ones count as lost
const entryCost = 16; // bytes that a message takes in the queue beside its own
/** Bodies that may be sent beyond the newest one that is acknowledged. */
const aheadMax = 8192;
const reordering = 3; // later bodies whose arrival makes one count as lost

const entryKind = { unreliable: 0, chunk: 1, disconnect: 2 } as const;

/** A body that was sent and not yet acknowledged. */
interface SentBody {
  readonly sequence: number;
  readonly at: number;
  readonly chunks: readonly number[];
  isLost: boolean;
}

interface Entry {
  readonly kind: number;
  readonly lane: number;
  readonly chunk: number;
  readonly bytes: Uint8Array;
}

/** Returns the entries of a body; null if it has not the form of one. */
function entriesOf(body: Uint8Array): Entry[] | null {
  const entries: Entry[] = [];
  for (let at = headerBytes; at < body.length;) {
    if (body.length < at + 2) return null;
    const head = u16(body, at);
    const kind = (head >> 11) & 3;
    const begin = at + (kind === entryKind.chunk ? 4 : 2);
    const end = begin + (head & 0x7ff);
    if (end > body.length) return null;
    entries.push({
      kind,
      lane: head >> 13,
      chunk: kind === entryKind.chunk ? u16(body, at + 2) : 0,
      bytes: body.subarray(begin, end),
    });
    at = end;
  }
  return entries;
}

/** Returns the reason of a body that ends the session; null for other bodies. */
function readEnd(body: Uint8Array): End | null {
  if (body.length <= headerBytes || u32(body, 0) !== 0 || u32(body, 4) !== 0) return null;
  const [entry, ...more] = entriesOf(body) ?? [];
  if (entry === undefined || more.length > 0 || entry.kind !== entryKind.disconnect || entry.lane !== 0) return null;
  const reason = endReasons[entry.bytes[0] ?? 0];
  if (reason === undefined || reason === "none" || entry.bytes.length > 161) return null;
  const text = [...entry.bytes.subarray(1)].map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : "?"));
  return { reason, text: text.join("") };
}

/** Returns the body that ends a session. */
export function endBody(end: End): Uint8Array {
  const text = [...end.text.slice(0, 160)].map((each) =>
    (textOf(Uint8Array.of(each.charCodeAt(0) & 127)) ?? "?").charCodeAt(0),
  );
  const body = new Uint8Array(headerBytes + 3 + text.length);
  putU16(body, headerBytes, (1 + text.length) | (entryKind.disconnect << 11));
  body[headerBytes + 2] = endReasons.indexOf(end.reason);
  body.set(text, headerBytes + 3);
  return body;
}

export class Session {
  readonly link = new Link();
  /** Why the other side has ended the session. */
  ended: End | null = null;
  /** A message of the server was longer than it may be. */
  isBroken = false;
  /** Bodies that were accepted. */
  bodies = 0;
  /** Bytes of their entries. */
  contentBytes = 0;
  private sequence = 1; // that of the next body
  private newestAcked = 0;
  private readonly sent: SentBody[] = []; // by rising sequence
  private readonly received = new ReceivedHistory();
  private readonly receivers = [new ReliableReceiver(messageBytesMax), new ReliableReceiver(messageBytesMax)];
  private readonly control = new ReliableSender();
  private unreliableOut: Uint8Array[] = [];
  private unreliableBytes = 0; // that `unreliableOut` takes
  private unreliableIn: Uint8Array[] = [];
  private owesAck = false;
  private lastSent = -Infinity;
  private probed = 0; // newest acknowledged when headers alone began to be sent; with `isProbing`
  private isProbing = false;
  private hasNews = false; // a body has arrived since the last probe

  /** `trusted`: bodies that acknowledge what was never sent are accepted, as in a replay that sends nothing. */
  constructor(private readonly trusted = false) {}

  /** Queues a message of the control lane. Throws a Refusal with the reason "too large" or "queue full". */
  sendReliable(message: Uint8Array): void {
    this.control.send(message);
  }

  /** Queues a message of the control lane, unless the queue is full. */
  sendOptional(message: Uint8Array): void {
    if (this.control.hasRoom(message.length)) this.control.send(message);
  }

  /** Queues a message. It counts as lost if it is too large, or the queue is full. */
  sendUnreliable(message: Uint8Array): void {
    const size = this.unreliableBytes + entryCost + message.length;
    if (message.length > unreliableBytesMax || size > unreliableQueueBytesMax) return;
    this.unreliableBytes = size;
    this.unreliableOut.push(message);
  }

  /** Returns whether the server has all reliable messages that were queued. */
  isDelivered(): boolean {
    return this.control.isDelivered();
  }

  // Receiving -------------------------------------------------------------------------------------------------------

  /** Accepts a body completely, or drops it. */
  receive(body: Uint8Array, now: number): void {
    if (this.ended !== null || this.isBroken) return;
    this.ended = readEnd(body);
    if (this.ended !== null || body.length < headerBytes || body.length > bodyBytesMax) return;
    const entries = entriesOf(body);
    const sequence = u16(body, 0);
    if (entries === null || !this.isPlausible(u16(body, 2), entries) || !this.received.isNew(sequence)) return;
    if (this.exceedsRoom(entries)) return;
    this.received.note(sequence);
    this.hasNews = true;
    ++this.bodies;
    this.handleAcks(u16(body, 2), u32(body, 4), now);
    if (entries.length > 0) this.owesAck = true;
    this.contentBytes += body.length - headerBytes;
    for (const entry of entries) {
      if (entry.kind === entryKind.chunk) this.receivers[entry.lane]!.receive(entry.chunk, entry.bytes);
      else if (this.unreliableIn.length < unreliableWaitingMax) this.unreliableIn.push(entry.bytes.slice());
    }
  }

  private isPlausible(ack: number, entries: readonly Entry[]): boolean {
    const wasSent = ack === 0 || !isAfter(ack, (this.sequence - 1) & 0xffff);
    if (!wasSent && !this.trusted) return false;
    return entries.every(({ kind, lane, chunk, bytes }) => {
      if (kind === entryKind.unreliable) return lane === 0 && bytes.length <= unreliableBytesMax;
      return kind === entryKind.chunk && lane < 2 && bytes.length > 0 && this.receivers[lane]!.isPlausible(chunk);
    });
  }

  private exceedsRoom(entries: readonly Entry[]): boolean {
    return this.receivers.some((receiver, lane) => {
      const more = entries.reduce(
        (sum, each) => sum + (each.kind === entryKind.chunk && each.lane === lane ? each.bytes.length : 0),
        0,
      );
      return more > 0 && receiver.waitingBytes() + more > waitingBytesMax;
    });
  }

  private handleAcks(ack: number, bits: number, now: number): void {
    if (isAfter(ack, this.newestAcked)) this.newestAcked = ack;
    for (let i = 0; i < this.sent.length;) {
      const body = this.sent[i]!;
      const age = (ack - body.sequence) & 0xffff;
      const isAcked = age === 0 || (age <= 32 && ((bits >>> (age - 1)) & 1) === 1);
      if (!isAcked) {
        ++i;
        continue;
      }
      // A late one counts too: else a round trip that grows beyond the patience would never be measured.
      if (age === 0) this.link.onAcked(now - body.at);
      if (body.isLost) --this.link.lost;
      for (const chunk of body.chunks) this.control.onAcked(chunk);
      this.sent.splice(i, 1);
    }
    for (const body of this.sent)
      if (
        ((this.newestAcked - body.sequence) & 0xffff) < 0x8000 &&
        ((this.newestAcked - body.sequence) & 0xffff) >= reordering
      )
        this.lose(body);
  }

  private lose(body: SentBody): void {
    if (body.isLost) return;
    body.isLost = true;
    ++this.link.lost;
    for (const chunk of body.chunks) this.control.onLost(chunk);
  }

  /** Removes and returns the reliable messages that are complete: those of the control lane, then of the bulk lane. */
  drainReliable(): Uint8Array[] {
    return this.receivers.flatMap((receiver) => {
      const messages = receiver.take();
      if (messages === null) this.isBroken = true;
      return messages ?? [];
    });
  }

  /** Removes and returns the unreliable messages that have arrived. */
  drainUnreliable(): Uint8Array[] {
    const messages = this.unreliableIn;
    this.unreliableIn = [];
    return messages;
  }

  // Sending ---------------------------------------------------------------------------------------------------------

  /** Writes all bodies that are due. */
  flush(now: number, write: (body: Uint8Array) => void): void {
    for (const body of this.sent) if (now - body.at > this.link.patience()) this.lose(body);
    while (this.sent.length > 0 && now - this.sent[0]!.at > 30_000) this.sent.shift();
    this.received.beginReport();
    for (let isFirst = true; ; isFirst = false) {
      const isAhead = ((this.sequence - this.newestAcked) & 0xffff) > aheadMax;
      const chunks: number[] = [];
      const body = isAhead ? new Uint8Array(headerBytes) : this.fill(chunks);
      const isKeepAlive = isFirst && now - this.lastSent >= keepAliveInterval;
      if (body.length === headerBytes && !this.owesAck && !isKeepAlive) return;
      const ack = this.received.nextAck();
      putU16(body, 0, this.noteSent(now, chunks, isAhead));
      putU16(body, 2, ack);
      putU32(body, 4, this.received.bitsBefore(ack));
      if (this.received.isReported()) this.owesAck = false;
      this.lastSent = now;
      write(body);
    }
  }

  /** Returns a body with as many entries as fit. */
  private fill(chunks: number[]): Uint8Array {
    const body = new Uint8Array(bodyBytesMax);
    let at = headerBytes;
    for (
      let chunk = this.control.next(body.length - at - 4);
      chunk >= 0;
      chunk = this.control.next(body.length - at - 4)
    ) {
      const bytes = this.control.bytesOf(chunk);
      putU16(body, at, bytes.length | (entryKind.chunk << 11));
      putU16(body, at + 2, chunk);
      body.set(bytes, at + 4);
      at += 4 + bytes.length;
      chunks.push(chunk);
    }
    while (this.unreliableOut.length > 0 && at + 2 + this.unreliableOut[0]!.length <= body.length) {
      const message = this.unreliableOut.shift()!;
      this.unreliableBytes -= entryCost + message.length;
      putU16(body, at, message.length);
      body.set(message, at + 2);
      at += 2 + message.length;
    }
    return body.subarray(0, at);
  }

  /**
   * Notes a body as sent, and returns its sequence. Headers alone of a side that is far ahead share one, until another
   * body has arrived: an old sequence would be dropped, and its acknowledgement with it.
   */
  private noteSent(now: number, chunks: number[], isAhead: boolean): number {
    if (isAhead && this.isProbing && !this.hasNews) return this.probed;
    this.isProbing = isAhead;
    this.hasNews = false;
    this.probed = this.sequence;
    this.sequence = (this.sequence + 1) & 0xffff;
    ++this.link.sent;
    this.sent.push({ sequence: this.probed, at: now, chunks, isLost: false });
    return this.probed;
  }
}
