// Reads screenshots: PNG of 8 bits per channel, without interlacing.
import { inflateSync } from "node:zlib";

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly pixels: Uint8Array;
}

function predict(kind: number, left: number, above: number, corner: number): number {
  if (kind === 1) return left;
  if (kind === 2) return above;
  if (kind === 3) return (left + above) >> 1;
  if (kind !== 4) return 0;
  const [a, b, c] = [Math.abs(above - corner), Math.abs(left - corner), Math.abs(left + above - 2 * corner)];
  return a <= b && a <= c ? left : b <= c ? above : corner;
}

export function readPng(bytes: Buffer): Picture {
  const parts: Buffer[] = [];
  for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at))
    if (bytes.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)));
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const channels = bytes[25] === 6 ? 4 : 3;
  const raw = inflateSync(Buffer.concat(parts));
  const row = width * channels;
  const pixels = new Uint8Array(row * height);
  for (let y = 0; y < height; ++y) {
    const kind = raw[y * (row + 1)]!;
    for (let i = 0; i < row; ++i) {
      const at = y * row + i;
      const left = i < channels ? 0 : pixels[at - channels]!;
      const above = y === 0 ? 0 : pixels[at - row]!;
      const corner = i < channels || y === 0 ? 0 : pixels[at - row - channels]!;
      pixels[at] = raw[y * (row + 1) + 1 + i]! + predict(kind, left, above, corner);
    }
  }
  return { width, height, channels, pixels };
}

/** Returns how many colours of 4 bits per channel each cover a thousandth of the picture, and the part of the commonest. */
export function colours({ channels, pixels }: Picture): { readonly count: number; readonly commonest: number } {
  const counts = new Map<number, number>();
  const total = pixels.length / channels;
  for (let at = 0; at < pixels.length; at += channels) {
    const colour = ((pixels[at]! >> 4) << 8) | ((pixels[at + 1]! >> 4) << 4) | (pixels[at + 2]! >> 4);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const shown = [...counts.values()].filter((count) => count >= total / 1000);
  return { count: shown.length, commonest: Math.max(...counts.values()) / total };
}
