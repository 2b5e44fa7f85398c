// A colour for each kind of entity on the map. Kinds are prototypes or owners. The most frequent kind, usually scenery,
// is grey. The others get colours in the order of their numbers, which stay while the map is open.

const palette = ['--c1', '--c2', '--c3', '--c4', '--c5', '--c6', '--c7', '--c8', '--c9'];

export class Colours {
  #by = 'prototype';
  #assigned = new Map();
  hidden = new Set();

  get by() {
    return this.#by;
  }

  set by(what) {
    this.#by = what;
    this.#assigned.clear();
    this.hidden.clear();
  }

  kind(entity) {
    return this.#by === 'owner' ? (entity.owner === 0 ? 0 : 1) : entity.prototype;
  }

  // counts: kind -> number. Kinds keep their colour.
  assign(counts) {
    const fresh = [...counts.keys()].filter((kind) => !this.#assigned.has(kind)).sort((a, b) => a - b);
    if (fresh.length === 0) return;
    const commonest = [...counts].sort((a, b) => b[1] - a[1])[0][0];
    for (const kind of fresh) {
      const quiet = this.#by === 'owner' ? kind === 0 : this.#assigned.size === 0 && fresh.includes(commonest) && kind === commonest;
      this.#assigned.set(kind, quiet ? '--quiet' : palette[this.#next()]);
    }
    if (this.#by === 'prototype' && ![...this.#assigned.values()].includes('--quiet')) this.#assigned.set(commonest, '--quiet');
  }

  name(kind) {
    return this.#assigned.get(kind) ?? '--quiet';
  }

  #next() {
    return [...this.#assigned.values()].filter((name) => name !== '--quiet').length % palette.length;
  }
}
