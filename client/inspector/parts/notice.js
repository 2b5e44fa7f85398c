// Notice of a view without content: waiting, empty, or an error.
import {h, setText} from '../core/dom.js';

export function notice(text, kind = 'empty') {
  return h('p', {class: `notice ${kind}`, role: kind === 'error' ? 'alert' : null}, text);
}

// A line of text in a reserved place, so that the layout does not move.
export function status_line(parent) {
  const line = h('p', {class: 'status-line', role: 'status'});
  parent.append(line);
  let timer = 0;
  return {
    show(text, kind = '') {
      clearTimeout(timer);
      line.className = `status-line ${kind}`;
      setText(line, text);
      if (text && kind !== 'error') timer = setTimeout(() => setText(line, ''), 8000);
    },
  };
}
