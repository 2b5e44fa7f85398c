// Files of levels for tests, also such as no compiler writes.
import { concat, fromHex, putU32, putU64 } from "../../src/core/bytes.js";
import * as flat from "../../src/core/flat_writer.js";
import { contentHash } from "../../src/reflect/schema.js";
import { vectorOf } from "./flat_vectors.js";
import { readText } from "./repository.js";

/** Returns a file of these names and prototypes, whose entities have the first one. */
export function levelOf(count: number, names: flat.Field, prototypes: flat.Field): Uint8Array {
  const schema = flat.blob(fromHex(JSON.parse(readText("schema/session_vectors.json")).schema));
  const level = flat.table([flat.u32(count), null, prototypes, flat.structs(count, new Uint8Array(4 * count))]);
  const payload = flat.flatMessage([schema, names, level]);
  const head = new Uint8Array(16);
  putU32(head, 0, 0x52424f4d);
  putU32(head, 4, 2);
  putU64(head, 8, payload.length);
  return concat(head, contentHash(payload), payload);
}

/** Returns the file of a level of one entity that has a name of its own. */
export const smallLevel = (name: string): Uint8Array =>
  levelOf(1, vectorOf([flat.table([flat.u32(1), flat.text(name)])]), vectorOf([flat.table([])]));
