// Picture of a pool's order: iteration steps from left to right, positions in memory from bottom to top. In order it is
// a diagonal, fragmented it is noise. The more steps a dot stands for, the darker it is; 255 is none.
import {h} from '../core/dom.js';
import {colour, themes} from '../core/theme.js';

export class OrderPicture {
  #picture = null;

  constructor(parent, title, signal) {
    this.canvas = h('canvas', {class: 'order-picture', role: 'img', width: 1, height: 1});
    this.caption = h('figcaption', {}, h('h3', {}, title), this.words = h('span', {class: 'note'}));
    this.figure = h('figure', {}, this.caption, this.canvas);
    this.title = title;
    parent.append(this.figure);
    themes.addEventListener('change', () => this.#paint(), {signal});
  }

  // order: {locality, picture}, or null if there is none.
  show(order, words) {
    this.figure.hidden = order === null;
    this.#picture = order?.picture ?? null;
    this.words.textContent = words;
    this.canvas.setAttribute('aria-label', `${this.title}: ${words}. A diagonal is order, noise is disorder.`);
    this.#paint();
  }

  #paint() {
    if (!this.#picture) return;
    const {width, height, pixels} = this.#picture;
    const bytes = Uint8Array.from(atob(pixels), (each) => each.charCodeAt(0));
    const [red, green, blue] = colour('--accent').match(/[\d.]+/g).map(Number);
    const image = new ImageData(width, height);
    bytes.forEach((value, index) => image.data.set([red, green, blue, 255 - value], index * 4));
    Object.assign(this.canvas, {width, height});
    this.canvas.getContext('2d').putImageData(image, 0, 0);
  }
}
