// The plot of the panel: draws the samples, with a scale for each of both units.
import { PlotSamples, samples } from "./plot_samples.js";

const rttFull = 500; // ms at the top of the plot
const correctionFull = 60; // cm
const [left, right, top] = [40, 48, 7]; // pixels beside and above the samples
const marks = 8; // pixels below the samples, for rollbacks
const textColour = "#cfd6d8";

export class Plot {
  readonly samples = new PlotSamples();
  private width = 0; // pixels that the samples have
  private height = 0;

  constructor(private readonly canvas: HTMLCanvasElement) {}

  draw(): void {
    const { canvas } = this;
    const scale = Math.max(1, devicePixelRatio);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (canvas.width !== width * scale || canvas.height !== height * scale)
      [canvas.width, canvas.height] = [width * scale, height * scale];
    this.width = width - left - right;
    this.height = height - top - marks;
    const paint = canvas.getContext("2d")!;
    paint.setTransform(scale, 0, 0, scale, 0, 0);
    paint.clearRect(0, 0, width, height);
    this.drawScale(paint);
    this.drawCorrections(paint);
    this.drawRtt(paint);
  }

  /** Returns the height on the canvas of a part of the scale. */
  private at(part: number): number {
    return top + this.height * (1 - Math.min(1, part));
  }

  private drawScale(paint: CanvasRenderingContext2D): void {
    paint.font = "10px system-ui, sans-serif";
    paint.textBaseline = "middle";
    for (const part of [0, 0.5, 1]) {
      const y = this.at(part);
      paint.fillStyle = "rgb(255 255 255 / 0.16)";
      paint.fillRect(left, y, this.width, 1);
      paint.fillStyle = textColour;
      paint.textAlign = "right";
      paint.fillText(`${part * correctionFull} cm`, left - 5, y);
      paint.textAlign = "left";
      paint.fillText(`${part * rttFull} ms`, left + this.width + 5, y);
    }
  }

  private drawCorrections(paint: CanvasRenderingContext2D): void {
    const step = this.width / samples;
    for (let i = 0; i < samples; ++i) {
      const { correction, rollbacks } = this.samples.at(i);
      if (rollbacks > 0) {
        paint.fillStyle = "#8ecbff";
        paint.fillRect(left + i * step, this.at(0) + 1, Math.max(step, 1.5), marks - 1);
      }
      if (correction === 0) continue;
      const y = Math.min(this.at(correction / correctionFull), this.at(0) - 2);
      paint.fillStyle = "#ff9d7a";
      paint.fillRect(left + i * step, y, Math.max(step, 2), this.at(0) - y);
    }
  }

  private drawRtt(paint: CanvasRenderingContext2D): void {
    paint.strokeStyle = "#b7e08a";
    paint.lineWidth = 1.5;
    paint.beginPath();
    for (let i = 0; i < samples; ++i) paint.lineTo(left + (i * this.width) / samples, this.at(this.samples.at(i).rtt / rttFull));
    paint.stroke();
  }
}
