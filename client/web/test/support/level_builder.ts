// Files of levels for tests, also such as no compiler writes.
import { concat, fromHex, putU32, putU64 } from "../../src/core/bytes.js";
import * as flat from "../../src/core/flat_writer.js";
import { fnv1a32 } from "../../src/core/fnv.js";
import { contentHash } from "../../src/core/content_hash.js";
import { vectorOf } from "./flat_vectors.js";
import { readText } from "./repository.js";

/** Returns a file of these names, prototypes and columns, whose entities have the first prototype. */
export function levelOf(
  count: number,
  names: flat.Field,
  prototypes: flat.Field,
  columns: flat.Field = null,
  schema = fromHex(JSON.parse(readText("schema/session_vectors.json")).schema),
  statics: flat.Field = null,
): Uint8Array {
  const prototypeOf = flat.structs(count, new Uint8Array(4 * count));
  const level = flat.table([flat.u32(count), null, prototypes, prototypeOf, columns]);
  const payload = flat.flatMessage([flat.blob(schema), names, level, null, statics]);
  const head = new Uint8Array(16);
  putU32(head, 0, 0x52424f4d);
  putU32(head, 4, 2);
  putU64(head, 8, payload.length);
  return concat(head, contentHash(payload), payload);
}

/** Returns the file of a level of one entity that has a name of its own. */
export const smallLevel = (name: string): Uint8Array =>
  levelOf(1, vectorOf([flat.table([flat.u32(1), flat.text(name)])]), vectorOf([flat.table([])]));

/** Returns the file of a level whose entities have the component Part, a number, of a schema. */
export function levelOfParts(schema: Uint8Array, values: Uint32Array): Uint8Array {
  const part = fnv1a32("Part");
  const ref = new Uint8Array(Uint32Array.of(part, part).buffer);
  const entities = new Uint8Array(Uint32Array.from(values, (_, i) => i).buffer);
  const column = flat.table([
    flat.u32(part),
    flat.u32(part),
    null,
    flat.u32(values.length),
    flat.structs(values.length, entities),
    flat.blob(new Uint8Array(values.slice().buffer)),
  ]);
  const names = vectorOf([flat.table([flat.u32(1), flat.text("Part")])]);
  const prototypes = vectorOf([flat.table([flat.structs(1, ref)])]);
  return levelOf(values.length, names, prototypes, vectorOf([column]), schema);
}
