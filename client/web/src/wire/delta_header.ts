// Header of a delta.
import { BitReader } from "../core/bits.js";
import { u16, u32 } from "../core/bytes.js";
import { refuse } from "../core/refusal.js";

export const flag = {
  complete: 2,
  hash: 4,
  body: 8,
  feedback: 16,
  long: 32,
  noEarly: 64,
  lostContinue: 128,
} as const;

/** State of the commands, as the server reports it. */
export interface CommandFeedback {
  readonly done: number;
  readonly held: number;
  readonly margin: number;
  /**
   * Ticks by which the commands done, done - 1, … were late; 0 for one without effect, -1 for one in its own tick.
   */
  readonly outcomes: readonly number[];
}

export interface DeltaHeader {
  readonly flags: number;
  readonly sequence: number;
  readonly tick: number;
  readonly ack: number;
  readonly feedback: CommandFeedback | null;
  readonly hashLow: number;
  readonly hashHigh: number;
  /** Number of the body that was sent before; 0 if the body follows. */
  readonly body: number;
  readonly size: number; // bytes of the header
}

/** Numbers that short ones are completed from. */
export interface KnownNumbers {
  readonly sequence: number;
  readonly tick: number;
  readonly ack: number;
  readonly longSequence: number; // newest delta with long numbers
}

export const commandsHeldMax = 64;
const listEnd = 31;

function malformed(what: string): never {
  refuse("malformed delta", what);
}

/** Returns the number with these low 16 bits that is nearest to one that is known. */
function complete(low: number, known: number): number {
  const distance = ((low - known) << 16) >> 16;
  const number = known + distance;
  if (distance === -32768 || number < 0 || number > 0xffff_ffff) malformed("a number that fits no other");
  return number;
}

const bits = new BitReader();

/** Reads outcomes. Returns them with the bytes that they take. */
function readOutcomes(bytes: Uint8Array, done: number): { outcomes: number[]; size: number } {
  bits.reset(bytes.subarray(0, 64));
  const outcomes: number[] = [];
  while (outcomes.length < commandsHeldMax) {
    const late = bits.bit() === 1 ? bits.read(5) : -1;
    if (late === listEnd) break;
    outcomes.push(late);
  }
  const padding = (8 - (bits.at % 8)) % 8;
  if (outcomes.at(-1) === -1 || outcomes.length === 0 || bits.read(padding) !== 0 || outcomes.length > done)
    malformed("outcomes out of range");
  return { outcomes, size: bits.at / 8 };
}

function readFeedback(bytes: Uint8Array, at: number): { feedback: CommandFeedback; size: number } {
  if (bytes.length < at + 6) malformed("shorter than its header");
  const done = u32(bytes, at);
  const held = bytes[at + 4]! & 127;
  const margin = (bytes[at + 5]! << 24) >> 24;
  const list = bytes[at + 4]! >= 128 ? readOutcomes(bytes.subarray(at + 6), done) : { outcomes: [], size: 0 };
  if (held > commandsHeldMax || (done === 0 && held === 0 && margin === 0)) malformed("feedback out of range");
  return { feedback: { done, held, margin, outcomes: list.outcomes }, size: 6 + list.size };
}

export function readDeltaHeader(bytes: Uint8Array, known: KnownNumbers): DeltaHeader {
  const flags = bytes[0] ?? 1;
  if ((flags & 1) !== 0) malformed("header out of range");
  const isLong = (flags & flag.long) !== 0;
  let at = isLong ? 13 : 7;
  if (bytes.length < at) malformed("shorter than its header");
  const number = (place: number, from: number): number =>
    isLong ? u32(bytes, 1 + 4 * place) : complete(u16(bytes, 1 + 2 * place), from);
  const sequence = number(0, known.sequence);
  const tick = number(1, known.tick);
  const ack = number(2, known.ack);
  if (sequence === 0 || tick === 0) malformed("header out of range");
  if (!isLong && sequence < known.longSequence)
    refuse("too late", "its short numbers are of before a delta with long ones");
  let feedback: CommandFeedback | null = null;
  if ((flags & flag.feedback) !== 0) {
    const read = readFeedback(bytes, at);
    feedback = read.feedback;
    at += read.size;
  }
  const hashAt = at;
  if ((flags & flag.hash) !== 0) at += 8;
  const bodyAt = at;
  if ((flags & flag.body) !== 0) at += 4;
  if (bytes.length < at) malformed("shorter than its header");
  const body = (flags & flag.body) !== 0 ? u32(bytes, bodyAt) : 0;
  if ((flags & flag.body) !== 0 && (body === 0 || bytes.length !== at))
    malformed("a delta whose body was sent is a header and a number");
  const has = (flags & flag.hash) !== 0;
  return {
    flags,
    sequence,
    tick,
    ack,
    feedback,
    hashLow: has ? u32(bytes, hashAt) : 0,
    hashHigh: has ? u32(bytes, hashAt + 4) : 0,
    body,
    size: at,
  };
}
