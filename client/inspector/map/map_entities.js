// Positions of entities from the map's feed. Each entity is drawn on the way from its previous to its last received
// position, unless it has jumped there. Still entities cost nothing.

export class MapEntities {
  by_index = new Map();  // index -> {index, generation, prototype, owner, x, y, z, from_x, from_z, moved_at}
  moving = new Set();
  version = 0;  // changes with everything except movement
  shown = 0;
  truncated = false;
  unread = [];  // numbers of zones, in the map of a cluster
  #old = null;  // entities to remove once the first frames of a new subscription are complete

  // now and interval are in milliseconds: a movement takes as long as the interval between frames.
  apply(frame, now, interval) {
    if (frame.reset) this.#old = new Set(this.by_index.keys());
    this.#add(frame.came, now, interval);
    this.#move(frame.moved, now, interval);
    for (const index of frame.cut) this.#jump(index);
    for (const index of frame.went) this.#remove(index);
    if (this.#old && frame.complete) {
      for (const index of this.#old) this.#remove(index);
      this.#old = null;
    }
    this.shown = frame.shown;
    this.truncated = frame.truncated;
    this.unread = frame.unread ?? [];
  }

  // Returns the entity with a handle, "INDEX.GENERATION". Null for null, and without one.
  find(handle) {
    const [index, generation] = (handle ?? '').split('.').map(Number);
    const entity = this.by_index.get(index);
    return entity?.generation === generation ? entity : null;
  }

  // Returns the drawn position in metres.
  place(entity, now, interval) {
    const way = Math.min(1, (now - entity.moved_at) / interval);
    return {x: entity.from_x + (entity.x - entity.from_x) * way, z: entity.from_z + (entity.z - entity.from_z) * way};
  }

  // Entities that have arrived are still.
  settle(now, interval) {
    for (const entity of this.moving) {
      if (now - entity.moved_at < interval * 3) continue;
      this.moving.delete(entity);
      this.version++;
    }
  }

  #add(list, now, interval) {
    for (let at = 0; at < list.length; at += 7) {
      const [index, generation, prototype, owner, x, y, z] = list.slice(at, at + 7);
      const known = this.by_index.get(index);
      this.#old?.delete(index);
      if (known?.generation === generation) {
        if (known.prototype !== prototype || known.owner !== owner) this.version++;
        Object.assign(known, {prototype, owner});
        if (known.x !== x / 100 || known.z !== z / 100) this.#move([index, x, y, z], now, interval);
        continue;
      }
      if (known) this.#remove(index);
      const place = {x: x / 100, y: y / 100, z: z / 100};
      this.by_index.set(index, {index, generation, prototype, owner, ...place, from_x: place.x, from_z: place.z, moved_at: -1e9});
      this.version++;
    }
  }

  #move(list, now, interval) {
    for (let at = 0; at < list.length; at += 4) {
      const entity = this.by_index.get(list[at]);
      if (!entity) continue;
      const {x, z} = this.place(entity, now, interval);
      entity.from_x = x;
      entity.from_z = z;
      entity.x = list[at + 1] / 100;
      entity.y = list[at + 2] / 100;
      entity.z = list[at + 3] / 100;
      entity.moved_at = now;
      if (this.moving.has(entity)) continue;
      this.moving.add(entity);
      this.version++;
    }
  }

  // Drawn at its place at once: no way leads there.
  #jump(index) {
    const entity = this.by_index.get(index);
    if (!entity) return;
    entity.from_x = entity.x;
    entity.from_z = entity.z;
  }

  #remove(index) {
    const entity = this.by_index.get(index);
    if (!entity) return;
    this.by_index.delete(index);
    this.moving.delete(entity);
    this.version++;
  }
}
