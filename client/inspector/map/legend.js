// Legend: the colour of each kind of entity. A kind can be hidden.
import {h, setAttribute, setText} from '../core/dom.js';
import {count} from '../core/format.js';

export class Legend {
  names = new Map();  // prototype -> text of its components
  #colours;
  #on_change;
  #rows = new Map();
  #by = null;

  constructor(parent, colours, on_change) {
    this.#colours = colours;
    this.#on_change = on_change;
    this.list = h('ul', {class: 'map-legend'});
    parent.append(h('h2', {}, 'On the map'), this.list);
  }

  // counts: kind -> number of entities. A kind keeps its row once it has one.
  update(counts) {
    if (this.#by !== this.#colours.by) {
      this.#rows.clear();
      this.list.replaceChildren();
      this.#by = this.#colours.by;
    }
    const fresh = [...counts.keys()].filter((kind) => !this.#rows.has(kind)).sort((a, b) => a - b);
    for (const kind of fresh) this.#add(kind);
    for (const [kind, {name, number}] of this.#rows) {
      setText(name, this.#words(kind));
      setAttribute(name, 'title', name.textContent);
      setText(number, count(counts.get(kind) ?? 0));
    }
  }

  #words(kind) {
    if (this.#by === 'owner') return kind === 0 ? 'nobody’s' : 'players’';
    const name = this.names.get(kind);
    return name ? `${kind}: ${name}` : `prototype ${kind}`;
  }

  #add(kind) {
    const box = h('input', {type: 'checkbox', checked: true, onchange: () => this.#toggle(kind, box.checked)});
    const colour = h('span', {class: 'swatch', 'aria-hidden': 'true'});
    colour.style.background = `var(${this.#colours.name(kind)})`;
    const name = h('span', {class: 'name'});
    const number = h('span', {class: 'number'});
    const element = h('li', {}, h('label', {}, box, colour, name, number));
    this.#rows.set(kind, {element, name, number});
    this.list.append(element);
  }

  #toggle(kind, shown) {
    if (shown) this.#colours.hidden.delete(kind);
    else this.#colours.hidden.add(kind);
    this.#on_change();
  }
}
