// Origin of the world: schema and level.
import {get, post} from '../core/api.js';
import {h, setText} from '../core/dom.js';
import {bytes, count, plural} from '../core/format.js';
import {Facts} from '../parts/facts.js';
import {notice, status_line} from '../parts/notice.js';
import {Table} from '../parts/table.js';
import {view_head} from '../parts/view_head.js';

export const resources = {name: 'resources', title: 'Resources', mount};

function mount(root, page) {
  const reload = h('button', {type: 'button', onclick: () => reload_level()}, 'Reload level');
  const head = view_head('Resources', reload);
  root.append(head.element);
  const status = status_line(root);
  const content = h('div', {});
  root.append(content);

  async function load() {
    try {
      const answer = await get(['resources'], page.query, page.signal);
      content.replaceChildren();
      setText(head.note, answer.level ? `${plural(answer.level.entities, 'entity', 'entities')} in the level` : 'no level');
      reload.hidden = answer.level === null;
      show(content, answer);
    } catch (error) {
      if (error.name !== 'AbortError') status.show(error.message, 'error');
    }
  }

  async function reload_level() {
    reload.disabled = true;
    try {
      const {kept, spawned, destroyed} = await post(['reload'], page.query);
      status.show(`Reloaded: ${count(kept)} entities kept, ${count(spawned)} spawned, ${count(destroyed)} destroyed`, 'good');
      await load();
    } catch (error) {
      status.show(error.message, 'error');
    }
    reload.disabled = false;
  }

  page.on('again', load);
  load();
}

function show(content, {schema, level}) {
  const facts = new Facts(panel(content, 'Schema'), ['Components', 'Size', 'Fingerprint']);
  facts.set('Components', count(schema.components));
  facts.set('Size', bytes(schema.bytes));
  facts.set('Fingerprint', schema.fingerprint);
  if (level === null) content.append(notice('The server was started without a level.'));
  else show_level(content, level);
}

function show_level(content, level) {
  const section = panel(content, 'Level');
  const facts = new Facts(section, ['Entities', 'Size', 'Clients’ part', 'Identity', 'Identity of the server’s part']);
  facts.set('Entities', count(level.entities));
  facts.set('Size', bytes(level.bytes));
  facts.set('Clients’ part', bytes(level.clients_bytes));
  facts.set('Identity', level.identity);
  facts.set('Identity of the server’s part', level.server_identity);
  for (const text of level.notes) section.append(h('p', {class: 'note'}, text));
  const number = (key, label, text) => ({key, label, number: true, sort: (row) => row[key], text: (row) => text(row[key])});
  const name = {key: 'name', label: 'Name', sort: (row) => row.name, text: (row) => row.name};
  table(panel(content, 'Columns'), 'Columns of the level', level.columns, [
    name, {key: 'type', label: 'Type', text: (row) => row.type}, number('instances', 'Instances', count), number('bytes', 'Size', bytes),
    {...number('spawn_order', 'Spawned', (value) => `as ${value}`), title: 'Spawn order'}]);
  table(panel(content, 'Prefabs'), 'Prefabs', level.prefabs, [name, number('entities', 'Entities', count)]);
  const statics = level.statics_total > level.statics.length ? `Static resources: the first ${count(level.statics.length)} of ${count(level.statics_total)}` : 'Static resources';
  table(panel(content, statics), statics, level.statics.map((each) => ({...each, name: each.id})), [
    {...name, label: 'Id'}, {key: 'type', label: 'Type', text: (row) => row.type}, number('bytes', 'Size', bytes)]);
}

function panel(parent, title) {
  const section = h('section', {class: 'panel stacked'}, h('h2', {}, title));
  parent.append(section);
  return section;
}

function table(parent, label, rows, columns) {
  new Table(parent, columns, {label, key: (row) => row.name, empty: 'None.'}).update(rows);
}
