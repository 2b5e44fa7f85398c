// Sends the control lane: a stream that is cut into chunks. A lost chunk is sent again with its number.
import { putU32 } from "../core/bytes.js";
import { refuse } from "../core/refusal.js";

export const messageBytesMax = 4 * 1024 * 1024;
const queueBytesMax = 2 * messageBytesMax;
const windowChunks = 256;
const chunkBytesMin = 256; // unless less is queued

interface Chunk {
  readonly bytes: Uint8Array;
  state: "unsent" | "waiting" | "acked";
}

export class ReliableSender {
  private stream = new Uint8Array(1024);
  private begin = 0; // from here to `end` is unsent
  private end = 0;
  private first = 0; // number of chunks[0]
  private chunks: Chunk[] = []; // in flight
  private chunkBytes = 0; // bytes in flight

  /** Queues a message. Throws a Refusal with the reason "too large" or "queue full". */
  send(message: Uint8Array): void {
    if (message.length > messageBytesMax)
      refuse("too large", `a message has ${message.length} bytes; the limit is ${messageBytesMax}`);
    if (!this.hasRoom(message.length))
      refuse("queue full", `there is no room for ${message.length} more bytes; the limit is ${queueBytesMax}`);
    this.reserve(4 + message.length);
    putU32(this.stream, this.end, message.length);
    this.stream.set(message, this.end + 4);
    this.end += 4 + message.length;
  }

  /** Returns whether a message of `size` bytes fits into the queue, in which chunks in flight count too. */
  hasRoom(size: number): boolean {
    return this.chunkBytes + this.end - this.begin + 4 + size <= queueBytesMax;
  }

  /** Returns whether the other side has everything that was sent. */
  isDelivered(): boolean {
    return this.chunks.length === 0 && this.begin === this.end;
  }

  /** Makes room behind the end. */
  private reserve(size: number): void {
    if (this.end + size <= this.stream.length) return;
    const unsent = this.stream.subarray(this.begin, this.end);
    if (2 * (unsent.length + size) > this.stream.length) this.stream = new Uint8Array(2 * (unsent.length + size));
    this.stream.set(unsent);
    this.begin = 0;
    this.end = unsent.length;
  }

  /** Returns the number of a chunk that fits, to be sent now; -1 without one. */
  next(room: number): number {
    for (let i = 0; i < this.chunks.length; ++i)
      if (this.chunks[i]!.state === "unsent" && this.chunks[i]!.bytes.length <= room) return this.markSent(i);
    const unsent = this.end - this.begin;
    if (unsent === 0 || room < Math.min(unsent, chunkBytesMin) || this.chunks.length === windowChunks) return -1;
    const size = Math.min(room, unsent);
    this.chunks.push({ bytes: this.stream.slice(this.begin, this.begin + size), state: "unsent" });
    this.begin += size;
    this.chunkBytes += size;
    return this.markSent(this.chunks.length - 1);
  }

  /** Returns the number of a chunk that now waits for its acknowledgement. */
  private markSent(which: number): number {
    this.chunks[which]!.state = "waiting";
    return (this.first + which) & 0xffff;
  }

  bytesOf(chunk: number): Uint8Array {
    return this.chunks[(chunk - this.first) & 0xffff]!.bytes;
  }

  onAcked(chunk: number): void {
    const found = this.chunks[(chunk - this.first) & 0xffff];
    if (found !== undefined) found.state = "acked";
    while (this.chunks[0]?.state === "acked") {
      this.chunkBytes -= this.chunks.shift()!.bytes.length;
      this.first = (this.first + 1) & 0xffff;
    }
  }

  onLost(chunk: number): void {
    const found = this.chunks[(chunk - this.first) & 0xffff];
    if (found?.state === "waiting") found.state = "unsent";
  }
}
