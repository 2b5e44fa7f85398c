// Bodies of deltas that do not fit a datagram. They arrive in parts before the deltas that name them.
import { concat } from "../core/bytes.js";
import { refuse } from "../core/refusal.js";
import type { MessageOf } from "../wire/messages.js";

const bodiesKept = 8;

interface Body {
  number: number;
  size: number;
  bytes: Uint8Array;
}

export class ReceivedBodies {
  private readonly bodies: Body[] = Array.from({ length: bodiesKept }, () => ({
    number: 0,
    size: 0,
    bytes: new Uint8Array(0),
  }));
  private newest = 0;

  add(part: MessageOf<"deltaBody">): void {
    const body = this.bodies[part.number % bodiesKept]!;
    if (part.offset === 0) {
      if (part.number <= this.newest) refuse("malformed delta", "a body begins whose number is not a new one");
      this.newest = part.number;
      Object.assign(body, { number: part.number, size: part.size, bytes: part.bytes });
      return;
    }
    if (part.number !== this.newest || part.size !== body.size || part.offset !== body.bytes.length)
      refuse("malformed delta", "a part of a body does not continue the last one");
    body.bytes = concat(body.bytes, part.bytes);
  }

  /** Returns null for a body that is not complete, or not kept any more. */
  find(number: number): Uint8Array | null {
    const body = this.bodies[number % bodiesKept]!;
    const isKept = number !== 0 && body.number === number && this.newest - number < bodiesKept;
    return isKept && body.bytes.length === body.size ? body.bytes : null;
  }
}
