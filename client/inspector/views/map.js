// Map of the world from above. Subscribes to the full world first, to learn its size, and then to the visible part with
// a margin.
import {get} from '../core/api.js';
import {h, setAttribute, setText} from '../core/dom.js';
import {themes} from '../core/theme.js';
import {count, plural} from '../core/format.js';
import {Camera} from '../map/camera.js';
import {Colours} from '../map/colours.js';
import {MapEntities} from '../map/map_entities.js';
import {Painter} from '../map/painter.js';
import {listen} from '../map/gestures.js';
import {Legend} from '../map/legend.js';
import {Nearest} from '../map/nearest.js';
import {entity_detail} from '../parts/entity_detail.js';
import {notice} from '../parts/notice.js';
import {view_head} from '../parts/view_head.js';

const interval_ms = 200;
const most = 20000;
const reach_pixels = 12;
const margin = 0.25;  // fraction of the picture that is subscribed around it

export const map = {name: 'map', title: 'Map', mount};

function mount(root, page) {
  new MapView(root, page);
}

class MapView {
  #page;
  #camera = new Camera();
  #entities = new MapEntities();
  #colours = new Colours();
  #subscribed = null;  // subscribed rectangle; null for the full world
  #area = null;  // rectangle in which all entities are known; null until then
  #fitted = false;  // the camera shows everything, or the place that the user moved to
  #last_frame = 0;
  #dirty = true;
  #detail_leaving = new AbortController();
  #calm = matchMedia('(prefers-reduced-motion: reduce)');

  constructor(root, page) {
    this.#page = page;
    this.#build(root);
    this.painter = new Painter(this.still, this.canvas);
    listen(this.canvas, this.#gestures(), page.signal);
    themes.addEventListener('change', () => this.#repaint(), {signal: page.signal});
    const observer = new ResizeObserver(() => this.#resize());
    observer.observe(this.frame);
    page.signal.addEventListener('abort', () => observer.disconnect(), {once: true});
    page.on('route', () => this.#choose());
    this.#resize();
    this.#subscribe();
    this.#choose();
    this.#animate();
    page.every(1, () => this.#describe());
    this.#learn_names();
  }

  #build(root) {
    const by = h('select', {'aria-label': 'Colours by', onchange: (event) => this.#colour_by(event.target.value)},
      h('option', {value: 'prototype'}, 'Colours by prototype'), h('option', {value: 'owner'}, 'Colours by owner'));
    this.head = view_head('Map', by);
    this.still = h('canvas', {'aria-hidden': 'true'});
    this.canvas = h('canvas', {tabindex: 0, role: 'application', 'aria-roledescription': 'map', 'aria-label': 'Map of the world',
                               'data-search': true});
    this.empty = notice('There are no entities in this part of the world.');
    this.empty.hidden = true;
    const button = (label, words, action) => h('button', {type: 'button', 'aria-label': words, title: words, onclick: action}, label);
    this.frame = h('div', {class: 'map-frame'}, this.still, this.canvas, this.empty, h('div', {class: 'map-buttons'},
      button('+', 'Zoom in', () => this.#zoom(1.5)), button('−', 'Zoom out', () => this.#zoom(1 / 1.5)),
      button('⤢', 'Show all', () => this.#fit_again())));
    this.side = h('aside', {class: 'map-side panel', 'aria-label': 'Contents of the map'});
    this.legend_place = h('div', {});
    this.detail = h('div', {class: 'content'});
    this.close = h('a', {class: 'back', href: this.#page.href('map')}, '‹ Back to the legend');
    this.side.append(this.legend_place, this.close, this.detail);
    this.legend = new Legend(this.legend_place, this.#colours, () => this.#repaint());
    this.nearest = new Nearest(this.legend_place, this.#page);
    root.append(this.head.element, h('div', {class: 'map-split'}, this.frame, this.side));
  }

  #gestures() {
    return {
      pan: (left, top) => this.#change_view(() => this.#camera.pan(left, top)),
      zoom: (factor, left, top) => this.#zoom(factor, left, top),
      choose: (left, top) => this.#choose_at(left, top),
      fit: () => this.#fit_again(),
    };
  }

  #zoom(factor, left, top) {
    this.#change_view(() => this.#camera.zoom(factor, left, top));
  }

  #change_view(change) {
    change();
    this.#fitted = true;
    this.#dirty = true;
    this.#refine_soon();
  }

  #refine_soon() {
    clearTimeout(this.refine_timer);
    this.refine_timer = setTimeout(() => this.#refine(), 150);
  }

  #subscribe() {
    this.#page.live.subscribe('map', this.#parameters(), {
      signal: this.#page.signal,
      on_frame: (frame) => this.#on_frame(frame),
      on_error: (error) => setText(this.head.note, error.message),
    });
  }

  #parameters() {
    return {...this.#page.query, per_second: 1000 / interval_ms, entities_max: most, ...this.#subscribed};
  }

  // Subscribes to another part only when the picture leaves the subscribed one, or is a small part of it; earlier if
  // that was truncated.
  #refine() {
    if (this.#page.signal.aborted || !this.#fitted) return;
    const {x, z} = this.#camera.view;
    const wide = x[1] - x[0];
    const high = z[1] - z[0];
    const area = this.#area;
    const {truncated} = this.#entities;
    const inside = area && ((!this.#subscribed && !truncated) || (area.x[0] <= x[0] && area.x[1] >= x[1] && area.z[0] <= z[0] && area.z[1] >= z[1]));
    if (inside && area.x[1] - area.x[0] < wide * (truncated ? 1.6 : 3)) return;
    this.#area = this.#subscribed = {x: [x[0] - wide * margin, x[1] + wide * margin], z: [z[0] - high * margin, z[1] + high * margin]};
    this.#page.live.refine('map', this.#parameters());
  }

  #fit_again() {
    this.#fitted = false;
    this.#area = this.#subscribed = null;
    this.#page.live.refine('map', this.#parameters());
  }

  #on_frame(frame) {
    const now = performance.now();
    this.#entities.apply(frame, now, interval_ms);
    this.#last_frame = now;
    this.#dirty = true;
    if (!this.#fitted && frame.complete) this.#fit();
    if (frame.complete) this.#count_kinds();
  }

  #fit() {
    const bounds = {x: [Infinity, -Infinity], z: [Infinity, -Infinity]};
    for (const entity of this.#entities.by_index.values()) {
      for (const axis of ['x', 'z']) {
        bounds[axis][0] = Math.min(bounds[axis][0], entity[axis]);
        bounds[axis][1] = Math.max(bounds[axis][1], entity[axis]);
      }
    }
    if (bounds.x[0] > bounds.x[1]) return;
    this.#camera.fit(bounds);
    this.#area = this.#camera.view;
    this.#fitted = true;
    this.#dirty = true;
    this.#follow_chosen();
  }

  #count_kinds() {
    if (this.counted === this.#entities.version) return;
    this.counted = this.#entities.version;
    const counts = new Map();
    for (const entity of this.#entities.by_index.values()) {
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
    this.#repaint();
  }

  #choose_at(left, top) {
    const {x, z} = this.#camera.to_world(left, top);
    const entity = this.#closest(x, z);
    this.#page.go('map', entity ? `${entity.index}.${entity.generation}` : null);
  }

  // Players' entities have a larger target for the pointer.
  #closest(x, z) {
    let found = null;
    let nearest = reach_pixels / this.#camera.scale;
    const now = performance.now();
    for (const entity of this.#entities.by_index.values()) {
      if (this.#colours.hidden.has(this.#colours.kind(entity))) continue;
      const place = this.#entities.place(entity, now, interval_ms);
      const distance = Math.hypot(place.x - x, place.z - z) * (entity.owner ? 0.6 : 1);
      if (distance >= nearest) continue;
      [found, nearest] = [entity, distance];
    }
    return found;
  }

  #choose() {
    const handle = this.#page.route.argument;
    this.#dirty = true;
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
    if (this.followed || !this.#fitted || !this.chosen || !this.chosen_position) return;
    this.followed = true;
    const [x, , z] = this.chosen_position;
    const {left, top} = this.#camera.to_pixels(x, z);
    if (left > 20 && top > 20 && left < this.#camera.width - 20 && top < this.#camera.height - 20) return;
    this.#change_view(() => Object.assign(this.#camera, {x, z}));
  }

  #chosen_entity() {
    const [index, generation] = (this.chosen ?? '').split('.').map(Number);
    const entity = this.#entities.by_index.get(index);
    return entity?.generation === generation ? entity : null;
  }

  #resize() {
    this.#camera.width = this.frame.clientWidth;
    this.#camera.height = this.frame.clientHeight;
    this.painter.resize(this.#camera.width, this.#camera.height);
    this.#dirty = true;
    this.#refine_soon();
  }

  #repaint() {
    this.painter.forget();
    this.#dirty = true;
  }

  // Paints at most 30 times a second, and only if something moves or has changed.
  #animate() {
    let painted = 0;
    const step = (now) => {
      if (this.#page.signal.aborted) return;
      requestAnimationFrame(step);
      const moves = this.#entities.moving.size > 0 && now - this.#last_frame < 2 * interval_ms && !this.#calm.matches;
      if ((!this.#dirty && !moves) || now - painted < 32) return;
      painted = now;
      this.#dirty = false;
      this.#entities.settle(now, interval_ms);
      const shown_at = this.#calm.matches ? Infinity : now;
      this.painter.paint(this.#camera, this.#entities, this.#colours, this.#chosen_entity(), shown_at, interval_ms);
    };
    requestAnimationFrame(step);
  }

  // Updates the texts once a second.
  #describe() {
    const {shown, truncated} = this.#entities;
    const {x, z} = this.#camera.view;
    const metres = (range) => `${Math.round(range[0])} to ${Math.round(range[1])} m`;
    this.empty.hidden = shown > 0 || this.#last_frame === 0;
    setText(this.head.note, `${plural(shown, 'entity', 'entities')} here, ${count(this.#entities.moving.size)} moving${truncated ? `; there are more than the map’s limit` : ''}`);
    setAttribute(this.canvas, 'aria-label', `Map of the world, x ${metres(x)}, z ${metres(z)}: ${plural(shown, 'entity', 'entities')}. Arrows move, plus and minus zoom, 0 shows all; the list beside it has the entities nearest to the middle.`);
    if (!this.chosen) this.nearest.update(this.#entities, this.#camera, this.#colours);
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
