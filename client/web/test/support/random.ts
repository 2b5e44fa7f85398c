// Random numbers of a seed that a failing test prints.

/** Returns a generator of numbers from 0 to 1, without 1 (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

export const newSeed = (): number => Math.floor(Math.random() * 0x1_0000_0000);
