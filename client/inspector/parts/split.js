// A list with the selected item's details beside it. Narrow windows show one of the two.
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
    // Empties the detail. The signal of the previous detail aborts. Returns the new one.
    open: detail_opener(element, {list, detail, content}),
  };
}

// If the detail replaces the list, it gets the keyboard focus too.
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
