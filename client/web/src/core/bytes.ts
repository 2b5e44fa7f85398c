// Bytes: little-endian numbers, hex, comparison.

export function u16(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8);
}

export function u32(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
}

export function putU16(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value;
  bytes[at + 1] = value >>> 8;
}

export function putU32(bytes: Uint8Array, at: number, value: number): void {
  putU16(bytes, at, value);
  putU16(bytes, at + 2, value >>> 16);
}

/** Returns whole numbers below 2^53 exactly; greater ones to the nearest that a number can hold. */
export function u64(bytes: Uint8Array, at: number): number {
  return u32(bytes, at) + u32(bytes, at + 4) * 0x1_0000_0000;
}

export function putU64(bytes: Uint8Array, at: number, value: number): void {
  putU32(bytes, at, value % 0x1_0000_0000);
  putU32(bytes, at + 4, Math.floor(value / 0x1_0000_0000));
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; ++i) if (a[i] !== b[i]) return false;
  return true;
}

export function concat(...parts: Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

export function toHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += (byte + 256).toString(16).slice(1);
  return text;
}

/** The text is hex digits of this program's own: it is not checked. */
export function fromHex(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = parseInt(text.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

export function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** Returns the eight hex digits of a 32-bit number, such as a component type that has no name here. */
export function hex32(value: number): string {
  return value.toString(16).padStart(8, "0");
}

const utf8 = new TextDecoder("utf-8", { fatal: true });
const encoder = new TextEncoder();

/** Returns null for bytes that are not UTF-8. */
export function textOf(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

export function bytesOfText(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Returns whether a text has no control characters, and none that change the direction or the line. */
export function isPrintable(text: string): boolean {
  return !/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/.test(text);
}
