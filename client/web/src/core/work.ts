// Work that is done in slices, so that it never blocks a page for long.

/** Work that yields after each small piece of it, and returns its result. */
export type Work<T> = Generator<undefined, T>;

/** Returns whether a slice of work is over. Asked after each piece. */
export type IsOver = () => boolean;

/** Does all work at once. */
export function finish<T>(work: Work<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** Does work until it is done or the slice is over, at least one piece. Returns the result, null before the end. */
export function advance<T extends object>(work: Work<T>, isOver: IsOver): T | null {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    if (isOver()) return null;
  }
}
