// Reads and writes recordings of sessions; client/mobula/client/connection/recording.hpp describes the file.
import { bytesOfText, concat, putU32, textOf, u16, u32 } from "../../src/core/bytes.js";
import { hashLow, xxh3 } from "../../src/core/xxh3.js";
import { protocolVersion } from "../../src/wire/messages.js";

const kinds = [
  "begin",
  "address",
  "datagram",
  "update",
  "update_full",
  "command",
  "pipe_closed",
  "rejoin",
  "close",
  "end",
  "reconnect",
] as const;

export interface Recorded {
  readonly kind: (typeof kinds)[number];
  readonly now: number; // ms since the recording began
  readonly body: Uint8Array;
}

const tokenBytes = 2048;

/** Returns the entries of a recording. Throws if one is damaged. */
export function readRecording(file: Uint8Array): Recorded[] {
  if (textOf(file.subarray(0, 8)) !== "mobularc" || u32(file, 8) !== 1) throw new Error("not a recording");
  const entries: Recorded[] = [];
  let at = 16;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = file[at++]!;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  let checksum = 0;
  let begin = -1;
  for (let now = 0; at < file.length;) {
    const first = at;
    const kind = kinds[file[at++]!]!;
    now += varint() / 1e6;
    if (begin < 0) begin = now;
    const size = varint();
    const body = file.slice(at, at + size);
    at += size;
    xxh3(file.subarray(first, at), at - first, checksum, 0);
    if (hashLow !== u32(file, at)) throw new Error(`entry ${entries.length} is damaged`);
    checksum = hashLow;
    at += 4;
    entries.push({ kind, now: now - begin, body });
  }
  return entries;
}

/** Returns token and name out of the first entry. */
export function readBegin(body: Uint8Array): { token: Uint8Array; name: string; hasResources: boolean } {
  const at = 2 + 19 * body[1]!;
  const size = u16(body, at + tokenBytes);
  const name = textOf(body.subarray(at + tokenBytes + 4, at + tokenBytes + 4 + size))!;
  return { token: body.slice(at, at + tokenBytes), name, hasResources: body[0] === 1 };
}

const nothing = new Uint8Array(0);

/** Returns a number as groups of seven bits, the lowest first. */
function varintOf(value: number): Uint8Array {
  const bytes: number[] = [];
  for (; value >= 128; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return Uint8Array.of(...bytes, value);
}

/** Writes the recording of a connection without a name, which receives from 127.0.0.1:7777. */
export class RecordingWriter {
  private readonly parts: Uint8Array[] = [];
  private last = 0;
  private checksum = 0;

  constructor(token: Uint8Array, schema: Uint8Array, hasResources: boolean) {
    const head = new Uint8Array(16);
    head.set(bytesOfText("mobularc"));
    putU32(head, 8, 1);
    putU32(head, 12, protocolVersion);
    this.parts.push(head);
    this.add("begin", 0, concat(Uint8Array.of(hasResources ? 1 : 0, 0), token, new Uint8Array(4), schema));
    this.add("address", 0, Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 127, 0, 0, 1, 0x61, 0x1e, 0));
  }

  add(kind: Recorded["kind"], now: number, body: Uint8Array = nothing): void {
    const passed = Math.round((now - this.last) * 1e6);
    const entry = concat(Uint8Array.of(kinds.indexOf(kind)), varintOf(passed), varintOf(body.length), body);
    xxh3(entry, entry.length, this.checksum, 0);
    this.checksum = hashLow;
    const sum = new Uint8Array(4);
    putU32(sum, 0, this.checksum);
    this.parts.push(entry, sum);
    this.last = now;
  }

  /** Returns the complete file. */
  finish(): Uint8Array {
    this.add("end", this.last);
    return concat(...this.parts);
  }
}
