// Loads a level into a mirror in slices of time. The messages of the server wait meanwhile.
import { type IsOver, type Work, advance } from "../core/work.js";
import type { Mirror } from "../mirror/mirror.js";
import type { ConnectionConfig } from "./connection_config.js";

const defaultBudget = 8; // ms of an update

export class LevelLoading {
  /** Reliable messages that have arrived and are not handled. */
  waiting: Uint8Array[] = [];
  private work: Work<Mirror> | null = null;

  constructor(private readonly config: ConnectionConfig) {}

  get isBusy(): boolean {
    return this.work !== null;
  }

  begin(work: Work<Mirror>): void {
    this.work = work;
  }

  /** Gives up a level whose mirror is given up. */
  cancel(): void {
    this.work = null;
  }

  /** Begins a slice of time. Returns a function that knows whether it is over. */
  beginSlice(): IsOver {
    const { clock, loadBudget = defaultBudget } = this.config;
    if (clock === undefined) return () => false;
    const end = clock() + loadBudget;
    return () => clock() >= end;
  }

  /** Returns the mirror once the level is loaded; null before, and without a level. */
  advance(isOver: IsOver): Mirror | null {
    const mirror = this.work === null ? null : advance(this.work, isOver);
    if (mirror !== null) this.work = null;
    return mirror;
  }
}
