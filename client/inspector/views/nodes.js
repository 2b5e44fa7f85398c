// Nodes of a cluster, their load, and how to drain one.
import {get_all} from '../core/api.js';
import {h, setAttribute, setText} from '../core/dom.js';
import {count, plural} from '../core/format.js';
import {status_line} from '../parts/notice.js';
import {Table} from '../parts/table.js';
import {view_head} from '../parts/view_head.js';
import {drain} from '../parts/zone_card.js';

export const nodes = {name: 'nodes', title: 'Nodes', mount};

function columns(status) {
  return [
    {key: 'name', label: 'Node', sort: (row) => row.name, text: (row) => row.name},
    {key: 'worlds', label: 'Worlds', number: true, sort: (row) => row.worlds, text: (row) => `${count(row.worlds)} of ${count(row.worlds_max)}`},
    {key: 'players', label: 'Players', number: true, sort: (row) => row.players, text: (row) => count(row.players)},
    {key: 'load', label: 'Load', number: true, title: 'Time in ticks, as a share of the time', sort: (row) => row.tick_percent, text: (row) => `${count(row.tick_percent)}%`},
    {key: 'version', label: 'Version', minor: true, sort: (row) => row.version, text: (row) => row.version},
    {key: 'game', label: 'Game', minor: true, sort: (row) => row.game, text: (row) => row.game.slice(0, 12)},
    {key: 'admin', label: 'Inspector', minor: true, text: () => '', cell: admin_cell},
    {key: 'drain', label: 'Drain', text: () => '', cell: (td, row) => drain_cell(td, row, status)},
  ];
}

function admin_cell(td, row) {
  if (!td.firstChild) td.append(h('a', {target: '_blank'}));
  setText(td.firstChild, row.admin ? row.admin.replace('http://', '') : 'not reachable');
  setAttribute(td.firstChild, 'href', row.admin || null);
}

function drain_cell(td, row, status) {
  if (!td.firstChild) td.append(h('button', {type: 'button', onclick: () => drain(row.name, status)}));
  setText(td.firstChild, row.draining ? 'drains' : 'Drain');
  td.firstChild.disabled = row.draining;
}

function mount(root, page) {
  const head = view_head('Nodes');
  root.append(head.element);
  const status = status_line(root);
  const table = new Table(root, columns(status), {
    label: 'Nodes', key: (row) => row.name, sort: {key: 'name', down: false}, empty: 'No node has joined this cluster.',
  });

  async function load() {
    try {
      const answer = await get_all(['nodes'], {limit: 500}, 'nodes', page.signal, Infinity, 'after');
      setText(head.note, plural(answer.nodes.length, 'node'));
      table.update(answer.nodes);
    } catch (error) {
      if (error.name !== 'AbortError') status.show(error.message, 'error');
    }
  }

  page.every(1, load);
  load();
}
