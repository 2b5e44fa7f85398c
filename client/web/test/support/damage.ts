// Damage that only a server itself could do: its packets are sealed.
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
