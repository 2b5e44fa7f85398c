// Events: what happened in a tick, as the game defines it.
import { u16, u32 } from "../core/bytes.js";
import { refuse } from "../core/refusal.js";

export const eventBatchKind = 1;
const batchBytesMax = 1190;
const eventBytesMax = 1024;

export interface WireEvent {
  readonly tick: number;
  readonly sequence: number;
  /** Entity that it is about; generation 0 if none. */
  readonly index: number;
  readonly generation: number;
  readonly bytes: Uint8Array;
}

function malformed(what: string): never {
  refuse("malformed events", what);
}

/** Decodes a batch of unreliable events. Their bytes are copies. */
export function decodeEventBatch(bytes: Uint8Array): WireEvent[] {
  if (bytes.length > batchBytesMax) malformed(`longer than ${batchBytesMax} bytes`);
  if (bytes.length <= 5 || bytes[0] !== eventBatchKind) malformed("a batch has at least one event");
  const tick = u32(bytes, 1);
  const events: WireEvent[] = [];
  for (let at = 5; at < bytes.length;) {
    if (bytes.length < at + 4) malformed("ends within an event");
    const sequence = u16(bytes, at);
    const size = u16(bytes, at + 2) & 0x7fff;
    const isAbout = bytes[at + 3]! >= 128;
    const begin = at + (isAbout ? 12 : 4);
    if (size > eventBytesMax) malformed("an event is too long");
    if (begin + size > bytes.length) malformed("ends within an event");
    const generation = isAbout ? u32(bytes, at + 8) : 0;
    if (isAbout && generation === 0) malformed("an event is about an entity of generation 0");
    if (events.length > 0 && sequence <= events.at(-1)!.sequence) malformed("events are not by ascending sequence");
    events.push({
      tick,
      sequence,
      index: isAbout ? u32(bytes, at + 4) : 0,
      generation,
      bytes: bytes.slice(begin, begin + size),
    });
    at = begin + size;
  }
  return events;
}
