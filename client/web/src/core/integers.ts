// Integer arithmetic that is exact where doubles alone are not. Operands are whole numbers below 2^53.

const exact = 2 ** 52;

/** Returns a * b / d, rounded down; d > 0. */
export function mulDiv(a: number, b: number, d: number): number {
  const product = a * b;
  if (product > -exact && product < exact) return Math.floor(product / d);
  return Number(floorDiv(BigInt(a) * BigInt(b), BigInt(d)));
}

/** Returns n / d, rounded to the nearest, ties up; d > 0. */
export function roundDiv(n: number, d: number): number {
  return Math.floor((2 * n + d) / (2 * d));
}

/** Returns a * b / d, rounded to the nearest, ties up; d > 0. */
export function mulRoundDiv(a: number, b: number, d: number): number {
  const product = 2 * a * b;
  if (product > -exact && product < exact) return Math.floor((product + d) / (2 * d));
  return Number(floorDiv(2n * BigInt(a) * BigInt(b) + BigInt(d), 2n * BigInt(d)));
}

function floorDiv(n: bigint, d: bigint): bigint {
  const quotient = n / d;
  return n % d < 0n ? quotient - 1n : quotient;
}

/** Returns the greatest integer whose square is not above n. */
export function root(n: number): number {
  let r = Math.floor(Math.sqrt(n));
  if (r * r > n) --r;
  else if ((r + 1) * (r + 1) <= n) ++r;
  return r;
}

export function clamp(value: number, low: number, high: number): number {
  return value < low ? low : value > high ? high : value;
}
