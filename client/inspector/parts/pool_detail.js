// The order of a pool beside that of another, now and after defragmenting.
import {get, post} from '../core/api.js';
import {h, setText} from '../core/dom.js';
import {bytes, count, percent, plural} from '../core/format.js';
import {CourseTable} from './courses.js';
import {Facts} from './facts.js';
import {OrderPicture} from './order_picture.js';
import {status_line} from './notice.js';

const picture_most = 320;
const moves_a_step = 5000;  // per request; the world ticks between requests
const steps_most = 1000;

// Returns the detail, whose update() is called when the list has changed.
export function pool_detail(parent, page, id, list, signal) {
  const detail = new PoolDetail(parent, page, id, list, signal);
  detail.update();
  detail.load();
  return detail;
}

class PoolDetail {
  #page;
  #id;
  #list;
  #signal;

  constructor(parent, page, id, list, signal) {
    this.#page = page;
    this.#id = id;
    this.#list = list;
    this.#signal = signal;
    const own = this.#own();
    this.lead = h('select', {'aria-label': 'Compare with the order of', onchange: () => this.load()});
    this.again = h('button', {type: 'button', onclick: () => this.load()}, 'Refresh');
    this.button = h('button', {type: 'button', class: 'primary', disabled: true, onclick: () => this.#defragment()}, 'Defragment');
    parent.append(
      h('div', {class: 'detail-head'}, h('h2', {class: 'title'}, own?.name ?? `Pool ${id}`)),
      h('div', {class: 'row'}, h('label', {}, 'Along ', this.lead), this.again, this.button));
    this.status = status_line(parent);
    this.facts = new Facts(parent, ['Type', 'Components', 'Used', 'Order', 'Iterated', 'In order', 'Aligned', 'To defragment']);
    this.courses = new CourseTable(parent);
    const pictures = h('div', {class: 'pictures'});
    parent.append(pictures, h('p', {class: 'note'}, 'An iteration over all entities with both components, from left to right. The height of a dot is the position of its component in memory. In order it is a diagonal, fragmented it is noise.'));
    this.now = new OrderPicture(pictures, 'Now', signal);
    this.mended = new OrderPicture(pictures, 'Defragmented', signal);
    this.#fill_leads(own);
  }

  update() {
    this.courses.update(this.#own()?.courses ?? []);
  }

  #own() {
    return this.#list().find((each) => each.id === this.#id);
  }

  async load() {
    try {
      const order = await get(['pools', this.#id, 'order'], {...this.#page.query, lead: this.lead.value, size: this.#picture_size()}, this.#signal);
      this.#show(order);
    } catch (error) {
      if (error.name !== 'AbortError') this.status.show(error.message, 'error');
    }
  }

  // As many dots as fit.
  #picture_size() {
    return Math.max(64, Math.min(picture_most, Math.floor(this.now.canvas.clientWidth || picture_most)));
  }

  #fill_leads(own) {
    const leads = this.#list().filter((each) => each.id !== this.#id && each.components > 0);
    this.lead.append(...leads.map((each) => h('option', {value: String(each.id)}, each.name)));
    const usual = leads.find((each) => each.name === 'Transform') ?? leads[0];
    if (usual) this.lead.value = String(usual.id);
    if (!own) return;
    this.facts.set('Type', own.schema ? own.type : 'local');
    this.facts.set('Components', count(own.components));
    this.facts.set('Used', bytes(own.used_bytes));
    this.facts.set('Order', own.order_owner === 'nobody' ? 'nobody’s' : `by ${own.order_owner}`);
  }

  #show(order) {
    const {facts} = this;
    facts.set('Iterated', count(order.walked));
    facts.set('In order', percent(order.now.locality));
    facts.set('Aligned', percent(order.now.aligned));  // at the same place in both pools
    facts.set('To defragment', order.mended ? plural(order.mended_moves, 'move') : 'its order has an owner');
    this.now.show(order.now, `${percent(order.now.locality)} of steps go on to the next place`);
    this.mended.show(order.mended, order.mended ? `${percent(order.mended.locality)}, by ${plural(order.mended_moves, 'move')}` : '');
    this.button.disabled = order.mended === null || order.mended_moves === 0;
  }

  // By and by: the world goes on between the steps.
  async #defragment() {
    this.button.disabled = true;
    let moves = 0;
    try {
      let rounds = 0;  // a run that was active before may have been partial, so only the second one is complete
      for (let steps = 0; rounds < 2 && steps < steps_most && !this.#signal.aborted; ++steps) {
        const done = await post(['pools', this.#id, 'mend'], this.#page.query, {lead: Number(this.lead.value), moves: moves_a_step});
        moves += done.moves;
        this.status.show(`${plural(moves, 'move')} made`);
        if (done.round_ended) ++rounds;
      }
      this.status.show(rounds === 2 ? `Defragmented by ${plural(moves, 'move')}` : `${plural(moves, 'move')} made, not finished: press again`, 'good');
      await this.load();
    } catch (error) {
      this.status.show(error.message, 'error');
    }
  }
}
