// A list and, beside it, what was chosen from it. Where there is no room for both, one or the other.
import {h, setClass} from '../core/dom.js';

export function split(root, {list_label, detail_label, back}) {
  const list = h('section', {class: 'list panel', 'aria-label': list_label});
  const content = h('div', {class: 'content'});
  const detail = h('section', {class: 'detail panel', 'aria-label': detail_label},
    h('a', {class: 'back', href: back}, '‹ Back to the list'), content);
  const element = h('div', {class: 'split'}, list, detail);
  root.append(element);
  return {
    list,
    content,
    // Empties the detail; what was begun there ends by the signal that it gave before. Returns the new one.
    open: detail_opener(element, {list, detail, content}),
  };
}

// Where the list gives way to the detail, the keyboard goes there too.
function detail_opener(element, {list, detail, content}) {
  let leaving = new AbortController();
  return (chosen, page_signal) => {
    leaving.abort();
    leaving = new AbortController();
    content.replaceChildren();
    detail.scrollTop = 0;
    setClass(element, 'chosen', chosen);
    if (chosen && list.offsetParent === null) detail.querySelector('.back').focus();
    return AbortSignal.any([leaving.signal, page_signal]);
  };
}
