// List of the entities nearest to the middle of the map, for use without seeing the picture or pointing at it. While
// the list has the focus or the pointer, its entities stay the same unless one is despawned.
import {h} from '../core/dom.js';
import {Table} from '../parts/table.js';

const most = 12;

export class Nearest {
  names = new Map();
  #listed = [];  // entities of the map

  constructor(parent, page) {
    this.section = h('section', {class: 'nearest'}, h('h2', {}, 'Nearest to the middle'));
    parent.append(this.section);
    this.table = new Table(this.section, [
      {key: 'handle', label: 'Handle', text: (row) => row.handle},
      {key: 'what', label: 'Components', text: (row) => this.names.get(row.prototype) ?? `prototype ${row.prototype}`},
      {key: 'distance', label: 'Distance', number: true, text: (row) => `${row.distance.toFixed(0)} m`},
    ], {label: 'Nearest to the middle of the map', key: (row) => row.handle, href: (row) => page.href('map', row.handle), rest_ms: 0, empty: 'Nothing.'});
  }

  update(entities, camera, colours) {
    const distance = ({x, z}) => Math.hypot(x - camera.x, z - camera.z);
    if (!this.#rests(entities)) this.#listed = nearest(entities, colours, distance);
    this.table.update(this.#listed.map((each) => ({handle: `${each.index}.${each.generation}`, prototype: each.prototype, distance: distance(each)})));
  }

  #rests(entities) {
    return this.#listed.length > 0 && this.section.matches(':hover, :focus-within')
      && this.#listed.every((each) => entities.by_index.get(each.index) === each);
  }
}

function nearest(entities, colours, distance) {
  const near = [];
  for (const entity of entities.by_index.values()) {
    if (colours.hidden.has(colours.kind(entity))) continue;
    const metres = distance(entity);
    if (near.length === most && metres >= near.at(-1).metres) continue;
    near.push({entity, metres});
    near.sort((a, b) => a.metres - b.metres);
    near.length = Math.min(near.length, most);
  }
  return near.map(({entity}) => entity);
}
