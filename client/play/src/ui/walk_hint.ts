// The hint how to move. It stays until the player has moved.

const walkedTime = 800; // ms of moving, after which the player knows how
const frameMax = 500; // ms that a slow frame counts for

export class WalkHint {
  private walked = 0; // ms
  private last = 0;

  constructor(private readonly box: HTMLElement) {}

  update(isWalking: boolean, now: number): void {
    const passed = Math.min(now - this.last, frameMax);
    this.last = now;
    if (this.box.hidden || !isWalking) return;
    this.walked += passed;
    this.box.hidden = this.walked >= walkedTime;
  }
}
