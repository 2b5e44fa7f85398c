// Log of the zones of a map since the page was opened, the newest line first.
import {h} from '../core/dom.js';

const most = 30;

export class Happenings {
  #known = new Map();  // world -> {state, node, draining, crossings}

  constructor() {
    this.list = h('ol', {class: 'happenings', role: 'log', 'aria-label': 'Happenings'});
    this.element = h('section', {class: 'panel'}, h('h2', {}, 'Since this page is open'), this.list);
  }

  // Returns how many entities have arrived in the zone since the last call. Its node counts from its own start.
  note(zone) {
    const before = this.#known.get(zone.world);
    const {state, node, draining} = zone;
    const crossings = zone.figures?.zone?.crossings_in ?? null;
    const counted = crossings === null ? before?.crossings ?? null : crossings;
    this.#known.set(zone.world, {state, node, draining, crossings: counted});
    if (!before) return 0;
    if (draining && !before.draining) this.#add(`${node} drains`);
    if (state !== before.state || node !== before.node) this.#add(words(zone, before));
    if (crossings === null || before.crossings === null) return 0;
    return crossings >= before.crossings && node === before.node ? crossings - before.crossings : crossings;
  }

  #add(text) {
    const time = new Date().toTimeString().slice(0, 8);
    this.list.prepend(h('li', {}, h('time', {}, time), ` ${text}`));
    while (this.list.children.length > most) this.list.lastElementChild.remove();
  }
}

function words({name, state, node, trouble}, before) {
  if (state === 'open') return `${name} is open on ${node}`;
  if (state === 'placed') return `${name} goes to ${node}`;
  return `${name} has left ${before.node}${trouble ? `: ${trouble}` : ''}`;
}
