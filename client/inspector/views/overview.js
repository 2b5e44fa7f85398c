// Health of the server: tick times, their parts, and network traffic.
import {h, setAttribute, setText} from '../core/dom.js';
import {bytes, count, mean, milliseconds, percent, plural, quantile, rate} from '../core/format.js';
import {Facts} from '../parts/facts.js';
import {TimeChart} from '../parts/chart.js';
import {Table} from '../parts/table.js';
import {view_head} from '../parts/view_head.js';

const phases = ['receive', 'game', 'publish', 'choose', 'encode', 'seal'];
const tiles = ['State', 'Tick, mean', 'Tick, p99', 'Start delay, p99', 'Sent', 'Received', 'Players', 'Entities'];

export const overview = {name: 'overview', title: 'Overview', mount};

function mount(root, page) {
  const {history, signal} = page;
  const hold = h('button', {type: 'button', class: 'quiet', 'aria-pressed': 'false', onclick: () => set_held(!held)}, 'Hold ', h('kbd', {}, 'P'));
  const head = view_head('Overview', hold);
  root.append(head.element);
  const facts = new Facts(root, tiles, 'tiles');
  const charts = h('div', {class: 'charts'});
  root.append(charts);
  const show_charts = make_charts(charts, history, signal);
  const show_totals = make_totals(root);
  let held = false;

  function set_held(wanted) {
    held = wanted;
    setAttribute(hold, 'aria-pressed', String(held));
    refresh();
  }

  function refresh() {
    if (!history.latest || held) return;
    show_facts(facts, head.note, history);
    show_charts();
    show_totals(history.latest);
  }

  addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() === 'p' && !event.ctrlKey && !event.metaKey && !event.target.matches('input, select')) set_held(!held);
  }, {signal});
  history.addEventListener('change', refresh, {signal});
  refresh();
}

function show_facts(facts, note, history) {
  const {latest} = history;
  const period = 1 / latest.ticks_per_second;
  const durations = history.column('duration');
  const p99 = quantile(durations, 0.99);
  const second = (name) => history.per_second(name).sums.at(-1);
  const {text, state, why} = health(latest, durations, period);
  setText(note, `${latest.ticks_per_second} ticks per second; figures of the last ${plural(Math.round(durations.length * period), 'second')}`);
  facts.set('State', text, state);
  facts.add('State', why);
  facts.set('Tick, mean', milliseconds(mean(durations)));
  facts.add('Tick, mean', `${percent(mean(durations) / period, 0)} of ${milliseconds(period, 1)}`);
  facts.set('Tick, p99', milliseconds(p99));
  facts.add('Tick, p99', `${percent(p99 / period, 0)}; most ${milliseconds(Math.max(...durations), 1)}`);
  facts.set('Start delay, p99', milliseconds(quantile(history.column('start_late'), 0.99), 3));
  facts.add('Start delay, p99', `maximum ${milliseconds(Math.max(...history.column('start_late')), 3)}`);
  facts.set('Sent', rate(second('sent_bytes')));
  facts.add('Sent', `${bytes(latest.totals.sent_bytes)} in total`);
  facts.set('Received', rate(second('received_bytes')));
  facts.add('Received', `${bytes(latest.totals.received_bytes)} in total`);
  facts.set('Players', count(latest.players));
  facts.add('Players', session_note(latest));
  facts.set('Entities', count(latest.entities));
  facts.add('Entities', 'alive');
}

// Shows the queue of newcomers while there is one.
function session_note({sessions, newcomers}) {
  if (newcomers.present === 0) return plural(sessions, 'session');
  return `${plural(newcomers.present, 'newcomer')}, ${newcomers.waiting} waiting, the first for ${newcomers.longest_wait.toFixed(1)} s`;
}

// Judges the ticks that are shown.
function health(latest, durations, period) {
  const over = durations.filter((each) => each > period).length;
  const why = latest.lost_seconds > 0 ? `${latest.lost_seconds.toFixed(1)} s lost` : over > 0 ? plural(over, 'tick') : 'no time lost';
  if (mean(durations.slice(-latest.ticks_per_second)) > period) return {text: 'overloaded', state: 'bad', why};
  if (over > 0) return {text: 'long ticks', state: 'warn', why};
  if (quantile(durations, 0.99) > period * 0.7) return {text: 'nearly full', state: 'warn', why};
  return {text: 'on time', state: 'good', why};
}

function make_charts(parent, history, signal) {
  const common = {height: 168, seconds: history.seconds, signal};
  const colours = ['--c1', '--c2', '--c3', '--c4', '--c5', '--c6'];
  const tick = new TimeChart(parent, phases.map((label, index) => ({label, colour: colours[index]})),
    {...common, title: 'Parts of a tick', stacked: true, format: (value) => milliseconds(value), axis: (value) => `${+(value * 1000).toFixed(3)} ms`});
  const late = new TimeChart(parent, [{label: 'late', colour: '--c1'}],
    {...common, title: 'Start delay of ticks', format: (value) => milliseconds(value, 3), axis: (value) => `${+(value * 1000).toFixed(3)} ms`, least: 0.0001});
  const network = new TimeChart(parent, [{label: 'sent', colour: '--c1'}, {label: 'received', colour: '--c2'}],
    {...common, title: 'Bytes of all sessions', stepped: true, format: rate, axis: (value) => `${value / 1000} KB/s`, least: 1000});
  const sessions = new TimeChart(parent, [{label: 'sessions', colour: '--c3'}, {label: 'newcomers', colour: '--c1'}],
    {...common, title: 'Sessions', stepped: true, format: count, least: 4});
  return () => {
    const ticks = history.column('tick');
    const hertz = history.latest.ticks_per_second;
    const note = (1 / hertz) > 2.5 * 1.15 * Math.max(...history.column('duration')) ? `period: ${milliseconds(1 / hertz, 1)}, above the picture` : '';
    tick.update(ticks, phases.map((name) => history.column(name)), hertz,
      {limit: {value: 1 / hertz, label: `period: ${milliseconds(1 / hertz, 1)}`}, note});
    late.update(ticks, [history.column('start_late')], hertz);
    const sent = history.per_second('sent_bytes');
    network.update(sent.ends, [sent.sums, history.per_second('received_bytes').sums], hertz, {newest: ticks.at(-1)});
    sessions.update(ticks, [history.column('sessions'), history.column('newcomers')], hertz);
  };
}

// Counts since the start of the server.
function make_totals(root) {
  const columns = [
    {key: 'name', label: 'Counted since the start', text: (row) => row.name},
    {key: 'value', label: 'Number', number: true, text: (row) => row.value},
  ];
  const panel = (title, empty) => {
    const parent = h('section', {class: 'panel'}, h('h2', {}, title));
    const table = new Table(parent, columns.map((column) => ({...column})), {label: title, key: (row) => row.name, empty});
    return {parent, table};
  };
  const totals = panel('In all', 'Nothing yet.');
  const refusals = panel('Refused commands and players', 'Nothing was refused.');
  const drops = panel('Dropped datagrams', 'Nothing was dropped.');
  root.append(h('div', {class: 'columns'}, totals.parent, refusals.parent, drops.parent));
  return (latest) => {
    const words = (name) => name.replaceAll('_', ' ');
    totals.table.update(Object.entries(latest.totals).map(([name, value]) =>
      ({name: words(name), value: name.endsWith('bytes') ? bytes(value) : count(value)})));
    for (const [panel_, counts] of [[refusals, latest.refusals], [drops, latest.drops]]) {
      panel_.table.update(Object.entries(counts).map(([name, value]) => ({name: words(name), value: count(value)})));
    }
  };
}
