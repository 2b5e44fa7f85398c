// Follows a player to other zones. A second connection is opened when the player is near a zone or in it, and takes over
// when it shows all that the player sees (docs/protocol.md, "Zones").
import type { End } from "../core/refusal.js";
import type { Follow } from "../wire/messages.js";
import type { Connection } from "./connection.js";
import type { PipedConnection } from "./piped_connection.js";

/** Opens a second connection to a zone. Throws if none of its addresses can be reached from here. */
export type OpenSecond = (follow: Follow) => PipedConnection;

function parsed(address: string): URL[] {
  try {
    return [new URL(address)];
  } catch {
    return [];
  }
}

/** Returns the URL out of a zone's addresses that is most like the present one; null if no address has its kind of pipe. */
export function addressLike({ protocol }: URL, addresses: readonly string[]): URL | null {
  const kindOf = (scheme: string): string => (scheme === "wss:" ? "ws:" : scheme);
  const alike = addresses.flatMap(parsed).filter((url) => kindOf(url.protocol) === kindOf(protocol));
  return alike.find((url) => url.protocol === protocol) ?? alike[0] ?? null;
}

const hasWhatThePlayerSees = (connection: Connection): boolean => {
  const { mirror, player, state } = connection;
  return (
    state === "playing" && connection.isComplete() && (mirror?.world.has(player.index, player.generation) ?? false)
  );
};

function takeFollow(connection: Connection): Follow | null {
  const { follow } = connection;
  connection.follow = null;
  return follow;
}

export class ZoneFollower {
  private second: PipedConnection | null = null;
  private zone: Follow | null = null; // that the second connection is to
  private hasMoved = false; // the player is in the zone; otherwise it may go there

  constructor(private readonly openSecond: OpenSecond) {}

  /** Whether the player is where the second connection leads. The present one may end before that is complete. */
  get isOnTheWay(): boolean {
    return this.second !== null && this.hasMoved;
  }

  /** Notes that the server has ended the session because the player is in a world. */
  onMoved(world: string): void {
    this.hasMoved = true;
    if (this.zone?.world !== world) this.drop();
  }

  /** Updates the second connection. `present` ends with the reason "moved" if its player cannot be followed. */
  update(present: PipedConnection, now: number): void {
    let follow = takeFollow(present.connection);
    const { second } = this;
    if (second !== null) {
      second.update(now);
      // A visit from there waits until that connection is the present one.
      if (second.connection.follow?.visit === false) follow = takeFollow(second.connection);
      if (follow === null && second.connection.state === "closed") return this.onClosed(present, second.connection.end);
    }
    if (follow !== null) this.begin(present, follow);
  }

  private begin(present: PipedConnection, follow: Follow): void {
    const isOpen = this.second !== null && this.second.connection.state !== "closed";
    const isThere = isOpen && this.zone!.addresses.join() === follow.addresses.join();
    this.hasMoved = !follow.visit;
    if (isThere) return;
    this.drop();
    try {
      this.second = this.openSecond(follow);
      this.zone = follow;
    } catch {
      if (this.hasMoved) this.giveUp(present, follow.world);
    }
  }

  private onClosed(present: PipedConnection, end: End | null): void {
    const { hasMoved, zone } = this;
    this.drop();
    if (hasMoved) this.giveUp(present, end?.reason === "moved" ? end.text : zone!.world);
  }

  /** Lets the client join the world with another token. */
  private giveUp(present: PipedConnection, world: string): void {
    this.hasMoved = false;
    present.close();
    present.connection.end = { reason: "moved", text: world };
  }

  /** Returns the second connection and its zone, once it shows all that the player sees. It is then the present one. */
  takeComplete(): { readonly second: PipedConnection; readonly zone: Follow } | null {
    const { second, zone } = this;
    if (second === null || !hasWhatThePlayerSees(second.connection)) return null;
    this.second = this.zone = null;
    this.hasMoved = false;
    return { second, zone: zone! };
  }

  /** Ends the second connection. The player may be there already, so that the server keeps it. */
  drop(): void {
    this.second?.close({ reason: "pipe lost", text: "" });
    this.second = this.zone = null;
  }

  /** Ends it, and the player leaves the game if it is there. */
  close(): void {
    if (this.isOnTheWay) this.second!.close();
    this.drop();
  }
}
