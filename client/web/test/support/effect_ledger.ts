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

  /** With a new mirror all have ended. The commands' numbers begin anew, and effects are named by these. */
  endSession(): void {
    this.faults += this.running();
    this.states.clear();
  }

  running(): number {
    return [...this.states.values()].filter(({ ended }) => !ended).length;
  }
}
