// Commands and events of the demo: schema/demo_commands.fbs and schema/demo_events.fbs.
import { FlatTable } from "../../../web/src/core/flat_table.js";
import * as flat from "../../../web/src/core/flat_writer.js";
import type { Entity } from "@mobula/client";

interface Direction {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

const aim = (number: number, { x, y, z }: Direction): Uint8Array =>
  flat.flatMessage([flat.u8(number), flat.table([flat.f32(x), flat.f32(y), flat.f32(z)])]);

/** Moves the avatar in a direction of length 1 at most, until the next command. */
export const moveCommand = (x: number, z: number): Uint8Array =>
  flat.flatMessage([flat.u8(1), flat.table([flat.f32(x), flat.f32(z)])]);
export const throwCommand = (direction: Direction): Uint8Array => aim(3, direction);
export const tagCommand = (direction: Direction): Uint8Array => aim(4, direction);
/** Sends a text of 1 to 120 bytes to all players. */
export const chatCommand = (text: string): Uint8Array => flat.flatMessage([flat.u8(5), flat.table([flat.text(text)])]);

export type DemoEvent =
  | { readonly kind: "pickup"; readonly by: Entity; readonly what: number; readonly amount: number }
  | { readonly kind: "thrown"; readonly by: Entity }
  | { readonly kind: "hit"; readonly stone: Entity; readonly at: Direction }
  | { readonly kind: "tagged"; readonly by: Entity; readonly avatar: Entity }
  | { readonly kind: "chat"; readonly by: Entity; readonly name: string; readonly text: string };

function handle(table: FlatTable, field: number): Entity {
  const at = table.struct(field, 8);
  if (at === 0) return 0n;
  const view = new DataView(table.bytes.buffer, table.bytes.byteOffset);
  return (BigInt(view.getUint32(at + 4, true)) << 32n) | BigInt(view.getUint32(at, true));
}

function direction(table: FlatTable, field: number): Direction {
  const at = table.struct(field, 12);
  if (at === 0) return { x: 0, y: 0, z: 0 };
  const view = new DataView(table.bytes.buffer, table.bytes.byteOffset);
  const [x, y, z] = [view.getFloat32(at, true), view.getFloat32(at + 4, true), view.getFloat32(at + 8, true)];
  return { x, y, z };
}

const readers: Readonly<Record<number, (body: FlatTable) => DemoEvent>> = {
  1: (body) => ({ kind: "pickup", by: handle(body, 0), what: body.u8(1), amount: body.u16(2) }),
  2: (body) => ({ kind: "thrown", by: handle(body, 0) }),
  3: (body) => ({ kind: "hit", stone: handle(body, 0), at: direction(body, 1) }),
  4: (body) => ({ kind: "tagged", by: handle(body, 0), avatar: handle(body, 1) }),
  5: (body) => ({ kind: "chat", by: handle(body, 0), name: body.text(1, 96), text: body.text(2, 120) }),
};

/** Returns an event; null for one that this page does not know, or whose bytes are malformed. */
export function readEvent(bytes: Uint8Array): DemoEvent | null {
  try {
    const root = FlatTable.root(bytes);
    const body = root.table(1);
    return body === null ? null : (readers[root.u8(0)]?.(body) ?? null);
  } catch {
    return null;
  }
}
