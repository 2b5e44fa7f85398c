// Packets of netcode 1.02: sealed with the keys of a token, and protected against replay.
import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
import { concat, putU64, u64 } from "../core/bytes.js";
import { versionInfo } from "./token.js";

export const packetType = {
  request: 0,
  denied: 1,
  challenge: 2,
  response: 3,
  keepAlive: 4,
  payload: 5,
  disconnect: 6,
} as const;

export const datagramBytesMax = 1225;
const macBytes = 16;
const replayWindow = 256;

/** Sizes of the bodies that a server sends, by type: least and most. */
const bodySizes: Readonly<Record<number, readonly [least: number, most: number]>> = {
  [packetType.denied]: [0, 0],
  [packetType.challenge]: [308, 308],
  [packetType.keepAlive]: [8, 8],
  [packetType.payload]: [1, 1200],
  [packetType.disconnect]: [0, 0],
};

/** Remembers which sequences have arrived, so that a packet counts once. */
export class ReplayWindow {
  private newest = -1;
  private readonly seen = new Float64Array(replayWindow).fill(-1);

  isOld(sequence: number): boolean {
    return sequence + replayWindow <= this.newest || this.seen[sequence % replayWindow]! >= sequence;
  }

  note(sequence: number): void {
    this.newest = Math.max(this.newest, sequence);
    this.seen[sequence % replayWindow] = sequence;
  }
}

/** Returns the nonce of a sequence, whose eight bytes may be of a number above 2^53. */
function nonceOf(sequence: Uint8Array): Uint8Array {
  return concat(new Uint8Array(4), sequence);
}

function associatedData(protocolId: Uint8Array, prefix: number): Uint8Array {
  return concat(versionInfo, protocolId, Uint8Array.of(prefix));
}

/** Returns the bytes that a sequence takes: 1 to 8. */
function sequenceBytes(sequence: number): number {
  let count = 1;
  for (let rest = Math.floor(sequence / 256); rest > 0; rest = Math.floor(rest / 256)) ++count;
  return count;
}

export function sealPacket(
  protocolId: Uint8Array,
  key: Uint8Array,
  type: number,
  sequence: number,
  body: Uint8Array,
): Uint8Array {
  const count = sequenceBytes(sequence);
  const prefix = type | (count << 4);
  const number = new Uint8Array(8);
  putU64(number, 0, sequence);
  const sealed = chacha20poly1305(key, nonceOf(number), associatedData(protocolId, prefix)).encrypt(body);
  return concat(Uint8Array.of(prefix), number.subarray(0, count), sealed);
}

export interface OpenedPacket {
  readonly type: number;
  readonly body: Uint8Array;
}

/** Opens a packet of a server. Returns null for one that is malformed, forged, or has been received before. */
export function openPacket(
  protocolId: Uint8Array,
  key: Uint8Array,
  datagram: Uint8Array,
  window: ReplayWindow,
): OpenedPacket | null {
  const prefix = datagram[0] ?? 0;
  const type = prefix & 15;
  const count = prefix >> 4;
  const sizes = bodySizes[type];
  const size = datagram.length - 1 - count - macBytes;
  if (sizes === undefined || count < 1 || count > 8 || size < sizes[0] || size > sizes[1]) return null;
  const number = new Uint8Array(8);
  number.set(datagram.subarray(1, 1 + count));
  // Sequences of the handshake are apart: they begin at 2^63, and are not protected against replay.
  const sequence = u64(number, 0);
  const isOfSession = type >= packetType.keepAlive;
  if (isOfSession && (!Number.isSafeInteger(sequence) || window.isOld(sequence))) return null;
  try {
    const cipher = chacha20poly1305(key, nonceOf(number), associatedData(protocolId, prefix));
    const body = cipher.decrypt(datagram.subarray(1 + count));
    if (isOfSession) window.note(sequence);
    return { type, body };
  } catch {
    return null;
  }
}

/** Returns the unencrypted packet that asks for a session. */
export function requestPacket(protocolId: Uint8Array, request: Uint8Array): Uint8Array {
  return concat(Uint8Array.of(packetType.request), versionInfo, protocolId, request);
}
