// Damage to what a server sends, which only the server itself could do: its packets are sealed.
import type { Connection } from "../../src/connection/connection.js";

/** Damages some of the bodies that a session receives, as only the server itself could. */
export function damage(connection: Connection, random: () => number): void {
  const { endpoint } = connection as unknown as {
    endpoint: { session: { receive(body: Uint8Array, now: number): void } };
  };
  const { session } = endpoint;
  const receive = session.receive.bind(session);
  session.receive = (body, now) => {
    const damaged = body.slice();
    for (let i = random() < 0.1 ? 1 + Math.floor(random() * 4) : 0; i > 0; --i)
      damaged[8 + Math.floor(random() * (damaged.length - 8))]! ^= 1 << Math.floor(random() * 8);
    receive(damaged, now);
  };
}

/** Returns a copy with one to three bytes changed. */
export function damagedInput(input: Uint8Array, random: () => number): Uint8Array {
  const below = (end: number): number => Math.floor(random() * end);
  const damaged = input.slice();
  for (let changes = 1 + below(3); changes > 0; --changes) {
    const at = below(damaged.length);
    damaged[at] = random() < 0.5 ? damaged[at]! ^ (1 << below(8)) : below(256);
  }
  return damaged;
}
