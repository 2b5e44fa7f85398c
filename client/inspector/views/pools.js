// Memory layout of components: pools and their order.
import {get_all} from '../core/api.js';
import {setText} from '../core/dom.js';
import {bytes, count, plural} from '../core/format.js';
import {new_courses_rate, new_courses_text} from '../parts/courses.js';
import {notice, status_line} from '../parts/notice.js';
import {pool_detail} from '../parts/pool_detail.js';
import {split} from '../parts/split.js';
import {Table} from '../parts/table.js';
import {view_head} from '../parts/view_head.js';

export const pools = {name: 'pools', title: 'Pools', mount};

const columns = [
  {key: 'name', label: 'Pool', sort: (row) => row.name, text: (row) => short_name(row.name), title: 'Instance name'},
  {key: 'kind', label: 'Kind', minor: true, sort: (row) => kind(row), text: kind},
  {key: 'components', label: 'Components', number: true, sort: (row) => row.components, text: (row) => count(row.components)},
  {key: 'each', label: 'Each', number: true, minor: true, sort: (row) => row.component_bytes, text: (row) => bytes(row.component_bytes)},
  {key: 'used', label: 'Used', number: true, sort: (row) => row.used_bytes, text: (row) => bytes(row.used_bytes)},
  {key: 'courses', label: 'New courses', number: true, minor: true, title: 'Fields with dead reckoning, all together', sort: (row) => new_courses_rate(row.courses), text: (row) => new_courses_text(row.courses)},
  {key: 'order', label: 'Order', minor: true, sort: (row) => row.order_owner, text: (row) => (row.order_owner === 'nobody' ? 'can be defragmented' : `by ${row.order_owner}`)},
];

function kind({schema, type, name}) {
  if (!schema) return 'local';
  return type === name ? 'schema' : `schema, ${type}`;
}

// Names of server-only components begin with their namespaces.
export function short_name(name) {
  return name.includes('<') ? name : name.split('::').slice(-2).join('::');
}

function mount(root, page) {
  const head = view_head('Pools');
  root.append(head.element);
  const {list, content, open} = split(root, {list_label: 'Pools', detail_label: 'Selected pool', back: page.href('pools')});
  const status = status_line(list);
  const table = new Table(list, columns, {
    label: 'Pools', key: (row) => String(row.id), href: (row) => page.href('pools', row.id), sort: {key: 'used', down: true}, empty: 'There are no pools.',
  });
  let all = [];
  let detail = null;  // shows the selected pool

  async function load() {
    try {
      all = (await get_all(['pools'], {...page.query, limit: 500}, 'pools', page.signal)).pools;
      const used = all.reduce((sum, each) => sum + each.used_bytes, 0);
      setText(head.note, `${plural(all.length, 'pool')}, ${bytes(used)} of components`);
      status.show('');
      table.update(all);
      detail?.update();
    } catch (error) {
      if (error.name !== 'AbortError') status.show(error.message, 'error');
    }
  }

  function choose() {
    const id = page.route.argument;
    const signal = open(id !== null, page.signal);
    table.select(id);
    detail = id === null ? null : pool_detail(content, page, Number(id), () => all, signal);
    if (!detail) content.append(notice('Select a pool to see the order of its components.'));
  }

  page.on('route', choose);
  page.every(3, load);
  load().then(() => page.signal.aborted || choose());
}
