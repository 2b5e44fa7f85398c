// The netcode panel: figures, a worse network, techniques to switch off, a plot, and captions.
import type { Client } from "@mobula/client";
import type { Conditions, Counts } from "../session/slow_network.js";
import type { Timeline } from "../session/timeline.js";
import { captionsOf } from "./captions.js";
import { element, make, setText } from "./elements.js";
import { Plot } from "./plot.js";
import { PredictionTotals } from "./prediction_totals.js";

const figuresTime = 250; // ms between new figures
const rateTime = 1000; // ms over which bytes are counted
const lossTime = 4000; // ms over which losses are

export interface Switches {
  prediction: boolean;
  smoothing: boolean;
  ghost: boolean;
}

const isChecked = (id: string): boolean => element<HTMLInputElement>(id).checked;

export class Panel {
  readonly box = element("panel");
  private readonly plot = new Plot(element<HTMLCanvasElement>("plot"));
  private readonly rate = { at: 0, bytes: 0, kibPerSecond: 0 };
  private readonly link = { at: 0, sent: 0, lost: 0, part: 0 };
  private lastFigures = 0;
  private readonly totals = new PredictionTotals();
  private lastCaptions = "";
  private whyNoPrediction = "";

  constructor(
    private readonly conditions: Conditions,
    private readonly counts: Counts,
    private readonly onSwitch: (switches: Switches) => void,
  ) {
    for (const [name, unit] of [["latency", "ms"], ["jitter", "ms"], ["loss", "%"]] as const) this.slide(name, unit);
    for (const id of ["t-prediction", "t-smoothing", "t-interpolation", "t-ghost"])
      element(id).addEventListener("change", () => this.onSwitch(this.switches()));
  }

  private slide(name: "latency" | "jitter" | "loss", unit: string): void {
    const slider = element<HTMLInputElement>(`s-${name}`);
    const output = element(`o-${name}`);
    const apply = (): void => {
      this.conditions[name] = name === "loss" ? slider.valueAsNumber / 100 : slider.valueAsNumber;
      setText(output, `${slider.value} ${unit}`);
    };
    slider.addEventListener("input", apply);
    apply();
  }

  switches(): Switches {
    return { prediction: isChecked("t-prediction"), smoothing: isChecked("t-smoothing"), ghost: isChecked("t-ghost") };
  }

  /** Lets prediction be switched, or not if there is none. `why` is the reason. */
  offerPrediction(isThere: boolean, why = ""): void {
    this.whyNoPrediction = why;
    for (const id of ["t-prediction", "t-smoothing"]) element<HTMLInputElement>(id).disabled = !isThere;
    element<HTMLInputElement>("t-prediction").checked = isThere;
  }

  toggleGhost(): void {
    const box = element<HTMLInputElement>("t-ghost");
    box.checked = !box.checked;
    this.onSwitch(this.switches());
  }

  update(client: Client, timeline: Timeline, now: number): void {
    this.count(client, now);
    timeline.isInterpolating = isChecked("t-interpolation");
    this.notePlot(client, timeline, now);
    if (this.box.hidden) return;
    this.plot.draw();
    if (now - this.lastFigures < figuresTime) return;
    this.lastFigures = now;
    this.showFigures(client, timeline);
    this.showCaptions(client, timeline);
  }

  private notePlot(client: Client, timeline: Timeline, now: number): void {
    const { sums } = this.totals;
    const former = { ...sums };
    const own = timeline.own?.figures ?? null;
    if (own !== null) this.totals.add(own);
    const correction = sums.corrections > former.corrections ? 100 * (own?.correction ?? 0) : 0;
    this.plot.samples.note(now, client.link.rtt, correction, sums.rollbacks - former.rollbacks);
  }

  private count(client: Client, now: number): void {
    const { rate, link } = this;
    const { bytesReceived } = client.statistics;
    const { sent, lost } = client.link;
    if (now - rate.at > rateTime) {
      rate.kibPerSecond = Math.max(0, ((bytesReceived - rate.bytes) / 1024 / (now - rate.at)) * 1000);
      Object.assign(rate, { at: now, bytes: bytesReceived });
    }
    if (now - link.at > lossTime) {
      link.part = sent > link.sent ? Math.min(1, Math.max(0, lost - link.lost) / (sent - link.sent)) : 0;
      Object.assign(link, { at: now, sent, lost });
    }
  }

  private showFigures(client: Client, timeline: Timeline): void {
    const { statistics, link } = client;
    const { kibPerSecond } = this.rate;
    const own = timeline.own?.figures ?? null;
    const tick = 1000 / Math.max(client.connection.ticksPerSecond, 1);
    const figures: Readonly<Record<string, string>> = {
      rtt: `${Math.round(link.rtt)} ± ${Math.round(link.variation)} ms`,
      loss: `${Math.round(100 * this.link.part)} %`,
      rate: `${kibPerSecond.toFixed(1)} KiB/s`,
      tick: String(client.tick),
      behind: `${Math.round(timeline.behind)} ms`,
      ahead: own === null ? "–" : `${Math.round(own.ahead * tick)} ms`,
      entities: String(client.indices("Transform").length),
      verified: `${statistics.verifiedTicks}, ${statistics.mismatchedTicks} wrong`,
    };
    for (const [name, text] of Object.entries(figures)) setText(element(`f-${name}`), text);
    this.showTotals();
  }

  private showTotals(): void {
    const { dropped, passed } = this.counts;
    const { rollbacks, ticksReplayed, late, remote, level } = this.totals.sums;
    setText(element("total-dropped"), `Datagrams that this page has dropped: ${dropped} of ${dropped + passed}`);
    setText(element("total-rollbacks"), `Rollbacks: ${rollbacks} (${ticksReplayed} ticks replayed)`);
    setText(
      element("total-mispredictions"),
      `Mispredictions: ${late + remote + level} (late command ${late}, remote change ${remote}, missing level ${level})`,
    );
  }

  private showCaptions(client: Client, timeline: Timeline): void {
    const { smoothing, ghost } = this.switches();
    const tick = 1000 / Math.max(client.connection.ticksPerSecond, 1);
    const texts = captionsOf({
      canPredict: !element<HTMLInputElement>("t-prediction").disabled,
      whyNoPrediction: this.whyNoPrediction,
      isPredicting: timeline.own?.isRunning ?? false,
      isSmoothing: smoothing,
      isInterpolating: timeline.isInterpolating,
      hasGhost: ghost,
      rtt: client.link.rtt,
      behind: timeline.behind,
      ahead: (timeline.own?.figures.ahead ?? 0) * tick,
      loss: this.conditions.loss,
      jitter: this.conditions.jitter,
      rollbacks: this.totals.sums.rollbacks,
    });
    // Screen readers announce new captions, not new figures in them.
    const state = texts.map((text) => text.replace(/\d+/g, "")).join("\n");
    const box = element("captions");
    if (state === this.lastCaptions) texts.forEach((text, i) => setText(box.children[i] as HTMLElement, text));
    else box.replaceChildren(...texts.map((text) => make("p", "", text)));
    this.lastCaptions = state;
  }
}
