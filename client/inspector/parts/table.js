// A table that is updated in place: rows keep their elements, only changed cells are written, and the order stays while
// the table has the pointer or the focus. A row with an address has one link, in its first cell. Arrows, Home and End
// move between links, and Tab leaves.
import {h, setAttribute, setClass, setText} from '../core/dom.js';

const usual_rest_ms = 4000;
const most_shown = 200;
const collator = new Intl.Collator(undefined, {numeric: true, sensitivity: 'base'});

// columns: [{key, label, text(row), sort(row)?, number?, minor?, cell(td, row)?, title?}]; minor ones are omitted in
// narrow windows. options: {label, key(row), href(row)?, sort: {key, down}?, rest_ms?, empty}
export class Table {
  #columns;
  #options;
  #rows = new Map();  // key -> {element, cells, link, row}
  #order = [];
  #ordered_at = 0;
  #all = [];
  #shown = most_shown;
  #selected = null;
  #sort;

  constructor(parent, columns, options) {
    this.#columns = columns;
    this.#options = options;
    this.#sort = options.sort ?? null;
    this.heads = columns.map((column) => this.#head(column));
    this.body = h('tbody', {role: 'rowgroup'});
    this.table = h('table', {class: 'table', role: 'table', 'aria-label': options.label},
      h('thead', {role: 'rowgroup'}, h('tr', {role: 'row'}, this.heads)), this.body);
    this.empty = h('p', {class: 'notice empty', hidden: true}, options.empty ?? 'Nothing here.');
    this.more = h('button', {class: 'more', type: 'button', hidden: true, onclick: () => this.#show_more()});
    this.frame = h('div', {class: 'table-frame'}, this.#sorter(), this.table, this.empty, this.more);
    this.body.addEventListener('keydown', (event) => this.#keys(event));
    this.body.addEventListener('click', (event) => this.#click(event));
    parent.append(this.frame);
    this.#show_sort();
  }

  update(rows) {
    this.#all = rows;
    this.#arrange(false);
  }

  select(key) {
    this.#selected = key;
    for (const [each, {element, link}] of this.#rows) this.#show_selected(each, element, link);
  }

  focus() {
    this.body.querySelector('a[tabindex="0"]')?.focus();
  }

  #head(column) {
    const content = column.sort
      ? h('button', {type: 'button', onclick: () => this.#sort_by(column.key)}, column.label,
          h('span', {class: 'arrow', 'aria-hidden': 'true'}))
      : column.label;
    return h('th', {scope: 'col', role: 'columnheader', title: column.title ?? null,
                    class: classes(column)}, content);
  }

  // Without heads, when rows are cards, a list offers the same choices.
  #sorter() {
    const choices = this.#columns.filter((column) => column.sort);
    if (choices.length === 0) return null;
    this.choice = h('select', {onchange: (event) => this.#sort_by(event.target.value, false)},
      choices.map((column) => h('option', {value: column.key}, column.label)));
    return h('label', {class: 'sorter'}, 'Sort by', this.choice);
  }

  #sort_by(key, turn = true) {
    const column = this.#columns.find((each) => each.key === key);
    const same = turn && this.#sort?.key === key;
    this.#sort = {key, down: same ? !this.#sort.down : Boolean(column.number)};
    this.#show_sort();
    this.#arrange(true);
  }

  #show_sort() {
    this.#columns.forEach((column, index) => {
      const active = this.#sort?.key === column.key;
      if (!column.sort) return;
      setAttribute(this.heads[index], 'aria-sort', !active ? null : this.#sort.down ? 'descending' : 'ascending');
    });
    if (this.choice && this.#sort) this.choice.value = this.#sort.key;
  }

  #show_more() {
    this.#shown += most_shown;
    this.#arrange(true);
  }

  #arrange(now) {
    const {key} = this.#options;
    const focused = document.activeElement;
    const at = this.#links().indexOf(focused);
    const by_key = new Map(this.#all.map((row) => [key(row), row]));
    const same = by_key.size === this.#order.length && this.#order.every((each) => by_key.has(each));
    const resting = this.table.matches(':hover, :focus-within') || Date.now() - this.#ordered_at < (this.#options.rest_ms ?? usual_rest_ms);
    if (now || !same || !resting) this.#order = this.#sorted().map(key);
    if (now || !same || !resting) this.#ordered_at = Date.now();
    const shown = this.#order.slice(0, this.#shown);
    this.#drop_all_but(new Set(shown));
    let next = this.body.firstElementChild;
    for (const each of shown) {
      const element = this.#write(each, by_key.get(each));
      if (element === next) next = next.nextElementSibling;
      else this.body.insertBefore(element, next);
    }
    this.#keep_one_tab_stop();
    if (at >= 0) this.#keep_focus(focused, at);
    this.empty.hidden = this.#all.length > 0;
    this.table.hidden = this.#all.length === 0;
    this.more.hidden = this.#order.length <= shown.length;
    setText(this.more, `Show more (${shown.length} of ${this.#order.length})`);
  }

  #sorted() {
    if (!this.#sort) return this.#all;
    const {sort} = this.#columns.find((column) => column.key === this.#sort.key);
    const sign = this.#sort.down ? -1 : 1;
    const keyed = this.#all.map((row, index) => ({row, index, value: sort(row)}));
    keyed.sort((a, b) => compare(a.value, b.value, sign) || a.index - b.index);
    return keyed.map(({row}) => row);
  }

  #drop_all_but(keys) {
    for (const [key, {element}] of this.#rows) {
      if (keys.has(key)) continue;
      element.remove();
      this.#rows.delete(key);
    }
  }

  #write(key, row) {
    let kept = this.#rows.get(key);
    if (!kept) this.#rows.set(key, kept = this.#make(key, row));
    kept.row = row;
    if (kept.link) setAttribute(kept.link, 'href', this.#options.href(row));
    this.#columns.forEach((column, index) => {
      const cell = kept.cells[index];
      if (column.cell) column.cell(cell, row);
      else setText(index === 0 && kept.link ? kept.link : cell, column.text(row));
    });
    return kept.element;
  }

  #make(key, row) {
    const link = this.#options.href?.(row) ? h('a', {tabindex: -1}) : null;
    const cells = this.#columns.map((column, index) =>
      h('td', {role: 'cell', class: classes(column), 'data-label': column.label}, index === 0 ? link : null));
    const element = h('tr', {role: 'row', class: link ? 'opens' : null}, cells);
    this.#show_selected(key, element, link);
    return {element, cells, link, row};
  }

  #show_selected(key, element, link) {
    setClass(element, 'selected', key === this.#selected);
    if (link) setAttribute(link, 'aria-current', key === this.#selected ? 'true' : null);
  }

  #links() {
    return [...this.body.querySelectorAll('tr > :first-child > a')];
  }

  #keep_one_tab_stop() {
    const current = this.body.querySelector('a[tabindex="0"]');
    if (!current) this.body.querySelector('a')?.setAttribute('tabindex', '0');
  }

  // A moved row has lost the focus. If the row was removed, the row in its place gets the focus.
  #keep_focus(link, at) {
    if (link === document.activeElement) return;
    const links = this.#links();
    this.#go_to(link.isConnected ? link : links[Math.min(at, links.length - 1)]);
  }

  #go_to(link) {
    this.body.querySelector('a[tabindex="0"]')?.setAttribute('tabindex', '-1');
    link?.setAttribute('tabindex', '0');
    link?.focus();
  }

  #keys(event) {
    const links = this.#links();
    const at = links.indexOf(document.activeElement);
    if (at < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    const to = {ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + 10, PageUp: at - 10, Home: 0, End: Infinity}[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.#go_to(links[Math.max(0, Math.min(links.length - 1, to))]);
  }

  // A mouse click anywhere in the row follows the link.
  #click(event) {
    if (event.target.closest('a, button, input, select')) return;
    if (String(getSelection())) return;
    event.target.closest('tr')?.querySelector('a')?.click();
  }
}

function classes({number, minor, wide}) {
  return [number && 'number', minor && 'minor', wide && 'wide'].filter(Boolean).join(' ') || null;
}

// Missing values come last in both directions.
function compare(a, b, sign) {
  const none = (value) => value === null || value === undefined || value === '';
  if (none(a) || none(b)) return none(a) - none(b);
  return sign * (typeof a === 'string' ? collator.compare(a, b) : a - b);
}
