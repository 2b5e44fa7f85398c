// What stands nearest to the middle of the map, as a list: for those who do not see the picture or do not point.
import {h} from '../core/dom.js';
import {Table} from '../parts/table.js';

const most = 12;

export class Nearest {
  names = new Map();

  constructor(parent, page) {
    this.section = h('section', {class: 'nearest'}, h('h2', {}, 'Nearest to the middle'));
    parent.append(this.section);
    this.table = new Table(this.section, [
      {key: 'handle', label: 'Handle', text: (row) => row.handle},
      {key: 'what', label: 'Components', text: (row) => this.names.get(row.prototype) ?? `prototype ${row.prototype}`},
      {key: 'away', label: 'Away', number: true, text: (row) => `${row.away.toFixed(0)} m`},
    ], {label: 'Nearest to the middle of the map', key: (row) => row.handle, href: (row) => page.href('map', row.handle), rest_ms: 0, empty: 'Nothing.'});
  }

  update(entities, camera, colours) {
    const near = [];
    for (const entity of entities.by_index.values()) {
      if (colours.hidden.has(colours.kind(entity))) continue;
      const away = Math.hypot(entity.x - camera.x, entity.z - camera.z);
      if (near.length === most && away >= near.at(-1).away) continue;
      near.push({handle: `${entity.index}.${entity.generation}`, prototype: entity.prototype, away});
      near.sort((a, b) => a.away - b.away);
      near.length = Math.min(near.length, most);
    }
    this.table.update(near);
  }
}
