// Waits for the return of a server: asks for a token at intervals that grow up to a limit.
import type { Admission } from "./admission.js";

const firstWait = 1000; // ms
const waitMax = 15_000; // ms
const growth = 1.5;

export class ServerReturn {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private wait = firstWait;
  private turn = 0; // changes with each start and stop, so that a question under way is dropped

  constructor(
    private readonly admit: () => Promise<Admission>,
    private readonly onBack: (admission: Admission) => void,
  ) {}

  /** Asks after the next interval, until the server gives a token. Former intervals count. */
  start(): void {
    this.stop();
    const { turn } = this;
    this.timer = setTimeout(() => void this.ask(turn), this.wait);
    this.wait = Math.min(waitMax, this.wait * growth);
  }

  stop(): void {
    ++this.turn;
    clearTimeout(this.timer);
  }

  /** Begins with the shortest interval again. */
  reset(): void {
    this.wait = firstWait;
  }

  private async ask(turn: number): Promise<void> {
    if (turn !== this.turn) return;
    try {
      const admission = await this.admit();
      if (turn === this.turn) this.onBack(admission);
    } catch {
      if (turn === this.turn) this.start();
    }
  }
}
