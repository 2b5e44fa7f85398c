// Follows the notices of effects: each effect is begun once and ends once.
import type { EffectNotice } from "../../src/prediction/effect_table.js";

export class EffectLedger {
  faults = 0;
  started = 0;
  confirmed = 0;
  readonly cancelled = new Map<string, number>(); // by name
  private readonly states = new Map<string, { ended: boolean }>();

  follow(notices: readonly EffectNotice[]): void {
    for (const { kind, name, key } of notices) {
      const id = `${name} ${key}`;
      const state = this.states.get(id);
      if (kind === "started") {
        if (state !== undefined) ++this.faults;
        ++this.started;
        this.states.set(id, { ended: false });
        continue;
      }
      if (state === undefined || state.ended) ++this.faults;
      else state.ended = true;
      if (kind === "confirmed") ++this.confirmed;
      else this.cancelled.set(name, (this.cancelled.get(name) ?? 0) + 1);
    }
  }

  /**
   * Follows the notices of the first update with another mirror. All effects of the former one end before any begins. The
   * commands' numbers begin anew, and effects are named by these.
   */
  followNextMirror(notices: readonly EffectNotice[]): void {
    const begin = notices.findIndex(({ kind }) => kind === "started");
    const ends = begin < 0 ? notices.length : begin;
    this.follow(notices.slice(0, ends));
    this.faults += this.running();
    this.states.clear();
    this.follow(notices.slice(ends));
  }

  running(): number {
    return [...this.states.values()].filter(({ ended }) => !ended).length;
  }
}
