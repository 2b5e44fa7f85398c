// Sessions and their network, and the details of one.
import {get_all} from '../core/api.js';
import {h, setText} from '../core/dom.js';
import {count, duration, milliseconds, percent, plural, rate} from '../core/format.js';
import {status_line} from '../parts/notice.js';
import {session_detail} from '../parts/session_detail.js';
import {split} from '../parts/split.js';
import {Table} from '../parts/table.js';
import {view_head} from '../parts/view_head.js';

const fed = 200;  // the feed contains at most this number of sessions; further ones are requested less often
const asked_seconds = 3;
const fetched_most = 5000;

export const sessions = {name: 'sessions', title: 'Sessions', mount};

const network = (row, name) => row.network?.[name] ?? null;

const columns = [
  {key: 'name', label: 'Player', sort: (row) => row.name, text: (row) => `${row.name || 'nameless'} (${row.player})`},
  {key: 'state', label: 'State', sort: (row) => row.state, text: (row) => row.state},
  {key: 'pipe', label: 'Over', minor: true, sort: (row) => row.pipe, text: (row) => row.pipe ?? ''},
  {key: 'rtt', label: 'RTT', number: true, sort: (row) => network(row, 'rtt_seconds'), text: (row) => milliseconds(network(row, 'rtt_seconds'), 1)},
  {key: 'loss', label: 'Loss', number: true, sort: (row) => network(row, 'loss'), text: (row) => percent(network(row, 'loss'))},
  {key: 'sent', label: 'Sent', number: true, sort: (row) => network(row, 'sent_bytes_per_second'), text: (row) => rate(network(row, 'sent_bytes_per_second'))},
  {key: 'budget', label: 'Budget', number: true, minor: true, title: 'Limit of rate control', sort: (row) => network(row, 'budget_bytes_per_second'), text: (row) => rate(network(row, 'budget_bytes_per_second'))},
  {key: 'received', label: 'Received', number: true, minor: true, sort: (row) => network(row, 'received_bytes_per_second'), text: (row) => rate(network(row, 'received_bytes_per_second'))},
  {key: 'since', label: 'For', number: true, minor: true, title: 'Time since it connected or was lost', sort: (row) => row.connected_seconds, text: (row) => duration(row.connected_seconds)},
];

function mount(root, page) {
  const filter = h('input', {type: 'search', placeholder: 'Name, number or state', 'aria-label': 'Filter by name, number or state',
                             'data-search': true, oninput: () => show()});
  const head = view_head('Sessions', filter);
  root.append(head.element);
  const {list, content, open} = split(root, {list_label: 'Sessions', detail_label: 'The chosen session', back: page.href('sessions')});
  const status = status_line(list);
  const table = new Table(list, columns, {
    label: 'Sessions', key: (row) => String(row.player || `${row.client_id} ${row.address}`),
    href: (row) => (row.player ? page.href('sessions', row.player) : null),
    sort: {key: 'name', down: false}, empty: 'Nobody is here, or nobody is like that.',
  });
  let rows = [];
  let total = 0;
  let is_fetching = false;

  function show() {
    const text = filter.value.trim().toLowerCase();
    const found = text ? rows.filter((row) => `${row.name} ${row.player} ${row.state} ${row.pipe}`.toLowerCase().includes(text)) : rows;
    setText(head.note, `${plural(total, 'session')}${text ? `, ${count(found.length)} found` : ''}`);
    table.update(found);
  }

  async function fetch_all() {
    if (total <= fed || is_fetching) return;
    is_fetching = true;
    try {
      const answer = await get_all(['sessions'], {...page.query, limit: 500}, 'sessions', page.signal, fetched_most);
      rows = answer.sessions;
      status.show(answer.next === null ? '' : `The first ${count(rows.length)}.`);
      show();
    } catch (error) {
      if (error.name !== 'AbortError') status.show(error.message, 'error');
    }
    is_fetching = false;
  }

  page.live.subscribe('sessions', {...page.query, per_second: 1}, {
    signal: page.signal,
    on_frame(frame) {
      total = frame.total;
      if (total > fed && rows.length === 0) fetch_all();
      if (total <= fed) rows = frame.sessions;
      show();
    },
    on_error: (error) => status.show(error.message, 'error'),
  });

  function choose() {
    const player = page.route.argument;
    const signal = open(player !== null, page.signal);
    table.select(player);
    if (player !== null) session_detail(content, page, Number(player), signal);
  }

  page.every(asked_seconds, fetch_all);
  page.on('route', choose);
  choose();
}
