// Frames of WebSocket (RFC 6455), as far as a client needs them: binary messages, pings, the end.
import { concat, putU16, u16, u32 } from "../core/bytes.js";

export const opcode = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

const messageBytesMax = 1225;

export interface Frame {
  readonly opcode: number;
  readonly isLast: boolean;
  readonly bytes: Uint8Array;
}

/** Returns a masked frame. Its size is below 64 KiB. */
export function writeFrame(code: number, bytes: Uint8Array, mask: Uint8Array): Uint8Array {
  const extended = bytes.length > 125 ? 2 : 0;
  const frame = new Uint8Array(6 + extended + bytes.length);
  frame[0] = 0x80 | code;
  frame[1] = 0x80 | (extended > 0 ? 126 : bytes.length);
  if (extended > 0) {
    putU16(frame, 2, bytes.length);
    frame.subarray(2, 4).reverse();
  }
  frame.set(mask, 2 + extended);
  for (let i = 0; i < bytes.length; ++i) frame[6 + extended + i] = bytes[i]! ^ mask[i & 3]!;
  return frame;
}

/** Cuts a stream into frames. */
export class FrameReader {
  private waiting: Uint8Array = new Uint8Array(0);

  /** Returns the frames that are complete; null if the server breaks the protocol. */
  add(bytes: Uint8Array): Frame[] | null {
    const stream = concat(this.waiting, bytes);
    const frames: Frame[] = [];
    let at = 0;
    for (;;) {
      const short = (stream[at + 1] ?? 0) & 127;
      const begin = at + (short === 126 ? 4 : short === 127 ? 10 : 2);
      if (stream.length < begin) break;
      const isHuge = short === 127 && (u32(stream, at + 2) !== 0 || u16(stream, at + 6) !== 0);
      const size = short < 126 ? short : (stream[begin - 2]! << 8) | stream[begin - 1]!;
      // Servers do not mask, use no extensions, and send no more than a datagram.
      if ((stream[at]! & 0x70) !== 0 || stream[at + 1]! >= 128 || isHuge || size > messageBytesMax) return null;
      if (stream.length < begin + size) break;
      frames.push({ opcode: stream[at]! & 15, isLast: stream[at]! >= 128, bytes: stream.slice(begin, begin + size) });
      at = begin + size;
    }
    this.waiting = stream.slice(at);
    return frames;
  }
}
