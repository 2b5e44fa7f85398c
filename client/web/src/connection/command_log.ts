// Commands that the server has not carried out, and for a prediction those that it has.
import { refuse } from "../core/refusal.js";
import { type CommandFeedback, commandsHeldMax } from "../wire/delta_header.js";
import { type InputCommand, arrivalsMax, commandBytesMax } from "../wire/input.js";

const keptMax = 256;
const lateTicksAfterMove = 8; // commands that have waited while the player went to another zone are late by this at most
const viewLagMax = 65_535; // ticks
const commandsPerInput = 32;

export interface Command {
  readonly number: number;
  readonly tick: number; // in which the server should carry it out
  readonly lag: number; // its tick less its view, in 1/256 of a tick
  readonly bytes: Uint8Array;
  readonly arrivals: number; // deltas that had arrived when it was given
  /** Once it is carried out: the tick in which it ran; 0 if it had no effect. */
  ranIn: number;
}

/** Sequences of the newest deltas in the order of their arrival. */
export class Arrivals {
  count = 0;
  private readonly sequences = new Uint32Array(arrivalsMax);

  add(sequence: number): void {
    this.sequences[this.count++ % arrivalsMax] = sequence;
  }

  /** Returns the arrivals from one to another, counted from the first; null if they are not kept any more. */
  between(from: number, to: number): number[] | null {
    if (this.count - from > arrivalsMax) return null;
    return Array.from({ length: to - from }, (_, i) => this.sequences[(from + i) % arrivalsMax]!);
  }
}

export class CommandLog {
  private readonly commands: Command[] = []; // by number, without gaps
  private next = 1; // first that is not carried out
  private tail = 1; // first that the server has not acknowledged
  private end = 1;
  private lastTick = 0;
  private keptFrom = 0; // 0 if commands that are carried out are forgotten
  private ineffective: Command[] = []; // that nobody has asked for

  /** Adds a command and returns its number. Throws a Refusal if it is too large, or too many wait. */
  add(bytes: Uint8Array, tick: number, view: number, arrivals: number): number {
    if (bytes.length > commandBytesMax) refuse("large command", `a command has at most ${commandBytesMax} bytes`);
    if (this.end - this.next >= commandsHeldMax)
      refuse("too many commands", `${commandsHeldMax} commands wait for the server`);
    this.lastTick = Math.max(this.lastTick, tick);
    const seen = Math.max(Math.min(view, this.lastTick), this.lastTick - viewLagMax, 0);
    const lag = 256 * this.lastTick - Math.floor(256 * seen);
    this.commands.push({ number: this.end, tick: this.lastTick, lag, bytes: bytes.slice(), arrivals, ranIn: 0 });
    if (this.commands.length > keptMax) this.commands.shift();
    return this.end++;
  }

  /**
   * Takes over the commands that another zone has not carried out, for this zone's ticks: `ahead` more than there, and at
   * most lateTicksAfterMove below `present`, the tick of a new command. A server drops commands that are too late. All are
   * to be sent again, and refer to what has arrived here.
   */
  continueFrom(former: CommandLog, ahead: number, present: number, arrivals: number): void {
    const least = Math.max(Math.floor(present) - lateTicksAfterMove, 0);
    const tickOf = (tick: number): number => Math.max(least, Math.min(tick + ahead, 0xffff_ffff));
    for (const command of former.commands) {
      if (command.number < former.next) continue;
      const tick = tickOf(command.tick);
      this.commands.push({ ...command, tick, lag: Math.min(command.lag, 256 * tick), arrivals });
    }
    this.lastTick = tickOf(former.lastTick);
    this.next = this.tail = former.next;
    this.end = former.end;
    this.keptFrom = former.keptFrom;
    this.ineffective = former.takeIneffective().slice();
  }

  /** Notes what the server has carried out, and when. Outdated or impossible feedback is ignored. */
  onFeedback({ done, held, outcomes }: CommandFeedback): void {
    if (done < this.next - 1 || done >= this.end) return;
    for (let number = this.next; number <= done; ++number) {
      const command = this.find(number);
      const late = outcomes[done - number] ?? -1;
      if (command === null) continue;
      command.ranIn = late === 0 ? 0 : command.tick + Math.max(late, 0);
      if (late === 0) this.ineffective.push(command);
    }
    this.next = done + 1;
    this.tail = Math.min(Math.max(this.next + held, this.tail, this.next), this.end);
    this.forget();
  }

  /** Returns the commands that had no effect, by the feedback since the last call. */
  takeIneffective(): readonly Command[] {
    const commands = this.ineffective;
    if (commands.length > 0) this.ineffective = [];
    return commands;
  }

  /** Forgets commands below a number that are carried out. From the first call on all others are kept. */
  forgetBefore(number: number): void {
    this.keptFrom = Math.max(number, 1);
    this.forget();
  }

  private forget(): void {
    const oldest = this.keptFrom === 0 ? this.next : Math.min(this.keptFrom, this.next);
    while (this.commands.length > 0 && this.commands[0]!.number < oldest) this.commands.shift();
  }

  /** Returns null for a command that is forgotten or was never given. */
  find(number: number): Command | null {
    const first = this.commands[0]?.number ?? this.end;
    return this.commands[number - first] ?? null;
  }

  /** Returns the first number that is not carried out. */
  firstWaiting(): number {
    return this.next;
  }

  isWaiting(number: number): boolean {
    return number >= this.next && number < this.end;
  }

  hasUnacknowledged(): boolean {
    return this.tail !== this.end;
  }

  /** Returns the first command that an input repeats, and the commands from it on. */
  toSend(arrivals: Arrivals): { first: number; commands: InputCommand[] } {
    const commands: InputCommand[] = [];
    const end = Math.min(this.end, this.tail + commandsPerInput);
    for (let number = this.tail; number < end; ++number) {
      const { tick, lag, bytes, arrivals: from } = this.find(number)!;
      const to = number + 1 < end ? this.find(number + 1)!.arrivals : arrivals.count;
      commands.push({ tick, lag, bytes, arrivals: arrivals.between(from, to) });
    }
    return { first: commands.length > 0 ? this.tail : 0, commands };
  }
}
