// The plot of the panel: round trip, corrections and rollbacks of the last seconds.

const samples = 240;
const sampleTime = 50; // ms
const rttFull = 500; // ms at the top of the plot
const correctionFull = 60; // cm

export class Plot {
  private readonly rtt = new Float32Array(samples);
  private readonly correction = new Float32Array(samples);
  private readonly rollbacks = new Uint8Array(samples);
  private at = 0;
  private lastSample = 0;

  constructor(private readonly canvas: HTMLCanvasElement) {}

  /** Notes what has happened since the last call. The correction is in cm. */
  note(now: number, rtt: number, correction: number, rollbacks: number): void {
    if (now - this.lastSample >= sampleTime) {
      this.lastSample = now;
      this.at = (this.at + 1) % samples;
      this.correction[this.at] = this.rollbacks[this.at] = 0;
    }
    this.rtt[this.at] = rtt;
    this.correction[this.at] = Math.max(this.correction[this.at]!, correction);
    this.rollbacks[this.at] = Math.min(255, this.rollbacks[this.at]! + rollbacks);
  }

  draw(): void {
    const { canvas } = this;
    const scale = Math.max(1, devicePixelRatio);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (canvas.width !== width * scale) [canvas.width, canvas.height] = [width * scale, height * scale];
    const paint = canvas.getContext("2d")!;
    paint.setTransform(scale, 0, 0, scale, 0, 0);
    paint.clearRect(0, 0, width, height);
    this.drawGrid(paint, width, height);
    const step = width / samples;
    for (let i = 0; i < samples; ++i) {
      const place = (this.at + 1 + i) % samples;
      if (this.rollbacks[place]! > 0) {
        paint.fillStyle = "#8ecbff";
        paint.fillRect(i * step, height - 7, Math.max(step, 1.5), 7);
      }
      const correction = this.correction[place]!;
      if (correction > 0) {
        const tall = Math.max(2, Math.min(1, correction / correctionFull) * (height - 12));
        paint.fillStyle = "#ff9d7a";
        paint.fillRect(i * step, height - 8 - tall, Math.max(step, 2), tall);
      }
    }
    this.drawRtt(paint, step, height);
  }

  private drawGrid(paint: CanvasRenderingContext2D, width: number, height: number): void {
    paint.fillStyle = "rgb(255 255 255 / 0.08)";
    for (const part of [0.25, 0.5, 0.75]) paint.fillRect(0, height * part, width, 1);
  }

  private drawRtt(paint: CanvasRenderingContext2D, step: number, height: number): void {
    paint.strokeStyle = "#b7e08a";
    paint.lineWidth = 1.5;
    paint.beginPath();
    for (let i = 0; i < samples; ++i) {
      const y = height - 2 - Math.min(1, this.rtt[(this.at + 1 + i) % samples]! / rttFull) * (height - 6);
      if (i === 0) paint.moveTo(0, y);
      else paint.lineTo(i * step, y);
    }
    paint.stroke();
  }
}
