// An ARIA tree: one tab stop; arrows move, open and close; Enter selects. Updated in place.
import {h, setAttribute, setClass, setText} from '../core/dom.js';

// Nodes: {key, label, count, faint, children: [node]}. options: {label, on_choose(key)}
export class Tree {
  #options;
  #items = new Map();  // key -> {element, row, label, count, group}
  #closed = new Set();
  #selected = null;
  #current = null;

  constructor(parent, options) {
    this.#options = options;
    this.element = h('ul', {class: 'tree', role: 'tree', 'aria-label': options.label});
    this.element.addEventListener('keydown', (event) => this.#keys(event));
    this.element.addEventListener('click', (event) => this.#click(event));
    parent.append(this.element);
  }

  update(roots) {
    const focused = this.element.contains(document.activeElement);
    const kept = new Set();
    this.#fill(this.element, roots, 1, kept);
    for (const key of this.#items.keys()) {
      if (!kept.has(key)) this.#items.delete(key);
    }
    if (!this.#items.has(this.#current)) this.#move_to(roots[0]?.key ?? null, false);
    // An item that was moved or removed has lost the focus.
    if (focused && !this.element.contains(document.activeElement)) this.#move_to(this.#current, true);
  }

  select(key) {
    this.#selected = key;
    for (const [each, {element}] of this.#items) setAttribute(element, 'aria-selected', String(each === key));
    if (this.#items.has(key)) this.#move_to(key, false);
  }

  #fill(list, nodes, level, kept) {
    const elements = nodes.map((node) => this.#write(node, level, kept));
    elements.forEach((element, index) => {
      if (list.children[index] !== element) list.insertBefore(element, list.children[index] ?? null);
    });
    while (list.children.length > elements.length) list.lastElementChild.remove();
  }

  #write(node, level, kept) {
    kept.add(node.key);
    let item = this.#items.get(node.key);
    if (!item) this.#items.set(node.key, item = this.#make(node.key, level));
    setText(item.label, node.label);
    setText(item.count, node.count);
    setClass(item.row, 'faint', node.faint);
    setAttribute(item.element, 'aria-level', level);
    const open = !this.#closed.has(node.key);
    setAttribute(item.element, 'aria-expanded', node.children.length > 0 ? String(open) : null);
    item.group.hidden = node.children.length === 0 || !open;
    this.#fill(item.group, node.children, level + 1, kept);
    return item.element;
  }

  #make(key) {
    const label = h('span', {class: 'label'});
    const count = h('span', {class: 'count'});
    const row = h('div', {class: 'row'}, h('span', {class: 'twisty', 'aria-hidden': 'true'}), label, count);
    const group = h('ul', {role: 'group'});
    const element = h('li', {role: 'treeitem', tabindex: -1, 'data-key': key,
                             'aria-selected': String(key === this.#selected)}, row, group);
    return {element, row, label, count, group};
  }

  #move_to(key, focus) {
    this.#items.get(this.#current)?.element.setAttribute('tabindex', '-1');
    this.#current = key;
    const element = this.#items.get(key)?.element;
    element?.setAttribute('tabindex', '0');
    if (focus) element?.focus();
  }

  #set_open(key, open) {
    const {element, group} = this.#items.get(key);
    if (!element.hasAttribute('aria-expanded')) return;
    if (open) this.#closed.delete(key);
    else this.#closed.add(key);
    setAttribute(element, 'aria-expanded', String(open));
    group.hidden = !open;
  }

  #visible() {
    return [...this.element.querySelectorAll('[role=treeitem]')].filter((each) => !each.closest('ul[hidden]'));
  }

  #click(event) {
    const element = event.target.closest('[role=treeitem]');
    if (!element) return;
    const {key} = element.dataset;
    this.#move_to(key, true);
    if (event.target.closest('.twisty')) this.#set_open(key, element.getAttribute('aria-expanded') !== 'true');
    else this.#options.on_choose(key);
  }

  #keys(event) {
    const element = event.target.closest('[role=treeitem]');
    if (!element || event.altKey || event.ctrlKey || event.metaKey) return;
    const action = this.#action(event.key, element);
    if (!action) return;
    event.preventDefault();
    action();
  }

  #action(key, element) {
    const all = this.#visible();
    const at = all.indexOf(element);
    const go = (to) => () => to && this.#move_to(to.dataset.key, true);
    const open = element.getAttribute('aria-expanded');
    switch (key) {
      case 'ArrowDown': return go(all[at + 1]);
      case 'ArrowUp': return go(all[at - 1]);
      case 'Home': return go(all[0]);
      case 'End': return go(all.at(-1));
      case 'ArrowRight': return open === 'false' ? () => this.#set_open(element.dataset.key, true) : open ? go(all[at + 1]) : null;
      case 'ArrowLeft': return open === 'true' ? () => this.#set_open(element.dataset.key, false)
        : go(element.parentElement.closest('[role=treeitem]'));
      case 'Enter': case ' ': return () => this.#options.on_choose(element.dataset.key);
      default: return null;
    }
  }
}
