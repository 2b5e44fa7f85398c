// Receives a lane: orders its chunks and cuts the stream into messages.
import { u32 } from "../core/bytes.js";

const windowChunks = 256;

export class ReliableReceiver {
  private expected = 0;
  private readonly early = new Map<number, Uint8Array>();
  private stream = new Uint8Array(4096);
  private size = 0; // bytes of the stream that wait
  private earlyBytes = 0;

  constructor(private readonly messageBytesMax: number) {}

  isPlausible(chunk: number): boolean {
    const ahead = (chunk - this.expected) & 0xffff;
    return ahead < windowChunks || ahead >= 0x8000;
  }

  waitingBytes(): number {
    return this.size + this.earlyBytes;
  }

  /** Takes a chunk. The bytes are copied. */
  receive(chunk: number, bytes: Uint8Array): void {
    const ahead = (chunk - this.expected) & 0xffff;
    if (ahead >= windowChunks) return; // received before
    if (ahead > 0) {
      if (this.early.has(chunk)) return;
      this.early.set(chunk, bytes.slice());
      this.earlyBytes += bytes.length;
      return;
    }
    this.append(bytes);
    for (let next = this.early.get(this.expected); next !== undefined; next = this.early.get(this.expected)) {
      this.early.delete(this.expected);
      this.earlyBytes -= next.length;
      this.append(next);
    }
  }

  private append(bytes: Uint8Array): void {
    this.expected = (this.expected + 1) & 0xffff;
    if (this.size + bytes.length > this.stream.length) {
      const stream = new Uint8Array(2 * (this.size + bytes.length));
      stream.set(this.stream.subarray(0, this.size));
      this.stream = stream;
    }
    this.stream.set(bytes, this.size);
    this.size += bytes.length;
  }

  /** Returns the next complete messages; null if one is longer than it may be. */
  take(): Uint8Array[] | null {
    const messages: Uint8Array[] = [];
    let at = 0;
    while (this.size - at >= 4) {
      const size = u32(this.stream, at);
      if (size > this.messageBytesMax) return null;
      if (this.size - at - 4 < size) break;
      messages.push(this.stream.slice(at + 4, at + 4 + size));
      at += 4 + size;
    }
    this.stream.copyWithin(0, at, this.size);
    this.size -= at;
    return messages;
  }
}
