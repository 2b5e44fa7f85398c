// Ranges, steps and bits of fields, from the attributes of a schema.
import { type Attributes, badSchema } from "./declarations.js";

export interface Quantisation {
  /** Whether the value is sent as a whole number from `low` on. */
  readonly ranged: boolean;
  readonly low: number;
  readonly step: number;
  /** The greatest number that is sent. */
  readonly steps: number;
  /** Bits of that number; of each of the smallest three for a rotation; 0 if the value itself is sent. */
  readonly bits: number;
}

export const unquantised: Quantisation = { ranged: false, low: 0, step: 0, steps: 0, bits: 0 };

/** Returns the number of bits of a whole number below 2^53. */
export function bitWidth(n: number): number {
  return n >= 0x1_0000_0000 ? 32 + bitWidth(Math.floor(n / 0x1_0000_0000)) : 32 - Math.clz32(n);
}

export function wholeSteps(low: number, steps: number): Quantisation {
  return { ranged: true, low, step: 1, steps, bits: bitWidth(steps) };
}

function numberOf(text: string | undefined, path: string): number {
  const value = Number(text);
  if (text === undefined || text.trim() === "" || !Number.isFinite(value))
    badSchema(`${path}: "${text}" is not a number`);
  return value;
}

function rangeOf(text: string, path: string): [number, number] {
  const words = text.split(" ").filter((word) => word !== "");
  const low = numberOf(words[0], path);
  const high = numberOf(words[1], path);
  if (words.length !== 2 || low >= high) badSchema(`${path}: a range is two numbers, the lower first`);
  return [low, high];
}

export function quantiseInteger(attributes: Attributes, isSigned: boolean, path: string): Quantisation {
  const range = attributes.get("range");
  const bits = attributes.get("bits");
  if (range === undefined && bits === undefined) return unquantised;
  if (range !== undefined) {
    const [low, high] = rangeOf(range, path);
    if (!Number.isSafeInteger(low) || !Number.isSafeInteger(high) || high - low > 2 ** 53)
      badSchema(`${path}: range "${range}"`);
    return wholeSteps(low, high - low);
  }
  const width = numberOf(bits, path);
  if (!Number.isInteger(width) || width < 1 || width > 53) badSchema(`${path}: bits are 1 to 53`);
  return wholeSteps(isSigned ? -(2 ** (width - 1)) : 0, 2 ** width - 1);
}

export function quantiseReal(attributes: Attributes, path: string): Quantisation {
  const { range, step, bits } = Object.fromEntries(attributes) as Record<string, string | undefined>;
  if (range === undefined && step === undefined && bits === undefined) return unquantised;
  if (range === undefined || (step === undefined) === (bits === undefined))
    badSchema(`${path}: a float has a range and either a step or bits`);
  const [low, high] = rangeOf(range, path);
  const steps = step !== undefined ? Math.round((high - low) / numberOf(step, path)) : 2 ** numberOf(bits, path) - 1;
  if (!(steps >= 1 && steps <= 0xffff_ffff) || !Number.isInteger(steps))
    badSchema(`${path}: a range is 1 to 2^32 - 1 steps`);
  return {
    ranged: true,
    low,
    step: step !== undefined ? numberOf(step, path) : (high - low) / steps,
    steps,
    bits: bitWidth(steps),
  };
}

export function quantiseRotation(attributes: Attributes, path: string): Quantisation {
  const text = attributes.get("bits");
  if (text === undefined) return unquantised;
  const bits = numberOf(text, path);
  if (!Number.isInteger(bits) || bits < 2 || bits > 16) badSchema(`${path}: bits of a rotation are 2 to 16`);
  return { ...unquantised, bits };
}

/** The parts of a rotation that are sent are within a square root of a half. */
const rotationWidth = Math.SQRT2;

export function toleranceOf(text: string, { ranged, step, steps }: Quantisation, path: string): number {
  const tolerance = numberOf(text, path);
  const greatest = ranged ? step * (steps + 1e-6) : rotationWidth; // a range is a whole number of steps, but for rounding
  if (tolerance <= 0 || tolerance > greatest) badSchema(`${path}: a tolerance is above zero and within the range`);
  return tolerance;
}
