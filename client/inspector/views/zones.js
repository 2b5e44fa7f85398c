// A world of many zones as one map: its borders, the node and the figures of each zone, and what has happened.
import {get} from '../core/api.js';
import {h, setAttribute, setText} from '../core/dom.js';
import {count, plural} from '../core/format.js';
import {Colours} from '../map/colours.js';
import {MapCanvas} from '../map/map_canvas.js';
import {ZoneBorders} from '../map/zone_borders.js';
import {Happenings} from '../parts/happenings.js';
import {notice} from '../parts/notice.js';
import {view_head} from '../parts/view_head.js';
import {ZoneCard} from '../parts/zone_card.js';

export const zones = {name: 'map', title: 'Map', mount};

function mount(root, page) {
  if (page.world === '') root.append(view_head('Map').element, notice('This cluster has no map: no world is cut into zones.'));
  else new ZonesView(root, page);
}

class ZonesView {
  #page;
  #colours = new Colours('zone');
  #borders = new ZoneBorders(this.#colours);
  #cards = [];
  #handoffs = 0;

  constructor(root, page) {
    this.#page = page;
    this.#build(root);
    page.on('route', () => this.#show_chosen());
    this.map.start();
    page.every(1, () => this.#load());
    this.#load();
  }

  #build(root) {
    this.head = view_head(`Map ${this.#page.world}`);
    this.map = new MapCanvas(this.#page, this.#colours, {
      choose: (entity, x, z) => this.#choose(entity, x, z),
      error: (message) => setText(this.head.note, message),
      selected: () => this.#selected(),
      regions: this.#borders,
    });
    this.chosen = h('p', {class: 'note', hidden: true});
    this.list = h('div', {class: 'zone-cards'});
    this.happenings = new Happenings();
    this.side = h('aside', {class: 'map-side panel', 'aria-label': 'Zones of the map'}, this.chosen, this.list);
    const left = h('div', {class: 'map-column'}, this.map.element, this.happenings.element);
    root.append(this.head.element, h('div', {class: 'map-split'}, left, this.side));
  }

  async #load() {
    let answer;
    try {
      answer = await get(['maps', this.#page.world], {}, this.#page.signal);
    } catch (error) {
      if (error.name !== 'AbortError') setText(this.head.note, error.message);
      return;
    }
    if (this.#cards.length !== answer.zones.length) this.#make_cards(answer.zones);
    answer.zones.forEach((zone, number) => {
      this.#handoffs += this.happenings.note(zone);
      this.#cards[number].update(zone);
    });
    this.#borders.update(answer.zones, zone_lines);
    this.map.redraw();
    this.#show_chosen();
    this.#describe(answer.zones);
  }

  #make_cards(list) {
    this.#colours.assign(new Map(list.map((_, number) => [number, 0])));
    this.#cards = list.map((zone, number) => new ZoneCard(zone, this.#colours.name(number)));
    this.list.replaceChildren(...this.#cards.map((each) => each.element));
    this.map.repaint();
  }

  #describe(list) {
    const sum = (name) => list.reduce((all, zone) => all + (zone.figures?.[name] ?? 0), 0);
    const ghosts = list.reduce((all, zone) => all + (zone.figures?.zone?.ghosts ?? 0), 0);
    const open = list.filter((zone) => zone.state === 'open').length;
    const {shown, unread} = this.map.entities;
    const missing = unread.map((number) => list[number]?.name).join(', ');
    setText(this.head.note, `${open} of ${plural(list.length, 'zone')} open, ${plural(sum('players'), 'player')}, `
      + `${plural(sum('entities') - ghosts, 'entity', 'entities')}, ${plural(this.#handoffs, 'handoff')} since this page is open`
      + (missing && `; not shown, as their nodes serve too many maps or do not answer: ${missing}`));
    this.map.empty.hidden = shown > 0 || !this.map.started;
    setAttribute(this.map.canvas, 'aria-label', `Map ${this.#page.world}: ${plural(shown, 'entity', 'entities')} in ${plural(list.length, 'zone')}. `
      + 'Arrows move, plus and minus zoom, 0 shows all; the list beside it has the zones.');
  }

  // An entity, or else the zone at the place.
  #choose(entity, x, z) {
    const zone = this.#borders.at(x, z);
    const name = this.#cards[zone]?.zone.name ?? null;
    this.#page.go('map', entity ? `${entity.index}.${entity.generation}` : name);
  }

  #selected() {
    return this.map.entities.find(this.#page.route.argument);
  }

  // A zone's card is marked. An entity is described, with a link to it in its node's inspector.
  #show_chosen() {
    const {argument} = this.#page.route;
    const entity = this.#selected();
    const at = entity ? entity.prototype : this.#cards.findIndex((each) => each.zone.name === argument);
    this.#cards.forEach((each, number) => each.select(number === at));
    this.chosen.hidden = !entity;
    this.map.redraw();
    if (!entity || !this.#cards[at]) return;
    const {zone} = this.#cards[at];
    const handle = `${entity.index}.${entity.generation}`;
    const owner = entity.owner === 0 ? '' : `, of player ${count(entity.owner)}`;
    const name = zone.admin ? h('a', {href: `${zone.admin}/#/entities/${handle}?world=${encodeURIComponent(zone.world)}`, target: '_blank'}, handle) : handle;
    this.chosen.replaceChildren('Entity ', name, ` in ${zone.name}${owner}, at ${entity.x.toFixed(1)}, ${entity.z.toFixed(1)}`);
  }
}

// Returns the lines below the name of a zone on the map.
function zone_lines(zone) {
  if (zone.state !== 'open') return [zone.trouble || zone.state];
  const figures = zone.figures;
  const node = `${zone.node}${zone.draining ? ', drains' : ''}`;
  return figures ? [node, `${plural(figures.players, 'player')}, load ${Math.round(figures.load * 100)}%`] : [node, 'no figures'];
}
