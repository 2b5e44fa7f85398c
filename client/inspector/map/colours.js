// A colour for each kind of entity on the map. Kinds are prototypes, owners or zones. The most frequent prototype,
// usually scenery, is grey. The others get colours in the order of their numbers, which stay while the map is open.

const palette = ['--c1', '--c2', '--c3', '--c4', '--c5', '--c6', '--c7', '--c8', '--c9'];

export class Colours {
  #by;
  #assigned = new Map();
  hidden = new Set();

  // by: 'prototype', 'owner', or 'zone', whose number is in the place of the prototype.
  constructor(by = 'prototype') {
    this.#by = by;
  }

  get by() {
    return this.#by;
  }

  set by(what) {
    this.#by = what;
    this.#assigned.clear();
    this.hidden.clear();
  }

  // How the discs of players differ: pixels more than others, and their colour, or null for that of their kind. Among the
  // scenery of their zone they would not be seen.
  get of_players() {
    return this.#by === 'zone' ? {more: 4, fill: '--ink'} : {more: 1, fill: null};
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
      const quiet = this.#by === 'owner' ? kind === 0 : this.#by === 'prototype' && this.#assigned.size === 0 && kind === commonest;
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
