// Entities that are to be placed, a slice in each frame: thousands at once would stop the picture.

export class Slices<Key> {
  private readonly keys = new Set<Key>();

  get count(): number {
    return this.keys.size;
  }

  add(key: Key): void {
    this.keys.add(key);
  }

  delete(key: Key): void {
    this.keys.delete(key);
  }

  clear(): void {
    this.keys.clear();
  }

  /** Removes keys and calls `place` with each, in the order of their coming, until the time is `end`. One at least. */
  run(end: number, place: (key: Key) => void): void {
    for (const key of this.keys) {
      this.keys.delete(key);
      place(key);
      if (performance.now() >= end) return;
    }
  }
}
