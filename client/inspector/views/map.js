// Map of the world from above, and what the chosen entity is.
import {get} from '../core/api.js';
import {h, setAttribute, setText} from '../core/dom.js';
import {count, plural} from '../core/format.js';
import {Colours} from '../map/colours.js';
import {MapCanvas} from '../map/map_canvas.js';
import {Legend} from '../map/legend.js';
import {Nearest} from '../map/nearest.js';
import {entity_detail} from '../parts/entity_detail.js';
import {view_head} from '../parts/view_head.js';

export const map = {name: 'map', title: 'Map', mount};

function mount(root, page) {
  new MapView(root, page);
}

class MapView {
  #page;
  #colours = new Colours();
  #detail_leaving = new AbortController();

  constructor(root, page) {
    this.#page = page;
    this.#build(root);
    page.on('route', () => this.#choose());
    this.map.start();
    this.#choose();
    page.every(1, () => this.#describe());
    this.#learn_names();
  }

  #build(root) {
    const by = h('select', {'aria-label': 'Colours by', onchange: (event) => this.#colour_by(event.target.value)},
      h('option', {value: 'prototype'}, 'Colours by prototype'), h('option', {value: 'owner'}, 'Colours by owner'));
    this.head = view_head('Map', by);
    this.map = new MapCanvas(this.#page, this.#colours, {
      choose: (entity) => this.#page.go('map', entity ? `${entity.index}.${entity.generation}` : null),
      frame: (complete) => complete && this.#count_kinds(),
      error: (message) => setText(this.head.note, message),
      fitted: () => this.#follow_chosen(),
      selected: () => this.map.entities.find(this.chosen),
    });
    this.side = h('aside', {class: 'map-side panel', 'aria-label': 'Contents of the map'});
    this.legend_place = h('div', {});
    this.detail = h('div', {class: 'content'});
    this.close = h('a', {class: 'back', href: this.#page.href('map')}, '‹ Back to the legend');
    this.side.append(this.legend_place, this.close, this.detail);
    this.legend = new Legend(this.legend_place, this.#colours, () => this.map.repaint());
    this.nearest = new Nearest(this.legend_place, this.#page);
    root.append(this.head.element, h('div', {class: 'map-split'}, this.map.element, this.side));
  }

  #count_kinds() {
    const {entities} = this.map;
    if (this.counted === entities.version) return;
    this.counted = entities.version;
    const counts = new Map();
    for (const entity of entities.by_index.values()) {
      const kind = this.#colours.kind(entity);
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    this.#colours.assign(counts);
    this.legend.update(counts);
  }

  #colour_by(what) {
    this.#colours.by = what;
    this.counted = -1;
    this.#count_kinds();
    this.map.repaint();
  }

  #choose() {
    const handle = this.#page.route.argument;
    this.map.redraw();
    if (handle === this.chosen) return;
    this.chosen = handle;
    this.#detail_leaving.abort();
    this.#detail_leaving = new AbortController();
    this.detail.replaceChildren();
    this.legend_place.hidden = handle !== null;
    this.close.hidden = handle === null;
    this.followed = false;
    if (handle === null) return;
    const signal = AbortSignal.any([this.#detail_leaving.signal, this.#page.signal]);
    entity_detail(this.detail, this.#page, handle, signal, (entity) => {
      this.chosen_position = entity.position;
      this.#follow_chosen();
    });
  }

  // Moves there once if an address or the list selects an entity outside of the picture.
  #follow_chosen() {
    if (this.followed || !this.map.fitted || !this.chosen || !this.chosen_position) return;
    this.followed = true;
    const [x, , z] = this.chosen_position;
    this.map.show(x, z);
  }

  // Updates the texts once a second.
  #describe() {
    const {entities, camera} = this.map;
    const {shown, truncated} = entities;
    const {x, z} = camera.view;
    const metres = (range) => `${Math.round(range[0])} to ${Math.round(range[1])} m`;
    this.map.empty.hidden = shown > 0 || !this.map.started;
    setText(this.head.note, `${plural(shown, 'entity', 'entities')} here, ${count(entities.moving.size)} moving${truncated ? `; there are more than the map’s limit` : ''}`);
    setAttribute(this.map.canvas, 'aria-label', `Map of the world, x ${metres(x)}, z ${metres(z)}: ${plural(shown, 'entity', 'entities')}. Arrows move, plus and minus zoom, 0 shows all; the list beside it has the entities nearest to the middle.`);
    if (!this.chosen) this.nearest.update(entities, camera, this.#colours);
  }

  async #learn_names() {
    try {
      const {prototypes} = await get(['prototypes'], {...this.#page.query, limit: 500}, this.#page.signal);
      const names = telling_names(prototypes);
      this.legend.names = names;
      this.nearest.names = names;
      this.counted = -1;
      this.#count_kinds();
    } catch {
      // A count is enough here.
    }
  }
}

// Rare components come first, because they distinguish a prototype from others.
function telling_names(prototypes) {
  const uses = new Map();
  for (const {components} of prototypes) {
    for (const name of components) uses.set(name, (uses.get(name) ?? 0) + 1);
  }
  const words = (components) => [...components].sort((a, b) => uses.get(a) - uses.get(b)).join(', ');
  return new Map(prototypes.map(({id, components}) => [id, words(components) || 'no components']));
}
