// Duration of the parts of a tick, and of the game's phases and systems.
import {h, setText} from '../core/dom.js';
import {count, milliseconds, plural} from '../core/format.js';
import {Sparkline} from '../parts/sparkline.js';
import {Table} from '../parts/table.js';
import {view_head} from '../parts/view_head.js';

const per_second = 2;
const seconds_shown = 60;

export const systems = {name: 'systems', title: 'Systems', mount};

function mount(root, page) {
  const head = view_head('Systems');
  root.append(head.element);
  const sparklines = new Map();
  const tick = section(root, 'Parts of a tick', sparklines, [], 'No tick has been measured yet.');
  const game = section(root, 'The game’s phases and systems', sparklines, [
    {key: 'most', label: 'Most', number: true, sort: (row) => row.max_seconds, text: (row) => milliseconds(row.max_seconds, 3)},
    {key: 'runs', label: 'Runs', number: true, minor: true, sort: (row) => row.runs, text: (row) => count(row.runs)},
    {key: 'reads', label: 'Reads', minor: true, text: (row) => row.reads.join(', ')},
    {key: 'writes', label: 'Writes', minor: true, text: (row) => row.writes.join(', ')},
  ], 'The game has no systems; all its work is in its tick.');
  page.live.subscribe('systems', {...page.query, per_second}, {
    signal: page.signal,
    on_frame(frame) {
      const parts = frame.tick_phases.map((phase) => ({...phase, key: `tick ${phase.name}`, system: true}));
      const rows = frame.phases.flatMap(game_rows);
      for (const row of [...parts, ...rows]) sparkline(sparklines, row.key).add(row.last_seconds);
      const total = parts.reduce((sum, each) => sum + each.mean_seconds, 0);
      setText(head.note, `${milliseconds(total, 3)} for a mean tick; ${plural(rows.filter((row) => row.system).length, 'system')}; curves of the last ${seconds_shown} s`);
      tick.update(with_shares(parts));
      game.update(with_shares(rows));
    },
    on_error: (error) => setText(head.note, error.message),
  });
}

function game_rows(phase) {
  const own = {...phase, key: `phase ${phase.name}`, system: false, reads: [], writes: []};
  return [own, ...phase.systems.map((system) => ({...system, key: `phase ${phase.name} ${system.name}`, system: true}))];
}

// Scale of the bars: the longest mean.
function with_shares(rows) {
  const most = Math.max(...rows.map((row) => row.mean_seconds), 1e-9);
  return rows.map((row) => ({...row, share: row.mean_seconds / most}));
}

function sparkline(sparklines, key) {
  if (!sparklines.has(key)) sparklines.set(key, new Sparkline(per_second * seconds_shown));
  return sparklines.get(key);
}

function section(root, title, sparklines, more, empty) {
  const parent = h('section', {class: 'panel stacked'}, h('h2', {}, title));
  root.append(parent);
  const columns = [
    {key: 'name', label: 'Name', cell: name_cell},
    {key: 'bar', label: 'Mean, as a bar', minor: true, cell: bar_cell},
    {key: 'mean', label: 'Mean', number: true, text: (row) => milliseconds(row.mean_seconds, 3)},
    {key: 'last', label: 'Last', number: true, text: (row) => milliseconds(row.last_seconds, 3)},
    {key: 'course', label: 'Course', cell: (td, row) => td.firstChild ?? td.append(sparkline(sparklines, row.key).element)},
    ...more.map(({sort, ...column}) => column),
  ];
  return new Table(parent, columns, {label: title, key: (row) => row.key, rest_ms: 0, empty});
}

function name_cell(td, row) {
  setText(td, row.name);
  td.className = row.system ? (row.reads ? 'system' : '') : 'phase';
}

function bar_cell(td, row) {
  if (!td.firstChild) td.append(h('span', {class: 'bar'}, h('i', {})));
  td.firstChild.firstChild.style.width = `${row.share * 100}%`;
}
