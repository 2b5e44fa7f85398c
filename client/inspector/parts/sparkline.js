// Curve of one number, as small as a word. Decorative: the numbers stand beside it.
import {h} from '../core/dom.js';
import {colour} from '../core/theme.js';

export class Sparkline {
  #values = [];
  #most;

  constructor(most) {
    this.#most = most;
    this.element = h('canvas', {class: 'sparkline', width: 200, height: 40, 'aria-hidden': 'true'});
  }

  add(value) {
    this.#values.push(value);
    if (this.#values.length > this.#most) this.#values.shift();
    this.#draw();
  }

  #draw() {
    const {width, height} = this.element;
    const context = this.element.getContext('2d');
    const top = Math.max(...this.#values, 1e-9);
    context.clearRect(0, 0, width, height);
    context.strokeStyle = colour('--accent');
    context.lineWidth = 2;
    context.beginPath();
    this.#values.forEach((value, index) => {
      const x = width - (this.#values.length - 1 - index) * (width / (this.#most - 1));
      context.lineTo(x, height - 2 - (value / top) * (height - 4));
    });
    context.stroke();
  }
}
