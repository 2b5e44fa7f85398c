// Worlds of a cluster, and where they are.
import {get_all} from '../core/api.js';
import {h, setText} from '../core/dom.js';
import {count, plural} from '../core/format.js';
import {status_line} from '../parts/notice.js';
import {Table} from '../parts/table.js';
import {view_head} from '../parts/view_head.js';

export const worlds = {name: 'worlds', title: 'Worlds', mount};

const columns = [
  {key: 'name', label: 'World', sort: (row) => row.name, text: (row) => row.name},
  {key: 'state', label: 'State', sort: (row) => row.state, text: (row) => row.state},
  {key: 'node', label: 'Node', sort: (row) => row.node, text: (row) => row.node || '–'},
  {key: 'addresses', label: 'Addresses', minor: true, text: (row) => row.addresses.join(', ') || '–'},
  {key: 'epoch', label: 'Epoch', number: true, minor: true, title: 'Grows with each placement', sort: (row) => Number(row.epoch), text: (row) => row.epoch},
  {key: 'trouble', label: 'Trouble', minor: true, text: (row) => row.trouble || '–'},
];

function mount(root, page) {
  const filter = h('input', {type: 'search', placeholder: 'Name, node or state', 'aria-label': 'Filter by name, node or state',
                             'data-search': true, oninput: () => show()});
  const head = view_head('Worlds', filter);
  root.append(head.element);
  const status = status_line(root);
  const table = new Table(root, columns, {
    label: 'Worlds', key: (row) => row.name, sort: {key: 'name', down: false}, empty: 'There are no worlds, or none is like that.',
  });
  let rows = [];

  function show() {
    const text = filter.value.trim().toLowerCase();
    const found = text ? rows.filter((row) => `${row.name} ${row.node} ${row.state}`.toLowerCase().includes(text)) : rows;
    setText(head.note, `${plural(rows.length, 'world')}${text ? `, ${count(found.length)} found` : ''}`);
    table.update(found);
  }

  async function load() {
    try {
      rows = (await get_all(['worlds'], {limit: 500}, 'worlds', page.signal, 5000, 'after')).worlds;
      show();
    } catch (error) {
      if (error.name !== 'AbortError') status.show(error.message, 'error');
    }
  }

  page.every(1, load);
  load();
}
