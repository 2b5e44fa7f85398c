// Names and values, side by side. Values are updated in place.
import {h, setAttribute, setClass, setText} from '../core/dom.js';

export class Facts {
  #values = new Map();

  constructor(parent, names, kind = 'facts') {
    this.element = h('dl', {class: kind});
    for (const name of names) {
      const value = h('dd', {}, '–');
      this.#values.set(name, value);
      this.element.append(h('div', {}, h('dt', {}, name), value));
    }
    parent.append(this.element);
  }

  set(name, text, state = null) {
    const value = this.#values.get(name);
    setText(value, text);
    setAttribute(value, 'data-state', state);
    setClass(value.parentElement, 'long', text.length > 40);
  }

  // Adds a second line, in small letters.
  add(name, text) {
    const value = this.#values.get(name);
    if (!value.nextElementSibling) value.after(h('dd', {class: 'small'}));
    setText(value.nextElementSibling, text);
  }

  // Sets a link as the value, or text without a target.
  link(name, text, href) {
    const value = this.#values.get(name);
    if (!href) return this.set(name, text);
    if (value.firstElementChild?.tagName !== 'A') value.replaceChildren(h('a', {}));
    setText(value.firstElementChild, text);
    setAttribute(value.firstElementChild, 'href', href);
  }

  element_of(name) {
    return this.#values.get(name);
  }
}
