// A zone of a map: its node, its figures, and how to drain that node.
import {post} from '../core/api.js';
import {h, setAttribute, setClass, setText} from '../core/dom.js';
import {count, percent, plural} from '../core/format.js';
import {ask_whether} from './dialog.js';
import {status_line} from './notice.js';

export class ZoneCard {
  constructor(zone, colour) {
    this.zone = zone;
    const swatch = h('span', {class: 'swatch', 'aria-hidden': 'true'});
    swatch.style.background = `var(${colour})`;
    this.state = h('span', {class: 'state'});
    this.element = h('section', {class: 'zone-card', 'aria-label': `Zone ${zone.name}`},
      h('h2', {}, swatch, h('span', {class: 'name'}, zone.name), this.state));
    this.lines = [0, 1, 2, 3].map(() => h('p', {class: 'note'}));
    this.element.append(...this.lines);
    this.drain = h('button', {type: 'button', onclick: () => this.#drain()});
    this.inspect = h('a', {target: '_blank'}, 'Inspector of the node');
    this.element.append(h('div', {class: 'row'}, this.drain, this.inspect));
    this.status = status_line(this.element);
  }

  update(zone) {
    this.zone = zone;
    const {figures} = zone;
    const open = zone.state === 'open';
    setText(this.state, zone.merged ? 'merged' : open ? (zone.draining ? 'drains' : 'open') : zone.state);
    setAttribute(this.state, 'data-state', open && !zone.draining ? 'good' : 'warn');
    card_lines(zone).forEach((line, at) => setText(this.lines[at], line));
    setAttribute(this.lines[3], 'data-state', figures?.zone?.differences > 0 ? 'bad' : null);
    this.drain.hidden = !zone.node;
    this.drain.disabled = zone.draining;
    setText(this.drain, `Drain ${zone.node}`);
    this.inspect.hidden = !zone.admin;
    setAttribute(this.inspect, 'href', zone.admin ? `${zone.admin}/#/map?world=${encodeURIComponent(zone.world)}` : null);
    if (zone.trouble) this.status.show(zone.trouble, 'error');
    else if (this.status_of !== '') this.status.show('');
    this.status_of = zone.trouble;
  }

  select(chosen) {
    setClass(this.element, 'chosen', chosen);
    if (chosen && !this.chosen) this.element.scrollIntoView({block: 'nearest'});
    this.chosen = chosen;
  }

  async #drain() {
    const {node} = this.zone;
    await drain(node, this.status);
  }
}

function card_lines({node, state, figures}) {
  if (!figures) return [node || 'on no node', state === 'open' ? 'its node gives no figures' : '', '', ''];
  const ghosts = figures.zone?.ghosts ?? 0;
  return [`${node}, load ${percent(figures.load, 0)}, ${plural(figures.players, 'player')}`,
          `${plural(figures.entities - ghosts, 'entity', 'entities')}, ${plural(ghosts, 'ghost')}`,
          `handoffs: ${count(figures.zone?.crossings_in)} in, ${count(figures.zone?.crossings_out)} out`,
          `${count(figures.zone?.differences)} of ${plural(figures.zone?.checks, 'check differs', 'checks differ')}`];
}

// Drains a node once the user has confirmed it. The outcome is shown in a status line.
export async function drain(node, status) {
  const text = 'It saves and closes its worlds, and takes no more. Other nodes open them. This lasts until its process ends.';
  if (!await ask_whether({title: `Drain ${node}`, text, action: 'Drain', danger: true})) return;
  try {
    await post(['nodes', node, 'drain'], {}, {});
    status.show(`${node} drains`, 'good');
  } catch (error) {
    status.show(error.message, 'error');
  }
}
