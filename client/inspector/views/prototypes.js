// Prototypes of entities, as a tree by base.
import {get_all} from '../core/api.js';
import {h, setAttribute, setText} from '../core/dom.js';
import {count, plural} from '../core/format.js';
import {entities_below, find_node, prototype_tree} from '../parts/prototype_tree.js';
import {Facts} from '../parts/facts.js';
import {notice, status_line} from '../parts/notice.js';
import {split} from '../parts/split.js';
import {Tree} from '../parts/tree.js';
import {view_head} from '../parts/view_head.js';

export const prototypes = {name: 'prototypes', title: 'Prototypes', mount};

function mount(root, page) {
  const filter = h('input', {type: 'search', placeholder: 'With component', 'aria-label': 'Prototypes with a component', 'data-search': true,
                             oninput: () => show()});
  const head = view_head('Prototypes', filter);
  root.append(head.element);
  const {list, content, open} = split(root, {list_label: 'Prototypes', detail_label: 'Selected prototype', back: page.href('prototypes')});
  const status = status_line(list);
  list.append(h('p', {class: 'tree-head', 'aria-hidden': 'true'}, h('span', {}, 'Components, in the order of adding'), h('span', {}, 'Entities')));
  const tree = new Tree(list, {label: 'Prototypes by base', on_choose: (key) => page.go('prototypes', key)});
  let all = [];
  let detail = null;

  async function load() {
    try {
      all = (await get_all(['prototypes'], {...page.query, limit: 500}, 'prototypes', page.signal)).prototypes;
      status.show('');
      show();
    } catch (error) {
      if (error.name !== 'AbortError') status.show(error.message, 'error');
    }
  }

  function show() {
    const roots = counted(matching(prototype_tree(all), all, filter.value.trim().toLowerCase()));
    const used = all.filter((each) => each.entities > 0).length;
    setText(head.note, `${plural(all.length, 'prototype')}, of which ${count(used)} have entities`);
    tree.update(roots);
    const chosen = chosen_id();
    tree.select(chosen === null ? null : find_node(roots, chosen)?.key ?? null);
    detail?.update(all);
  }

  const chosen_id = () => (page.route.argument === null ? null : Number(page.route.argument));

  function choose() {
    const id = chosen_id();
    open(id !== null, page.signal);
    detail = id === null ? null : new PrototypeDetail(content, page, id);
    if (id === null) content.append(notice('Select a prototype to see its components.'));
    show();
  }

  page.on('route', choose);
  page.every(2, load);
  load();
  choose();
}

function counted(roots) {
  return roots.map((each) => ({...each, count: each.entities > 0 ? count(each.entities) : '', faint: each.entities === 0, children: counted(each.children)}));
}

// Returns prototypes with a matching component, and their ancestors.
function matching(roots, all, text) {
  if (!text) return roots;
  const has = new Set(all.filter(({components}) => components.some((name) => name.toLowerCase().includes(text))).map(({id}) => id));
  const keep = (nodes) => nodes.map((each) => ({...each, children: keep(each.children)}))
    .filter((each) => each.children.length > 0 || each.ids.some((id) => has.has(id)));
  return keep(roots);
}

class PrototypeDetail {
  #page;
  #id;

  constructor(parent, page, id) {
    this.#page = page;
    this.#id = id;
    this.parent = parent;
    parent.append(h('div', {class: 'detail-head'}, h('h2', {class: 'title'}, `Prototype ${id}`),
      h('div', {class: 'actions'}, h('a', {href: page.href('entities', null, {prototype: id})}, 'Show its entities'))));
    this.facts = new Facts(parent, ['Entities', 'In descendants', 'Base', 'Canonical']);
    this.list = h('ol', {class: 'chain'});
    this.others = h('p', {class: 'note'});
    parent.append(h('h3', {}, 'Components, in the order of adding'), this.list, this.others);
  }

  update(all) {
    const own = all.find((each) => each.id === this.#id);
    if (!own) {
      if (all.length > 0) this.facts.set('Entities', 'this prototype no longer exists', 'warn');
      return;
    }
    const {facts} = this;
    const to = (id) => (id === null ? null : this.#page.href('prototypes', id));
    facts.set('Entities', count(own.entities));
    facts.set('In descendants', count(entities_below(all, own.id)));
    facts.link('Base', own.base === null ? 'none' : String(own.base), to(own.base));
    facts.link('Canonical', own.canonical === null ? 'not known yet' : own.canonical === own.id ? 'itself' : String(own.canonical), own.canonical === own.id ? null : to(own.canonical));
    this.#show_components(own);
    const others = all.filter((each) => each.canonical !== null && each.canonical === own.canonical && each.id !== own.id);
    const shown = others.map(({id}) => id).join(', ');
    setText(this.others, others.length > 0 ? `The same components, added in another order: ${shown}` : '');
  }

  #show_components(own) {
    if (this.list.childElementCount > 0) return;
    this.list.append(...own.components.map((name) => h('li', {}, h('a', {href: this.#page.href('entities', null, {component: name})}, name))));
    setAttribute(this.list, 'aria-label', 'Components');
  }
}
