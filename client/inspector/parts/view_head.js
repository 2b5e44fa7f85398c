// Head of a view: its title, a note, and its actions.
import {h} from '../core/dom.js';

export function view_head(title, ...actions) {
  const note = h('p', {class: 'note'});
  const element = h('div', {class: 'view-head'}, h('h1', {}, title), note, h('div', {class: 'actions'}, actions));
  return {element, note};
}
