// Searchable list of entities, and the details of one.
import {get} from '../core/api.js';
import {h, setText} from '../core/dom.js';
import {count, plural, position} from '../core/format.js';
import {component_words, entity_detail} from '../parts/entity_detail.js';
import {status_line} from '../parts/notice.js';
import {split} from '../parts/split.js';
import {Table} from '../parts/table.js';
import {view_head} from '../parts/view_head.js';

const page_size = 100;
const most_pages = 40;  // consecutive empty pages before the search stops

export const entities = {name: 'entities', title: 'Entities', mount};

const columns = [
  {key: 'handle', label: 'Handle', text: (row) => row.handle},
  {key: 'label', label: 'Label', text: (row) => row.label},
  {key: 'components', label: 'Components', wide: true, text: (row) => component_words(row.components)},
  {key: 'position', label: 'Position', number: true, text: (row) => position(row.position)},
];

function mount(root, page) {
  const head = view_head('Entities');
  root.append(head.element);
  const {list, content, open} = split(root, {list_label: 'Found entities', detail_label: 'Selected entity', back: page.href('entities')});
  const filters = make_filters(list, page);
  const search = make_search(list, page, filters, head);

  function choose() {
    const handle = page.route.argument;
    const signal = open(handle !== null, page.signal);
    search.table.select(handle);
    if (handle) entity_detail(content, page, handle, signal);
    else content.append(h('p', {class: 'notice'}, 'Select an entity to see and edit its components.'));
  }

  let shown = page.route.argument;
  page.on('route', () => {
    if (filters.show(page.route.query)) search.start();
    if (page.route.argument !== shown) choose();
    shown = page.route.argument;
  });
  page.on('again', () => search.start());
  filters.on_change = () => {
    page.replace('entities', page.route.argument, filters.values());
    search.start();
  };
  filters.show(page.route.query);
  search.start();
  choose();
}

// Returns the table of found entities and a function that starts a new search.
function make_search(list, page, filters, head) {
  const status = status_line(list);
  const table = new Table(list, columns, {
    label: 'Entities', key: (row) => row.handle, href: (row) => page.href('entities', row.handle, filters.values()),
    empty: 'No entity matches.',
  });
  const more = h('button', {type: 'button', class: 'more', hidden: true, onclick: () => run(true)}, 'Search on');
  list.append(more);
  let found = [];
  let next = null;
  let request = new AbortController();

  async function run(go_on) {
    request.abort();
    request = new AbortController();
    const signal = AbortSignal.any([request.signal, page.signal]);
    if (!go_on) [found, next] = [[], null];
    more.disabled = true;
    try {
      await fill(found.length + page_size, signal);
    } catch (error) {
      if (error.name === 'AbortError') return;
      status.show(error.message, 'error');
      more.disabled = false;
    }
  }

  // A page may be empty without being the last.
  async function fill(wanted, signal) {
    for (let pages = 0; pages < most_pages; ++pages) {
      const answer = await get(['entities'], {...page.query, ...filters.values(), cursor: next, limit: page_size}, signal);
      found.push(...answer.entities);
      next = answer.next;
      setText(head.note, `${count(answer.total)} alive`);
      if (next === null || found.length >= wanted) break;
    }
    status.show('');
    table.update(found);
    table.select(page.route.argument);
    more.hidden = next === null;
    more.disabled = false;
    setText(more, `Search on (${plural(found.length, 'found', 'found')})`);
  }

  return {table, start: () => run(false)};
}

// Search text, component and prototype, kept in the address.
function make_filters(parent, page) {
  const names = {
    search: h('input', {type: 'search', placeholder: 'Handle or name', 'aria-label': 'Search by handle or name', 'data-search': true}),
    component: h('select', {'aria-label': 'Component'}, h('option', {value: ''}, 'Any component')),
    prototype: h('select', {'aria-label': 'Prototype'}, h('option', {value: ''}, 'Any prototype')),
  };
  parent.append(h('div', {class: 'filters', role: 'search'}, Object.values(names)));
  const filters = {
    on_change: () => {},
    values: () => Object.fromEntries(Object.entries(names).map(([name, element]) => [name, element.value.trim()])),
    // Returns whether that changed anything.
    show(query) {
      const before = JSON.stringify(filters.values());
      for (const [name, element] of Object.entries(names)) set_choice(element, query.get(name) ?? '');
      return JSON.stringify(filters.values()) !== before;
    },
  };
  let timer = 0;
  names.search.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => page.signal.aborted || filters.on_change(), 200);
  });
  names.component.addEventListener('change', () => filters.on_change());
  names.prototype.addEventListener('change', () => filters.on_change());
  fill_choices(names, page);
  return filters;
}

// Keeps a trailing space, which the next word follows.
function set_choice(element, value) {
  if (element.value.trim() === value) return;
  if (element.tagName === 'SELECT' && ![...element.options].some((option) => option.value === value)) element.append(h('option', {value}, value));
  element.value = value;
}

async function fill_choices({component, prototype}, page) {
  try {
    const [pools, prototypes] = await Promise.all([
      get(['pools'], {...page.query, limit: 500}, page.signal), get(['prototypes'], {...page.query, limit: 500}, page.signal)]);
    add_choices(component, pools.pools.filter((pool) => pool.schema).map(({name}) => [name, name]));
    add_choices(prototype, prototypes.prototypes.filter((each) => each.entities > 0)
      .map(({id, components}) => [String(id), `${id}: ${component_words(components)}`]));
  } catch {
    // The search reports the error.
  }
}

function add_choices(element, choices) {
  const known = new Set([...element.options].map((option) => option.value));
  element.append(...choices.filter(([value]) => !known.has(value)).map(([value, text]) => h('option', {value}, text)));
}
