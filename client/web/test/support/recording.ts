// Reads recordings of sessions; client/mobula/client/connection/recording.hpp describes the file.
import { textOf, u16, u32 } from "../../src/core/bytes.js";
import { hashLow, xxh3 } from "../../src/core/xxh3.js";

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
