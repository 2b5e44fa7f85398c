// Shell around the views: navigation, selected world, connection state, and global keys. A view is {name, title,
// mount(root, page)}; everything it started ends when page.signal aborts.
import {Live} from '../core/live.js';
import {parse_route, route_to} from '../core/route.js';
import {set_token_prompt} from '../core/token.js';
import {apply_theme, next_theme, theme} from '../core/theme.js';
import {h, setAttribute, setText} from '../core/dom.js';
import {show_text} from './dialog.js';
import {notice} from './notice.js';
import {prompt_for_token} from './token_prompt.js';

const live = new Live();
const main = document.getElementById('main');
const find = (id) => document.getElementById(id);
let worlds = [];  // names, in the server's order
let shown = null;  // {view, world, leaving, page}
let met = false;  // the feed has been open before
let app = null;  // argument of start()
let views = [];

class Page extends EventTarget {
  constructor(route, world, signal) {
    super();
    Object.assign(this, {route, world, signal, live, history: app.history});
  }

  // Parameters of every request and subscription of this page.
  get query() {
    return {world: this.world};
  }

  href(view, argument = null, query = {}) {
    return route_to(view, argument, {...query, world: this.world === worlds[0] ? null : this.world});
  }

  go(view, argument, query) {
    location.hash = this.href(view, argument, query);
  }

  // Changes the address without an entry in the browser's history.
  replace(view, argument, query) {
    history_replace(this.href(view, argument, query));
  }

  on(name, listener) {
    this.addEventListener(name, listener, {signal: this.signal});
  }

  every(seconds, action) {
    const timer = setInterval(() => !document.hidden && live.state === 'open' && action(), seconds * 1000);
    this.signal.addEventListener('abort', () => clearInterval(timer), {once: true});
  }
}

function history_replace(hash) {
  window.history.replaceState(null, '', hash);
  show();
}

function show() {
  const route = parse_route(location.hash);
  const view = route.view === '' ? views[0] : views.find((each) => each.name === route.view);
  if (worlds.length === 0) return;
  const wanted = route.query.get('world') ?? worlds[0];
  const world = worlds.includes(wanted) ? wanted : worlds[0];
  if (shown && shown.view === view && shown.world === world) {
    shown.page.route = route;
    shown.page.dispatchEvent(new Event('route'));
    return;
  }
  const changed = shown !== null;
  shown?.leaving.abort();
  const leaving = new AbortController();
  const page = new Page(route, world, leaving.signal);
  shown = {view, world, leaving, page};
  app.watch?.(world, live);
  show_navigation(page, view);
  main.replaceChildren();
  main.scrollTop = 0;
  main.className = view ? `view-${view.name}` : '';
  document.title = `${view?.title ?? 'Not found'} – ${app.title}`;
  if (view) view.mount(main, page);
  else main.append(notice('There is no such page.', 'error'));
  if (changed) main.focus({preventScroll: true});
}

function show_navigation(page, current) {
  find('views').replaceChildren(...views.map((view, index) => h('li', {},
    h('a', {href: page.href(view.name), 'aria-current': view === current ? 'page' : null},
      view.title, h('kbd', {'aria-hidden': 'true'}, String(index + 1))))));
  const choice = find('world');
  choice.replaceChildren(...worlds.map((name) => h('option', {value: name}, name)));
  choice.value = page.world;
  find('world-choice').hidden = worlds.length < 2;
  open_menu(false);
}

function open_menu(open) {
  find('menu').setAttribute('aria-expanded', String(open));
}

function show_feed() {
  const words = {connecting: 'connecting', open: 'live', waiting: 'disconnected', asleep: 'asleep'};
  setText(find('feed'), words[live.state]);
  document.body.dataset.feed = live.state;
  if (live.state === 'open') learn_worlds().then(show_again);
  show_unreachable();
}

// Worlds may open and close.
async function learn_worlds() {
  let names;
  try {
    names = await app.learn();
  } catch {
    return;  // the feed reports the lost connection
  }
  if (String(names) === String(worlds)) return;
  worlds = names;
  if (worlds.length === 0) main.replaceChildren(notice(app.none));
  if (shown) show_navigation(shown.page, shown.view);
  show();
}

// Reconnected: data that a view requested once may have changed.
function show_again() {
  if (met) shown?.page.dispatchEvent(new Event('again'));
  met = true;
}

function show_unreachable() {
  const banner = find('unreachable');
  banner.hidden = live.state !== 'waiting';
  if (banner.hidden) return;
  const seconds = Math.max(0, Math.ceil((live.retry_at - Date.now()) / 1000));
  const text = `The server is not reachable. ${seconds > 0 ? `Trying again in ${seconds} s.` : 'Trying now.'}`;
  if (!banner.firstChild) banner.append(h('span', {}), h('button', {type: 'button', onclick: () => live.connect()}, 'Try now'));
  setText(banner.firstChild, text);
}

function show_theme() {
  const words = {auto: 'Theme: system', light: 'Theme: light', dark: 'Theme: dark'};
  setText(find('theme'), words[theme()]);
}

function show_keys() {
  const keys = [
    ...views.map((view, index) => [String(index + 1), view.title]),
    ['/', 'Search'], ['↑ ↓', 'Row by row in a table or tree'], ['← →', 'Close and open in a tree'],
    ['Enter', 'Open; write an edited value'], ['Esc', 'Drop an edit; leave a field; close'], ['P', 'Hold the charts still'],
    ['← → ↑ ↓', 'On the map: move'], ['+ −', 'On the map: zoom'], ['0', 'On the map: show all'],
    ['?', 'This list'],
  ];
  show_text('Keys', h('dl', {class: 'keys'}, keys.map(([key, what]) => h('div', {}, h('dt', {}, h('kbd', {}, key)), h('dd', {}, what)))));
}

const is_typing = (element) => element.matches('input, select, textarea, [contenteditable]');

// Closes the menu, or else the selected item.
function close() {
  if (find('menu').getAttribute('aria-expanded') === 'true') return open_menu(false);
  const {page, view} = shown;
  if (page.route.argument !== null) page.go(view.name, null, Object.fromEntries(page.route.query));
}

function on_key(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
  if (!shown || document.querySelector('dialog[open]')) return;
  if (is_typing(event.target)) {
    if (event.key === 'Escape') event.target.blur();
    return;
  }
  const view = views[Number(event.key) - 1];
  if (view) location.hash = shown.page.href(view.name);
  else if (event.key === '/') document.querySelector('[data-search]')?.focus();
  else if (event.key === '?') show_keys();
  else if (event.key === 'Escape') close();
  else return;
  event.preventDefault();
}

// Shows the page. given: {views, title, learn(), none, watch(world, live)?, history?}. learn() resolves to the names of the
// worlds, and none is the text without one. watch is called when another world is shown.
export function start(given) {
  app = given;
  views = app.views;
  set_token_prompt(prompt_for_token);
  apply_theme();
  show_theme();
  show_feed();
  live.addEventListener('change', show_feed);
  addEventListener('hashchange', show);
  addEventListener('keydown', on_key);
  setInterval(show_unreachable, 500);
  setInterval(() => live.state === 'open' && !document.hidden && learn_worlds(), 5000);
  listen_to_navigation();
  // Asks for the token first, if one is required: the feed would wait for a timeout.
  learn_worlds().then(() => live.connect());
}

function listen_to_navigation() {
  find('theme').onclick = () => {
    next_theme();
    show_theme();
  };
  find('help').onclick = show_keys;
  find('menu').onclick = () => open_menu(find('menu').getAttribute('aria-expanded') !== 'true');
  find('world').onchange = (event) => {
    const {view, query} = parse_route(location.hash);
    location.hash = route_to(view, null, {...Object.fromEntries(query), world: event.target.value});
  };
  find('skip').onclick = (event) => {
    event.preventDefault();
    main.focus();
  };
}
