// Details of an entity, live, with editable properties.
import {put} from '../core/api.js';
import {h, setAttribute, setText} from '../core/dom.js';
import {bytes, count, plural, position} from '../core/format.js';
import {Facts} from './facts.js';
import {notice} from './notice.js';
import {PropertyRow} from './property_row.js';

// Fills parent until signal aborts. Calls the optional on_frame(entity) for each frame.
export function entity_detail(parent, page, handle, signal, on_frame = () => {}) {
  const waiting = notice('Waiting for the server…');
  parent.append(waiting);
  let detail = null;
  page.live.subscribe('entity', {...page.query, handle, per_second: 5}, {
    signal,
    on_frame(frame) {
      if (frame.handle !== handle) return;
      if (!detail) waiting.replaceWith(...(detail = new EntityDetail(page, handle)).elements);
      detail.update(frame);
      on_frame(frame);
    },
    on_error(error) {
      if (!error.ended) return;
      if (detail) detail.end(error.message);
      else waiting.replaceWith(notice(error.message, 'error'));
    },
  });
}

class EntityDetail {
  #page;
  #handle;
  #components = new Map();
  #tick = 0;  // tick of the last frame
  #written = -1;  // tick of the last write here

  constructor(page, handle) {
    this.#page = page;
    this.#handle = handle;
    this.title = h('h2', {class: 'mono title'}, handle);
    this.label = h('span', {class: 'entity-label'});
    this.ended = h('p', {class: 'notice error', role: 'alert', hidden: true});
    this.sections = h('div', {class: 'components'});
    const head = h('div', {class: 'detail-head'}, this.title, this.label);
    const frame = h('div', {});
    this.facts = new Facts(frame, ['Prototype', 'Position', 'Parent', 'Owner', 'Layer', 'Children']);
    this.rest = h('p', {class: 'note', hidden: true}, 'The entity exceeds the size of an answer; the rest is not shown.');
    this.elements = [head, this.ended, frame, this.sections, this.rest];
  }

  // Frames and answers to writes arrive by different connections: a frame of the same or an older tick may not contain
  // the write yet. Ticks that decrease belong to a restarted server.
  update(entity) {
    if (entity.tick < this.#tick) this.#written = -1;
    this.#tick = entity.tick;
    if (entity.tick > this.#written) this.#show(entity);
  }

  #show(entity) {
    const {facts} = this;
    const page = this.#page;
    const to_entity = (handle) => (handle ? page.href('entities', handle) : null);
    setText(this.label, entity.label);
    facts.link('Prototype', String(entity.prototype), page.href('prototypes', entity.prototype));
    facts.link('Position', position(entity.position),
      entity.position ? page.href('map', this.#handle) : null);
    facts.link('Parent', entity.parent ?? 'none', to_entity(entity.parent));
    facts.link('Owner', entity.owner ? `player ${entity.owner}` : 'nobody', entity.owner ? page.href('sessions', entity.owner) : null);
    facts.set('Layer', count(entity.layer));
    this.#show_children(entity);
    this.#show_components(entity.components);
    this.rest.hidden = !entity.truncated;
  }

  end(message) {
    this.ended.hidden = false;
    setText(this.ended, message);
    for (const control of this.sections.querySelectorAll('input, select, button')) control.disabled = true;
  }

  #show_children(entity) {
    const key = `${entity.children.join()} ${entity.children_total}`;
    if (key === this.children_shown) return;
    this.children_shown = key;
    const links = entity.children.slice(0, 20).flatMap((child) => [h('a', {href: this.#page.href('entities', child)}, child), ' ']);
    const rest = entity.children_total - Math.min(20, entity.children.length);
    this.facts.element_of('Children').replaceChildren(...links, rest > 0 ? `and ${count(rest)} more` : links.length ? '' : 'none');
  }

  #show_components(components) {
    const names = new Set(components.map((component) => component.name));
    for (const [name, {element}] of this.#components) {
      if (names.has(name)) continue;
      element.remove();
      this.#components.delete(name);
    }
    components.forEach((component, index) => {
      let kept = this.#components.get(component.name);
      if (kept && kept.rows.size !== component.properties.length) {
        kept.element.remove();
        kept = null;
      }
      if (!kept) this.#components.set(component.name, kept = this.#make_component(component));
      if (this.sections.children[index] !== kept.element) this.sections.insertBefore(kept.element, this.sections.children[index] ?? null);
      for (const property of component.properties) kept.rows.get(property.path)?.update(property);
    });
  }

  #make_component(component) {
    const write = async (path, text) => {
      const {tick, value} = await put(['entities', this.#handle, component.name, path], this.#page.query, text);
      this.#written = tick;
      return value;
    };
    const rows = new Map(component.properties.map((property) => [property.path, new PropertyRow(property, write)]));
    const type = component.type === component.name ? '' : component.type;
    const summary = h('summary', {}, h('span', {class: 'name'}, component.name), h('span', {class: 'note'}, [type, bytes(component.bytes)].filter(Boolean).join(' · ')));
    const content = rows.size > 0 ? [...rows.values()].map((row) => row.element)
      : h('p', {class: 'note'}, component.schema ? 'It has no fields.' : 'Defined in the server’s C++, without properties.');
    const element = h('details', {class: 'component', open: rows.size > 0}, summary, content);
    setAttribute(element, 'data-component', component.name);
    return {element, rows};
  }
}

export function component_words(components) {
  return components.length > 0 ? components.join(', ') : plural(0, 'component');
}
