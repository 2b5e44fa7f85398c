// Unit quaternions as their smallest three parts. m = 2^(bits - 1) - 1 is the root of 1/2.

const units = new Float64Array(4);
const exactParts = new Float64Array(4);

export const greatestPart = (bits: number): number => 2 ** (bits - 1) - 1;

/** Returns the square of the omitted part, from the words of a rotation. */
function squareLeft(words: Uint32Array, at: number, m: number): number {
  let left = 2 * m * m;
  for (let i = 1; i < 4; ++i) left -= (words[at + i]! - m) ** 2;
  return left;
}

/** Writes the rotation of these words in doubles. */
export function rotationOfWords(words: Uint32Array, at: number, bits: number, out: Float64Array): void {
  const m = greatestPart(bits);
  const unit = 1 / (m * Math.SQRT2);
  const omitted = words[at]! & 3;
  for (let i = 0, next = at + 1; i < 4; ++i)
    out[i] = (i === omitted ? Math.sqrt(Math.max(squareLeft(words, at, m), 0)) : words[next++]! - m) * unit;
}

/** Writes the words of the nearest rotation. The first of the greatest parts is omitted. */
function nearestWords(rotation: ArrayLike<number>, bits: number, words: Uint32Array, at: number): void {
  const m = greatestPart(bits);
  let squares = 0;
  for (let i = 0; i < 4; ++i) squares += rotation[i]! * rotation[i]!;
  const isRotation = squares > 1e-12 && squares < 1e12;
  const scale = (m * Math.SQRT2) / Math.sqrt(squares);
  let omitted = isRotation ? 0 : 3;
  for (let i = 0; i < 4; ++i) {
    units[i] = isRotation ? Math.floor(rotation[i]! * scale + 0.5) : 0;
    if (Math.abs(units[i]!) > Math.abs(units[omitted]!)) omitted = i;
  }
  const sign = units[omitted]! < 0 ? -1 : 1;
  words[at] = omitted;
  for (let i = 0, next = at + 1; i < 4; ++i)
    if (i !== omitted) words[next++] = Math.max(-m, Math.min(m, sign * units[i]!)) + m;
}

const again = new Uint32Array(4);

/** Returns whether these words encode to themselves. Those near a tie of the greatest parts do not. */
export function roundTrips(words: Uint32Array, at: number, bits: number): boolean {
  const m = greatestPart(bits);
  const left = squareLeft(words, at, m);
  if (left < 0) return false;
  let greatest = 0;
  for (let i = at + 1; i < at + 4; ++i) greatest = Math.max(greatest, Math.abs(words[i]! - m));
  if (left >= (greatest + 2) ** 2) return true; // greater than the others by more than any rounding error
  rotationOfWords(words, at, bits, exactParts);
  for (let i = 0; i < 4; ++i) exactParts[i] = Math.fround(exactParts[i]!);
  nearestWords(exactParts, bits, again, 0);
  for (let i = 0; i < 4; ++i) if (again[i] !== words[at + i]) return false;
  return true;
}

/** Writes the words of a rotation that encode to themselves: the greatest part moves away from a tie. */
export function rotationWords(rotation: ArrayLike<number>, bits: number, words: Uint32Array, at: number): void {
  const m = greatestPart(bits);
  nearestWords(rotation, bits, words, at);
  while (!roundTrips(words, at, bits)) {
    let greatest = at + 1;
    for (let i = at + 2; i < at + 4; ++i) if (Math.abs(words[i]! - m) > Math.abs(words[greatest]! - m)) greatest = i;
    words[greatest]! += words[greatest]! < m ? 1 : -1;
  }
}
