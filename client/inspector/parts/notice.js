// What a view says when it has nothing to show: that it waits, that there is nothing, or what went wrong.
import {h, setText} from '../core/dom.js';

export function notice(text, kind = 'empty') {
  return h('p', {class: `notice ${kind}`, role: kind === 'error' ? 'alert' : null}, text);
}

// A line of text in a place that is always there, so that nothing moves when it speaks.
export function status_line(parent) {
  const line = h('p', {class: 'status-line', role: 'status'});
  parent.append(line);
  let timer = 0;
  return {
    say(text, kind = '') {
      clearTimeout(timer);
      line.className = `status-line ${kind}`;
      setText(line, text);
      if (text && kind !== 'error') timer = setTimeout(() => setText(line, ''), 8000);
    },
  };
}
