// Inputs: acknowledgements of deltas, and commands.
import { BitWriter } from "../core/bits.js";
import { concat, putU32 } from "../core/bytes.js";

export const inputBytesMax = 1190;
export const commandBytesMax = 512;
export const arrivalsMax = 64;
/** Deltas that an input can acknowledge. */
export const receivedMax = 256;
const commandsMax = 32;
const unknownArrivals = 65;

export interface InputCommand {
  readonly tick: number;
  readonly lag: number; // its tick less its view, in 1/256 of a tick
  readonly bytes: Uint8Array;
  /** Sequences of the deltas that arrived after it was given and before the next one; null if they are not known. */
  readonly arrivals: readonly number[] | null;
}

export interface Input {
  readonly ack: number;
  readonly newest: number;
  readonly words: number; // 1 to 4
  /** 1 for each delta that was received, by its distance from the newest. */
  readonly received: Uint8Array;
  readonly firstCommand: number;
  readonly commands: readonly InputCommand[];
}

/** Removes the named deltas from those that are left. Returns the skips; null if one is not acknowledged. */
function skipsOf(input: Input, arrivals: readonly number[], left: Uint8Array): number[] | null {
  const ages = arrivals.map((sequence) => input.newest - sequence).sort((a, b) => a - b);
  const skips: number[] = [];
  let at = 0;
  for (const age of ages) {
    let count = 0;
    for (; at < age && at < left.length; ++at) count += left[at]!;
    if (age < 0 || left[age] !== 1) return null;
    left[age] = 0;
    at = age + 1;
    skips.push(count);
  }
  return skips;
}

/** Returns the skips of each command, the last one first resolved; null where arrivals are not known. */
function allSkips(input: Input, commands: readonly InputCommand[]): (number[] | null)[] {
  const left = input.received.slice(0, 64 * input.words);
  const skips: (number[] | null)[] = commands.map(() => null);
  for (let i = commands.length - 1; i >= 0; --i) {
    const { arrivals } = commands[i]!;
    skips[i] = arrivals === null ? null : skipsOf(input, arrivals, left);
    if (skips[i] === null) break;
  }
  return skips;
}

const bits = new BitWriter();

function encodeCommands(input: Input, commands: readonly InputCommand[]): Uint8Array {
  const skips = allSkips(input, commands);
  const known = skips.findIndex((each) => each !== null);
  const firstKnown = known < 0 ? commands.length : known;
  bits.reset();
  commands.forEach((command, i) => {
    if (i > 0) bits.golomb(command.tick - commands[i - 1]!.tick, 0);
    bits.golomb(command.bytes.length, 4);
    bits.golomb(command.lag, 10);
    const list = skips[i];
    bits.golomb(list ? list.length : i === firstKnown - 1 ? unknownArrivals : 0, 0);
    for (const skip of list ?? []) bits.golomb(skip, 0);
  });
  const start = new Uint8Array(8);
  putU32(start, 0, input.firstCommand);
  putU32(start, 4, commands[0]!.tick);
  return concat(start, bits.view(), ...commands.map((command) => command.bytes));
}

/** Encodes an input with as many commands as fit `most` bytes. */
export function encodeInput(input: Input, most = inputBytesMax): Uint8Array {
  const start = new Uint8Array(12 + 8 * input.words);
  putU32(start, 0, input.ack);
  putU32(start, 4, input.newest);
  start[8] = input.words;
  for (let i = 0; i < 64 * input.words; ++i) if (input.received[i] === 1) start[12 + (i >> 3)]! |= 1 << (i & 7);
  for (let count = Math.min(input.commands.length, commandsMax); count > 0; --count) {
    let commands = input.commands.slice(0, count);
    let encoded = encodeCommands(input, commands);
    // A command that does not fit alone is sent without its arrivals.
    if (count === 1 && start.length + encoded.length > most) {
      commands = commands.map((command) => ({ ...command, arrivals: null }));
      encoded = encodeCommands(input, commands);
    }
    if (start.length + encoded.length > most) continue;
    start[9] = count;
    return concat(start, encoded);
  }
  return start;
}
