// The hint how to move. It stays until the player has moved.

const walkedTime = 0.8; // s of moving, after which the player knows how

export class WalkHint {
  private walked = 0; // s

  constructor(private readonly box: HTMLElement) {}

  update(isWalking: boolean, seconds: number): void {
    if (this.box.hidden || !isWalking) return;
    this.walked += seconds;
    this.box.hidden = this.walked >= walkedTime;
  }
}
