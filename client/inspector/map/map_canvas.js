// Picture of a map: entities from the live feed, a camera, and its gestures. Subscribes to the full world first, to learn
// its size, and then to the visible part with a margin.
import {h} from '../core/dom.js';
import {themes} from '../core/theme.js';
import {notice} from '../parts/notice.js';
import {Camera} from './camera.js';
import {listen} from './gestures.js';
import {MapEntities} from './map_entities.js';
import {Painter} from './painter.js';

const interval_ms = 200;
const most = 20000;
const reach_pixels = 12;
const margin = 0.25;  // fraction of the picture that is subscribed around it

export class MapCanvas {
  camera = new Camera();
  entities = new MapEntities();
  #page;
  #colours;
  #on;
  #subscribed = null;  // subscribed rectangle; null for the full world
  #area = null;  // rectangle in which all entities are known; null until then
  #fitted = false;  // the camera shows everything, or the place that the user moved to
  #last_frame = 0;
  #dirty = true;
  #calm = matchMedia('(prefers-reduced-motion: reduce)');

  // on: {choose(entity, x, z), frame(complete)?, error(message), fitted()?, selected(), regions?}. choose gets the entity at
  // a place, or null. selected returns the entity that is marked, or null. regions is what Painter.paint() takes.
  constructor(page, colours, on) {
    this.#page = page;
    this.#colours = colours;
    this.#on = on;
    this.#build();
    this.painter = new Painter(this.still, this.canvas);
    listen(this.canvas, this.#gestures(), page.signal);
    themes.addEventListener('change', () => this.repaint(), {signal: page.signal});
    const observer = new ResizeObserver(() => this.#resize());
    observer.observe(this.element);
    page.signal.addEventListener('abort', () => observer.disconnect(), {once: true});
  }

  // Called once the element is in the page.
  start() {
    this.#resize();
    this.#page.live.subscribe('map', this.#parameters(), {
      signal: this.#page.signal,
      on_frame: (frame) => this.#on_frame(frame),
      on_error: (error) => this.#on.error(error.message),
    });
    this.#animate();
  }

  get fitted() {
    return this.#fitted;
  }

  get started() {
    return this.#last_frame > 0;
  }

  repaint() {
    this.painter.forget();
    this.#dirty = true;
  }

  redraw() {
    this.#dirty = true;
  }

  // Moves to a place unless it is in the picture.
  show(x, z) {
    const {left, top} = this.camera.to_pixels(x, z);
    if (left > 20 && top > 20 && left < this.camera.width - 20 && top < this.camera.height - 20) return;
    this.#change_view(() => Object.assign(this.camera, {x, z}));
  }

  #build() {
    this.still = h('canvas', {'aria-hidden': 'true'});
    this.canvas = h('canvas', {tabindex: 0, role: 'application', 'aria-roledescription': 'map', 'aria-label': 'Map of the world',
                               'data-search': true});
    this.empty = notice('There are no entities in this part of the world.');
    this.empty.hidden = true;
    const button = (label, words, action) => h('button', {type: 'button', 'aria-label': words, title: words, onclick: action}, label);
    this.element = h('div', {class: 'map-frame'}, this.still, this.canvas, this.empty, h('div', {class: 'map-buttons'},
      button('+', 'Zoom in', () => this.#zoom(1.5)), button('−', 'Zoom out', () => this.#zoom(1 / 1.5)),
      button('⤢', 'Show all', () => this.#fit_again())));
  }

  #gestures() {
    return {
      pan: (left, top) => this.#change_view(() => this.camera.pan(left, top)),
      zoom: (factor, left, top) => this.#zoom(factor, left, top),
      choose: (left, top) => this.#choose_at(left, top),
      fit: () => this.#fit_again(),
    };
  }

  #zoom(factor, left, top) {
    this.#change_view(() => this.camera.zoom(factor, left, top));
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

  #parameters() {
    return {...this.#page.query, per_second: 1000 / interval_ms, entities_max: most, ...this.#subscribed};
  }

  // Subscribes to another part only when the picture leaves the subscribed one, or is a small part of it; earlier if
  // that was truncated.
  #refine() {
    if (this.#page.signal.aborted || !this.#fitted) return;
    const {x, z} = this.camera.view;
    const wide = x[1] - x[0];
    const high = z[1] - z[0];
    const area = this.#area;
    const {truncated} = this.entities;
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
    this.entities.apply(frame, now, interval_ms);
    this.#last_frame = now;
    this.#dirty = true;
    if (!this.#fitted && frame.complete) this.#fit();
    this.#on.frame?.(frame.complete);
  }

  #fit() {
    const bounds = {x: [Infinity, -Infinity], z: [Infinity, -Infinity]};
    for (const entity of this.entities.by_index.values()) {
      for (const axis of ['x', 'z']) {
        bounds[axis][0] = Math.min(bounds[axis][0], entity[axis]);
        bounds[axis][1] = Math.max(bounds[axis][1], entity[axis]);
      }
    }
    if (bounds.x[0] > bounds.x[1]) return;
    this.camera.fit(bounds);
    this.#area = this.camera.view;
    this.#fitted = true;
    this.#dirty = true;
    this.#on.fitted?.();
  }

  #choose_at(left, top) {
    const {x, z} = this.camera.to_world(left, top);
    this.#on.choose(this.#closest(x, z), x, z);
  }

  // Players' entities have a larger target for the pointer.
  #closest(x, z) {
    let found = null;
    let nearest = reach_pixels / this.camera.scale;
    const now = performance.now();
    for (const entity of this.entities.by_index.values()) {
      if (this.#colours.hidden.has(this.#colours.kind(entity))) continue;
      const place = this.entities.place(entity, now, interval_ms);
      const distance = Math.hypot(place.x - x, place.z - z) * (entity.owner ? 0.6 : 1);
      if (distance >= nearest) continue;
      [found, nearest] = [entity, distance];
    }
    return found;
  }

  #resize() {
    this.camera.width = this.element.clientWidth;
    this.camera.height = this.element.clientHeight;
    this.painter.resize(this.camera.width, this.camera.height);
    this.#dirty = true;
    this.#refine_soon();
  }

  // Paints at most 30 times a second, and only if something moves or has changed.
  #animate() {
    let painted = 0;
    const step = (now) => {
      if (this.#page.signal.aborted) return;
      requestAnimationFrame(step);
      const moves = this.entities.moving.size > 0 && now - this.#last_frame < 2 * interval_ms && !this.#calm.matches;
      if ((!this.#dirty && !moves) || now - painted < 32) return;
      painted = now;
      this.#dirty = false;
      this.entities.settle(now, interval_ms);
      const shown_at = this.#calm.matches ? Infinity : now;
      this.painter.paint(this.camera, this.entities, this.#colours, this.#on.selected(), shown_at, interval_ms, this.#on.regions);
    };
    requestAnimationFrame(step);
  }
}
