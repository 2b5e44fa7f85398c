// The bots of this page: sessions of their own in a worker, so that the page draws on.
import { admit } from "./admission.js";
import type { BotReport } from "./bots.js";

const crew = 8;
const most = 24;

/** The elements by which the player adds and dismisses bots, and where their number is shown. */
export interface BotControls {
  readonly add: HTMLButtonElement;
  readonly dismiss: HTMLButtonElement;
  readonly state: HTMLElement;
}

export class BotCrew {
  private worker: Worker | null = null;
  private wanted = 0;

  constructor(
    private readonly controls: BotControls,
    private readonly onFailed: (why: string) => void,
  ) {
    controls.add.addEventListener("click", () => void this.add());
    controls.dismiss.addEventListener("click", () => this.dismiss());
  }

  private async add(): Promise<void> {
    this.controls.add.disabled = true;
    try {
      const admissions = await Promise.all(Array.from({ length: crew }, admit));
      this.worker ??= this.start();
      this.worker.postMessage({ url: admissions[0]!.url, tokens: admissions.map(({ token }) => token) });
      this.wanted += crew;
    } catch (error) {
      this.onFailed(error instanceof Error ? error.message : String(error));
    }
    this.updateButtons();
  }

  private updateButtons(): void {
    this.controls.add.disabled = this.wanted >= most;
    this.controls.dismiss.hidden = this.wanted === 0;
  }

  private start(): Worker {
    const worker = new Worker("bots.js", { type: "module" });
    worker.onmessage = ({ data: { playing, wanted, ended } }: MessageEvent<BotReport>) => {
      this.controls.state.textContent = wanted === 0 ? "" : `${playing} of ${wanted} play`;
      if (ended === 0) return;
      this.wanted = Math.max(0, this.wanted - ended);
      this.updateButtons();
    };
    worker.onerror = () => this.onFailed("the bots have stopped");
    return worker;
  }

  private dismiss(): void {
    this.worker?.postMessage("leave");
    this.wanted = 0;
    this.updateButtons();
  }
}
