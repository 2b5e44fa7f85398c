// Details of a session, live: its network, bytes sent by component, and an action to end it.
import {post} from '../core/api.js';
import {h, setAttribute, setText} from '../core/dom.js';
import {bytes, centimetres, count, duration, milliseconds, percent, plural, rate} from '../core/format.js';
import {new_courses_text} from './courses.js';
import {ask_for_text} from './dialog.js';
import {Facts} from './facts.js';
import {notice, status_line} from './notice.js';
import {Table} from './table.js';
import {TimeChart} from './chart.js';

const per_second = 2;
const seconds_shown = 60;
const who = ['State', 'Entity', 'Address', 'Over', 'Client id', 'Connected for', 'Sees', 'Waiting', 'Mirror'];
const predicted = ['Ticks predicted', 'Ticks replayed', 'Rollbacks', 'Mispredictions', 'By late commands', 'By remote causes', 'By another level', 'Stalls', 'Corrections', 'Mean correction', 'Max correction', 'Input delay', 'Commands late', 'Commands not run', 'Views rewound', 'Views refused'];
const network = ['RTT', 'RTT variation', 'Arrival jitter', 'Loss', 'Lost', 'Budget', 'Sent', 'Acknowledged', 'Received', 'Sent in total', 'Received in total', 'Reliable backlog'];

export function session_detail(parent, page, player, signal) {
  const waiting = notice('Waiting for the server…');
  parent.append(waiting);
  let detail = null;
  page.live.subscribe('session', {...page.query, player, per_second}, {
    signal,
    on_frame(frame) {
      if (frame.player !== player) return;
      if (!detail) {
        waiting.remove();
        detail = new SessionDetail(parent, page, player, signal);
      }
      detail.update(frame);
    },
    on_error(error) {
      if (!error.ended) return;
      if (detail) detail.end(error.message);
      else waiting.replaceWith(notice(error.message, 'error'));
    },
  });
}

class SessionDetail {
  #page;
  #player;
  #name = '';
  #samples = {at: [], rtt: [], sent: [], received: []};

  constructor(parent, page, player, signal) {
    this.#page = page;
    this.#player = player;
    this.title = h('h2', {class: 'title'});
    this.kick = h('button', {type: 'button', class: 'danger', onclick: () => this.#kick()}, 'Kick…');
    parent.append(h('div', {class: 'detail-head'}, this.title, h('div', {class: 'actions'}, this.kick)));
    this.status = status_line(parent);
    this.who = new Facts(parent, who);
    parent.append(h('h3', {class: 'spaced'}, 'Network'));
    this.network = new Facts(parent, network);
    this.#make_charts(parent, signal);
    this.prediction_head = h('h3', {class: 'spaced'}, 'Prediction');
    parent.append(this.prediction_head);
    this.prediction = new Facts(parent, predicted);
    parent.append(h('h3', {class: 'spaced'}, 'Bytes sent by component'));
    this.measured = h('p', {class: 'note'});
    parent.append(this.measured);
    this.components = new Table(parent, component_columns, {
      label: 'Bytes by component', key: (row) => row.component, rest_ms: 0, empty: 'Nothing has been sent since the measurement began.'});
  }

  update(session) {
    this.#name = session.name || 'nameless';
    setText(this.title, `${this.#name} (${session.player})`);
    this.#show_who(session);
    this.#show_network(session.network);
    this.#show_prediction(session);
    this.#show_components(session.sent);
    if (session.network) this.#sample(session.network);
  }

  end(message) {
    this.kick.disabled = true;
    this.status.show(message, 'error');
  }

  #show_who(session) {
    const {who: facts} = this;
    const has_entity = session.entity !== null;
    facts.set('State', session.state, {playing: 'good', away: 'warn', departing: 'warn', visiting: 'warn', closing: 'warn'}[session.state] ?? null);
    facts.link('Entity', session.entity ?? 'none', has_entity ? this.#page.href('entities', session.entity) : null);
    facts.set('Address', session.address ?? '–');
    facts.set('Over', session.pipe ?? '–');
    facts.set('Client id', session.client_id);
    facts.set('Connected for', duration(session.connected_seconds));
    facts.set('Sees', plural(session.seen_entities, 'entity', 'entities'));
    facts.set('Waiting', plural(session.pending_entities, 'entity', 'entities'));
    facts.set('Mirror', session.verifies ? 'is verified' : 'not verified');
  }

  #show_network(net) {
    const {network: facts} = this;
    const of_budget = net ? net.sent_bytes_per_second / net.budget_bytes_per_second : null;
    facts.set('RTT', milliseconds(net?.rtt_seconds, 1));
    facts.set('RTT variation', milliseconds(net?.rtt_variation_seconds, 1));
    facts.set('Arrival jitter', milliseconds(net?.arrival_jitter_seconds, 1));
    facts.set('Loss', percent(net?.loss), net?.loss > 0.02 ? 'warn' : null);
    facts.set('Lost', net ? `${count(net.lost_datagrams)} of ${count(net.sent_datagrams)}` : '–');
    facts.set('Budget', rate(net?.budget_bytes_per_second));
    facts.set('Sent', net ? `${rate(net.sent_bytes_per_second)} · ${percent(of_budget, 0)}` : '–', of_budget > 0.9 ? 'warn' : null);
    facts.set('Acknowledged', rate(net?.acked_bytes_per_second));
    facts.set('Received', rate(net?.received_bytes_per_second));
    facts.set('Sent in total', bytes(net?.sent_bytes));
    facts.set('Received in total', bytes(net?.received_bytes));
    facts.set('Reliable backlog', bytes(net?.reliable_backlog_bytes));
  }

  #show_prediction({prediction: reported, late_commands: late, accepted_views, refused_views}) {
    const {prediction: facts} = this;
    setText(this.prediction_head, reported ? 'Prediction, as the client reports it' : 'Prediction: the client reports none');
    facts.set('Ticks predicted', count(reported?.ticks));
    facts.set('Ticks replayed', count(reported?.ticks_replayed));
    facts.set('Rollbacks', count(reported?.rollbacks));
    facts.set('Mispredictions', count(reported ? reported.late_mispredictions + reported.remote_mispredictions + reported.level_mispredictions : null));
    facts.set('By late commands', count(reported?.late_mispredictions));
    facts.set('By remote causes', count(reported?.remote_mispredictions));
    facts.set('By another level', count(reported?.level_mispredictions));
    facts.set('Stalls', count(reported?.stalls), reported?.stalls > 0 ? 'warn' : null);
    facts.set('Corrections', count(reported?.corrections));
    facts.set('Mean correction', centimetres(reported?.mean_correction_meters));
    facts.set('Max correction', centimetres(reported?.greatest_correction_meters));
    facts.set('Input delay', milliseconds(reported?.input_delay_seconds));
    const lost = late.dropped + late.missing;
    facts.set('Commands late', count(late.run));
    facts.set('Commands not run', count(lost), lost > 0 ? 'warn' : null);
    facts.set('Views rewound', count(accepted_views));
    facts.set('Views refused', count(refused_views), refused_views > 0 ? 'warn' : null);
  }

  #show_components(sent) {
    const has_courses = sent.components.some((each) => each.courses.length > 0);
    setText(this.measured, `${bytes(sent.bytes)} of deltas in ${sent.seconds.toFixed(0)} s, measured while this page is open${has_courses ? '; new courses are those of the whole world' : ''}`);
    const total = Math.max(1e-9, sent.components.reduce((sum, each) => sum + each.bytes, 0));
    this.components.update(sent.components.map((each) => ({...each, share: each.bytes / total, seconds: Math.max(sent.seconds, 0.1)})));
  }

  #make_charts(parent, signal) {
    const common = {height: 120, seconds: seconds_shown, signal};
    const charts = h('div', {class: 'charts one'});
    parent.append(charts);
    this.rtt = new TimeChart(charts, [{label: 'RTT', colour: '--c1'}],
      {...common, title: 'Round trip', format: (value) => milliseconds(value, 1), axis: (value) => `${+(value * 1000).toFixed(2)} ms`, least: 0.01});
    this.flow = new TimeChart(charts, [{label: 'sent', colour: '--c1'}, {label: 'received', colour: '--c2'}],
      {...common, title: 'Bytes', format: rate, axis: (value) => `${value / 1000} KB/s`, least: 1000});
  }

  #sample(net) {
    const samples = this.#samples;
    samples.at.push((samples.at.at(-1) ?? 0) + 1);
    samples.rtt.push(net.rtt_seconds);
    samples.sent.push(net.sent_bytes_per_second);
    samples.received.push(net.received_bytes_per_second);
    for (const list of Object.values(samples)) {
      if (list.length > per_second * seconds_shown + 1) list.shift();
    }
    this.rtt.update(samples.at, [samples.rtt], per_second);
    this.flow.update(samples.at, [samples.sent, samples.received], per_second);
  }

  async #kick() {
    const reason = await ask_for_text({
      title: `Kick ${this.#name} (${this.#player})?`, text: 'The session ends at once. The player and the log receive the reason.',
      label: 'Reason', value: 'kicked by an administrator', action: 'Kick', danger: true,
    });
    if (reason === null) return;
    setAttribute(this.kick, 'disabled', true);
    try {
      await post(['sessions', this.#player, 'kick'], this.#page.query, {reason});
      this.status.show(`Kicked: ${reason}`, 'good');
    } catch (error) {
      setAttribute(this.kick, 'disabled', null);
      this.status.show(error.message, 'error');
    }
  }
}

const component_columns = [
  {key: 'component', label: 'Component', text: (row) => row.component || 'headers, lists of entities'},
  {key: 'bar', label: 'Share', minor: true, cell(td, row) {
    if (!td.firstChild) td.append(h('span', {class: 'bar'}, h('i', {})));
    td.firstChild.firstChild.style.width = `${row.share * 100}%`;
  }},
  {key: 'percent', label: 'Share', number: true, text: (row) => percent(row.share)},
  {key: 'courses', label: 'New courses', number: true, title: 'New courses of fields with dead reckoning, in the whole world', text: (row) => new_courses_text(row.courses)},
  {key: 'rate', label: 'Rate', number: true, text: (row) => `${(row.bytes / row.seconds / 1000).toFixed(2)} KB/s`},
];
