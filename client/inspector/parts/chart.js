// Chart of the last minute. Its legend shows the values at the cursor, or the newest, as numbers that are readable
// without the picture. Painted by uPlot.
import uPlot from '../vendor/uplot/uPlot.esm.js';
import {h, setAttribute, setText} from '../core/dom.js';
import {colour, themes} from '../core/theme.js';

const font = '11px system-ui, sans-serif';

// series: [{label, colour: '--a', format?}], stacked bottom to top if options.stacked.
// options: {title, height, seconds, format(value), axis(value)?, stacked?, stepped?, least?, signal}; the scale reaches
// at least `least`.
export class TimeChart {
  #options;
  #series;
  #plot = null;
  #values = [];  // single values, not sums
  #ticks = [];
  #rate = 20;
  #cursor = null;
  #limit = null;

  constructor(parent, series, options) {
    this.#series = series;
    this.#options = options;
    this.numbers = series.map(() => h('span', {class: 'value'}, '–'));
    this.note = h('span', {class: 'note'});
    this.legend = h('ul', {class: 'legend'}, series.map((each, index) =>
      h('li', {}, swatch(each.colour), h('span', {class: 'name'}, each.label), this.numbers[index])));
    this.canvas = h('div', {class: 'canvas', role: 'img', 'aria-label': `${options.title}, of the last ${options.seconds} seconds`});
    this.figure = h('figure', {class: 'chart panel'},
      h('figcaption', {}, h('h2', {}, options.title), this.note), this.legend, this.canvas);
    parent.append(this.figure);
    this.canvas.style.height = `${options.height}px`;
    this.#observe();
  }

  // ticks: numbers, oldest first; values: one list for each series; limit: {value, label} or null.
  update(ticks, values, rate, {limit = null, note = '', newest = ticks.at(-1)} = {}) {
    this.#ticks = ticks;
    this.#values = values;
    this.#rate = rate;
    this.#limit = limit;
    setText(this.note, note);
    this.#plot ??= this.#make();
    this.#plot.batch(() => {
      this.#plot.setData([ticks, ...this.#drawn()], false);
      this.#plot.setScale('x', {min: (newest ?? 0) - this.#options.seconds * rate, max: newest ?? 0});
    });
    this.#show_numbers();
  }

  #observe() {
    const {signal} = this.#options;
    const observer = new ResizeObserver(() => this.#plot?.setSize(this.#size()));
    observer.observe(this.canvas);
    const repaint = () => {
      this.#plot?.destroy();
      this.#plot = null;
      if (this.#ticks.length > 0) this.update(this.#ticks, this.#values, this.#rate, {limit: this.#limit, note: this.note.textContent});
    };
    themes.addEventListener('change', repaint, {signal});
    signal.addEventListener('abort', () => {
      observer.disconnect();
      this.#plot?.destroy();
    }, {once: true});
  }

  #size() {
    return {width: Math.max(200, this.canvas.clientWidth), height: this.#options.height};
  }

  // Stacked: each series is drawn as the sum of it and all below.
  #drawn() {
    if (!this.#options.stacked) return this.#values;
    let below = null;
    return this.#values.map((values) => {
      below = values.map((value, index) => value + (below ? below[index] : 0));
      return below;
    });
  }

  #make() {
    const {stacked, format, axis, stepped} = this.#options;
    const line = colour('--line');
    const muted = colour('--muted');
    const common = {stroke: muted, font, grid: {stroke: line, width: 1}, ticks: {show: false}};
    return new uPlot({
      ...this.#size(),
      padding: [8, 12, 0, 0],
      legend: {show: false},
      cursor: {y: false, drag: {x: false, y: false}, points: {show: !stacked}},
      scales: {x: {time: false}, y: {range: (_, __, most) => [0, this.#top(most)]}},
      axes: [
        {...common, size: 22, gap: 4, splits: (plot) => this.#splits(plot), values: (plot, splits) => this.#ages(plot, splits)},
        {...common, size: 66, gap: 6, values: (_, splits) => splits.map((value) => (axis ?? format)(value))},
      ],
      series: [{}, ...this.#series.map((each) => {
        const stroke = colour(each.colour);
        return {
          stroke, width: stacked ? 1 : 1.5, points: {show: false},
          fill: stacked ? fade(stroke, 0.75) : fade(stroke, 0.1),
          paths: stepped ? uPlot.paths.stepped({align: -1}) : undefined,
        };
      })],
      bands: stacked ? this.#series.slice(1).map((_, index) => ({series: [index + 2, index + 1]})) : [],
      hooks: {
        setCursor: [(plot) => {
          this.#cursor = plot.cursor.idx ?? null;
          this.#show_numbers();
        }],
        draw: [(plot) => this.#draw_limit(plot)],
      },
    }, [this.#ticks, ...this.#drawn()], this.canvas);
  }

  // The limit is shown unless that would flatten the curves.
  #top(most) {
    const highest = Math.max(most || 0, this.#options.least ?? 0) * 1.15;
    const limit = this.#limit?.value ?? 0;
    return limit > 0 && limit < highest * 2.5 ? Math.max(highest, limit * 1.1) : highest || 1;
  }

  #splits(plot) {
    const {max} = plot.scales.x;
    const {seconds} = this.#options;
    return [6, 5, 4, 3, 2, 1, 0].map((each) => max - (each * seconds * this.#rate) / 6);
  }

  #ages(plot, splits) {
    const {max} = plot.scales.x;
    return splits.map((tick) => (tick === max ? 'now' : `−${Math.round((max - tick) / this.#rate)} s`));
  }

  #draw_limit(plot) {
    if (!this.#limit || this.#limit.value > plot.scales.y.max) return;
    const {ctx, bbox} = plot;
    const y = Math.round(plot.valToPos(this.#limit.value, 'y', true)) + 0.5;
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = colour('--bad');
    ctx.setLineDash([6, 4]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.textAlign = 'left';
    ctx.textBaseline = 'alphabetic';
    ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
    ctx.fillText(this.#limit.label, bbox.left + 6 * devicePixelRatio, y - 5 * devicePixelRatio);
    ctx.restore();
  }

  #show_numbers() {
    const at = this.#cursor ?? this.#ticks.length - 1;
    this.#series.forEach((each, index) => {
      const value = this.#values[index]?.[at];
      setText(this.numbers[index], value === undefined ? '–' : (each.format ?? this.#options.format)(value));
    });
    setAttribute(this.figure, 'data-points', this.#ticks.length);
  }
}

export function swatch(name) {
  const element = h('span', {class: 'swatch', 'aria-hidden': 'true'});
  element.style.background = `var(${name})`;
  return element;
}

// colour is rgb(…), as the browser computes it.
function fade(computed, alpha) {
  return computed.replace(/^rgb\((.*)\)$/, `rgba($1, ${alpha})`);
}
