// Patience of a client that has sent Hello and waits for the parts of Welcome. A server that many clients join at once
// acknowledges Hello, lets the client wait, and sends keep-alives meanwhile. One whose Welcome does not arrive sends
// nothing else.
import type { Session } from "../session/session.js";

// Longest times without a part of Welcome, in ms.
const busyPatience = 60_000;
const welcomePatience = 20_000;
const silentPatience = 8000;
const waitStepMax = 500; // ms
const pathIsNarrow = "no Welcome arrives: large datagrams do not arrive";
const serverIsBusy = "the server has had Hello for 60 s and sent no Welcome: it is overloaded; try again later";

type Received = Pick<Session, "bodies" | "contentBytes" | "isDelivered">;

export class WelcomeWait {
  private waited = 0; // ms, without pauses of this client
  private heardAt = 0; // `waited` when a body arrived the last time
  private progressAt = 0; // `waited` when content arrived the last time
  private bodies = 0;
  private contentBytes = 0;

  constructor(private checkedAt: number) {}

  /** Returns why waiting is over. A long time between two calls is a pause of this client; its first 500 ms count. */
  check(session: Received, now: number): string | null {
    this.waited += Math.min(Math.max(now - this.checkedAt, 0), waitStepMax);
    this.checkedAt = now;
    if (session.bodies !== this.bodies) this.heardAt = this.waited;
    if (session.contentBytes !== this.contentBytes) this.progressAt = this.waited;
    ({ bodies: this.bodies, contentBytes: this.contentBytes } = session);
    const isSilent = this.waited - this.heardAt >= silentPatience;
    const isBusy = !isSilent && this.contentBytes === 0 && session.isDelivered();
    if (!isSilent && this.waited - this.progressAt < (isBusy ? busyPatience : welcomePatience)) return null;
    return isBusy ? serverIsBusy : pathIsNarrow;
  }
}
