// Ticks of the last minute from the overview frames, by column. Kept while the page is open, so that charts are
// complete at once.

const seconds_kept = 60;

export class TickHistory extends EventTarget {
  latest = null;  // the newest overview frame
  #columns = new Map();

  get seconds() {
    return seconds_kept;
  }

  clear() {
    this.latest = null;
    this.#columns.clear();
  }

  // A new connection sends known ticks again: they are skipped.
  add(frame) {
    const newest = this.column('tick').at(-1) ?? -1;
    const restarted = frame.rows.length > 0 && frame.rows.at(-1)[0] < newest;
    if (restarted) this.#columns.clear();
    const rows = restarted ? frame.rows : frame.rows.filter((row) => row[0] > newest);
    frame.columns.forEach((name, index) => this.#extend(name, rows.map((row) => row[index])));
    this.latest = frame;
    this.#trim(seconds_kept * frame.ticks_per_second);
    this.dispatchEvent(new Event('change'));
  }

  // Oldest first. All columns have the same length.
  column(name) {
    return this.#columns.get(name) ?? [];
  }

  #extend(name, values) {
    const kept = this.#columns.get(name);
    if (kept) kept.push(...values);
    else this.#columns.set(name, values);
  }

  #trim(most) {
    for (const values of this.#columns.values()) {
      if (values.length > most) values.splice(0, values.length - most);
    }
  }

  // Sums of a column over each complete second: {ends: ticks, sums}.
  per_second(name) {
    const ticks = this.column('tick');
    const values = this.column(name);
    const rate = this.latest?.ticks_per_second ?? 1;
    const sums = new Map();
    ticks.forEach((tick, index) => {
      const second = Math.floor(tick / rate);
      sums.set(second, (sums.get(second) ?? 0) + values[index]);
    });
    const seconds = [...sums.keys()].slice(1, -1);
    return {ends: seconds.map((second) => (second + 1) * rate - 1), sums: seconds.map((second) => sums.get(second))};
  }
}
