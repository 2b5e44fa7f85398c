// The process: its state, its log, and its actions.
import {get, post} from '../core/api.js';
import {h, setText} from '../core/dom.js';
import {token} from '../core/token.js';
import {bytes, count, duration, plural} from '../core/format.js';
import {Facts} from '../parts/facts.js';
import {log_levels} from '../parts/log_levels.js';
import {status_line} from '../parts/notice.js';
import {Table} from '../parts/table.js';
import {view_head} from '../parts/view_head.js';

export const server = {name: 'server', title: 'Server', mount};

function mount(root, page) {
  const head = view_head('Server');
  root.append(head.element);
  const status = status_line(root);
  const process = panel(root, 'Process');
  const facts = new Facts(process, ['State', 'Version', 'Up for', 'Started', 'Memory']);
  const worlds = new Table(panel(root, 'Worlds'), world_columns, {label: 'Worlds', key: (row) => row.name, empty: 'There are no worlds.'});
  log_levels(panel(root, 'Log'), page);
  const tokens = panel(root, 'Connect tokens');
  make_tokens(tokens);
  make_checkpoint(panel(root, 'Checkpoint'), page);
  root.append(h('p', {class: 'note spaced'}, 'For programs: ', link('/metrics'), ' for Prometheus, ', link('/api/openapi.json'), '.'));

  async function load() {
    try {
      const answer = await get(['status'], {}, page.signal);
      setText(head.note, `mobula ${answer.version}`);
      facts.set('State', answer.state, answer.state === 'running' ? 'good' : 'warn');
      facts.set('Version', answer.version);
      facts.set('Up for', duration(answer.uptime_seconds));
      facts.set('Started', `${new Date(answer.started_unix_seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`);
      facts.set('Memory', bytes(answer.resident_bytes));
      worlds.update(answer.worlds);
      tokens.hidden = !answer.hands_out_tokens;
      status.show('');
    } catch (error) {
      if (error.name !== 'AbortError') status.show(error.message, 'error');
    }
  }

  page.every(1, load);
  load();
}

// A browser that follows a link sends no token.
const link = (path) => (token() ? path : h('a', {href: path.slice(1)}, path));

const world_columns = [
  {key: 'name', label: 'World', text: (row) => row.name},
  {key: 'tick', label: 'Tick', number: true, text: (row) => count(row.tick)},
  {key: 'rate', label: 'Per second', number: true, text: (row) => count(row.ticks_per_second)},
  {key: 'entities', label: 'Entities', number: true, text: (row) => count(row.entities)},
  {key: 'players', label: 'Players', number: true, text: (row) => count(row.players)},
  {key: 'sessions', label: 'Sessions', number: true, text: (row) => count(row.sessions)},
  {key: 'hash', label: 'State hash', wide: true, cell: (td, row) => {
    setText(td, row.state_hash);
    td.classList.add('mono');
  }},
];

function panel(parent, title) {
  const section = h('section', {class: 'panel stacked'}, h('h2', {}, title));
  parent.append(section);
  return section;
}

function make_checkpoint(parent, page) {
  const button = h('button', {type: 'button', onclick: () => write()}, 'Save now');
  parent.append(h('div', {class: 'row'}, button));
  const status = status_line(parent);
  async function write() {
    button.disabled = true;
    try {
      const {tick} = await post(['checkpoint'], page.query);
      status.show(`Saving the state of tick ${count(tick)}`, 'good');
    } catch (error) {
      status.show(error.message, 'error');
    }
    button.disabled = false;
  }
}

function make_tokens(parent) {
  const number = h('input', {type: 'number', min: 1, max: 4096, value: 1, 'aria-label': 'How many'});
  const data = h('input', {type: 'text', maxlength: 256, placeholder: 'User data', 'aria-label': 'User data'});
  const button = h('button', {type: 'button', onclick: () => make()}, 'Make');
  const result = h('textarea', {class: 'mono', rows: 3, readonly: true, hidden: true, 'aria-label': 'Tokens, in base64'});
  parent.append(h('p', {class: 'note'}, 'In development the server issues tokens for any client. A token is valid once, for a short time.'), h('div', {class: 'row'}, number, data, button));
  const status = status_line(parent);
  parent.append(result);
  async function make() {
    try {
      const {tokens} = await post(['tokens'], {}, {count: Number(number.value), ...(data.value ? {user_data: data.value} : {})});
      result.hidden = false;
      result.value = tokens.join('\n');
      status.show(plural(tokens.length, 'token'), 'good');
    } catch (error) {
      status.show(error.message, 'error');
    }
  }
}
