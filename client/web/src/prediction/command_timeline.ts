// The client's commands by the tick in which they run, as far as that is known. A command is taken to run in its own tick
// until the server's feedback shows that it ran later, or not at all.
//
// Each command has two ticks: `runs`, by the newest knowledge, and `ran`, in which the present history has run it. Where
// they differ, the history is wrong from the earlier of the two on.
import type { CommandLog } from "../connection/command_log.js";

const commandsMax = 256; // those that a CommandLog keeps

/** Tick of what does not happen. */
export const never = 0xffff_ffff;

interface Entry {
  number: number;
  tick: number; // its own
  runs: number;
  ran: number;
}

export class CommandTimeline {
  private readonly entries: Entry[] = []; // a ring
  private first = 0;
  private count = 0;
  private newest = 0; // number of the last command taken in
  private done = 0; // the outcomes of the numbers up to this one are known

  get size(): number {
    return this.count;
  }

  private at(place: number): Entry {
    return this.entries[(this.first + place) % commandsMax]!;
  }

  private add(number: number, tick: number, reconciled: number): void {
    if (this.count === commandsMax) this.removeFirst();
    const place = (this.first + this.count++) % commandsMax;
    if (place === this.entries.length) this.entries.push({ number: 0, tick: 0, runs: 0, ran: never });
    const entry = this.entries[place]!;
    entry.number = this.newest = number;
    entry.tick = tick;
    entry.runs = Math.max(tick, reconciled + 1);
    entry.ran = never;
  }

  private removeFirst(): void {
    this.first = (this.first + 1) % commandsMax;
    --this.count;
  }

  /** Adds the commands that the log has gained. They run after `reconciled`. */
  addFrom(log: CommandLog, reconciled = 0): void {
    // The log may have forgotten some.
    if (log.find(this.newest + 1) === null) this.newest = Math.max(this.newest, log.firstWaiting() - 1);
    for (let next = log.find(this.newest + 1); next !== null; next = log.find(this.newest + 1))
      this.add(next.number, next.tick, reconciled);
  }

  /** Corrects the ticks of commands, now that tick `complete` is known to have ended with the log's feedback. */
  settle(log: CommandLog, complete: number): void {
    const waiting = log.firstWaiting();
    for (let i = 0; i < this.count; ++i) {
      const entry = this.at(i);
      if (entry.number <= this.done) continue;
      if (entry.number >= waiting) {
        // The log's feedback is of the newest complete tick: what is not done by then runs later.
        if (entry.tick <= complete) entry.runs = Math.max(entry.runs, complete + 1);
        continue;
      }
      const known = log.find(entry.number);
      if (known !== null) entry.runs = known.ranIn === 0 ? never : known.ranIn;
    }
    this.done = Math.max(this.done, waiting - 1);
  }

  /** Returns the first tick up to `last` in which the history ran other commands than it should; `never` without one. */
  firstWrong(last: number): number {
    let first = never;
    for (let i = 0; i < this.count; ++i) {
      const { ran, runs } = this.at(i);
      if (ran !== runs) first = Math.min(first, ran, runs);
    }
    return first <= last ? first : never;
  }

  /** Fills `numbers` with the commands that run in a tick, ascending, and notes that the history has run them. */
  run(tick: number, numbers: number[]): void {
    numbers.length = 0;
    for (let i = 0; i < this.count; ++i) {
      const entry = this.at(i);
      if (entry.runs !== tick) continue;
      entry.ran = tick;
      numbers.push(entry.number);
    }
  }

  /** Notes that the history ends with `tick`: later ticks are computed again. */
  rewind(tick: number): void {
    for (let i = 0; i < this.count; ++i) if (this.at(i).ran > tick) this.at(i).ran = never;
  }

  /** Removes the commands whose outcome is known and that ran up to `tick`, or never. The history agrees with that. */
  drop(tick: number): void {
    while (this.count > 0 && this.at(0).number <= this.done) {
      const { runs } = this.at(0);
      if (runs > tick && runs !== never) return;
      this.removeFirst();
    }
  }

  clear(): void {
    this.first = this.count = this.newest = this.done = 0;
  }

  /** Returns the number of the oldest command that is not dropped, or of the next one. */
  oldest(): number {
    return this.count > 0 ? this.at(0).number : this.newest + 1;
  }

  /** Returns the own tick of a command that is not dropped; `never` for others. */
  tickOf(number: number): number {
    for (let i = 0; i < this.count; ++i) if (this.at(i).number === number) return this.at(i).tick;
    return never;
  }
}
