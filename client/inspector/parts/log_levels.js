// Log levels of all and of single modules.
import {get, put} from '../core/api.js';
import {h} from '../core/dom.js';
import {status_line} from './notice.js';

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'off'];

export async function log_levels(parent, page) {
  const rows = h('div', {class: 'log-levels'});
  const name = h('input', {type: 'text', placeholder: 'Module', 'aria-label': 'Module', maxlength: 64, autocomplete: 'off', spellcheck: 'false'});
  const level = choice('Its level', 'debug');
  const add = h('button', {type: 'button', onclick: () => name.value.trim() && change(level.value, name.value.trim())}, 'Set');
  parent.append(rows, h('div', {class: 'row'}, name, level, add));
  const status = status_line(parent);

  function show({level: usual, modules}) {
    const all = h('label', {}, h('span', {}, 'All others'), choice('Level of all others', usual, (value) => change(value)));
    rows.replaceChildren(all, ...Object.entries(modules).map(([module, value]) =>
      h('label', {}, h('span', {}, module), choice(`Level of ${module}`, value, (wanted) => change(wanted, module)))));
  }

  async function change(value, module) {
    try {
      const answer = await put(['log-level'], {}, JSON.stringify(module ? {level: value, module} : {level: value}));
      show(answer);
      status.show(`${module ?? 'All others'}: ${value}`, 'good');
      name.value = '';
    } catch (error) {
      status.show(error.message, 'error');
    }
  }

  try {
    show(await get(['log-level'], {}, page.signal));
  } catch (error) {
    if (error.name !== 'AbortError') status.show(error.message, 'error');
  }
}

function choice(label, value, on_change = () => {}) {
  const element = h('select', {'aria-label': label, onchange: () => on_change(element.value)}, levels.map((each) => h('option', {value: each}, each)));
  element.value = value;
  return element;
}
