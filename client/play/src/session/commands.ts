// Gives the player's commands to the client: one per tick, because the server refuses a flood of them.
import type { Client } from "@mobula/client";
import { encode } from "@mobula/client/messages";
import { Move } from "../../../web/demo/demo_commands.js";

const actionsMax = 4; // that wait; more are keys pressed in anger
const turnMin = 0.02; // smallest change of the direction that is worth a command
const repeatTime = 0.5; // s after which a direction is given again: a server drops what is late, or of another avatar

export class Commands {
  private readonly actions: (() => Uint8Array | null)[] = [];
  private wanted = { x: 0, z: 0 };
  private given = { x: 0, z: 0 };
  private givenAt = 0; // tick
  private lastTick = -1;

  /** Sets the direction to go in. Its length is at most 1. */
  move(x: number, z: number): void {
    this.wanted = { x, z };
  }

  /** Adds an action. Its command is made when it is sent, from what the player sees then; null for none. */
  act(make: () => Uint8Array | null): void {
    if (this.actions.length < actionsMax) this.actions.push(make);
  }

  /** Forgets what the server of a former session has been given. */
  restart(): void {
    this.given = { x: 0, z: 0 };
    this.actions.length = 0;
  }

  private hasTurned(): boolean {
    const { wanted, given } = this;
    const stops = wanted.x === 0 && wanted.z === 0;
    const moved = Math.hypot(wanted.x - given.x, wanted.z - given.z);
    return stops ? moved > 0 : moved > turnMin;
  }

  update(client: Client): void {
    if (client.state !== "playing" || !client.has(client.player)) return;
    const tick = Math.floor(client.serverTick());
    if (tick === this.lastTick) return;
    const command = this.next(tick, repeatTime * client.connection.ticksPerSecond);
    if (command === null) return;
    this.lastTick = tick;
    client.send(command);
  }

  /** Steps come first: to stop late is worse than to throw late. */
  private next(tick: number, repeatTicks: number): Uint8Array | null {
    if (this.hasTurned() || Math.abs(tick - this.givenAt) >= repeatTicks) {
      this.given = { ...this.wanted };
      this.givenAt = tick;
      return encode(Move, this.given);
    }
    for (let action = this.actions.shift(); action !== undefined; action = this.actions.shift()) {
      const command = action();
      if (command !== null) return command;
    }
    return null;
  }
}
