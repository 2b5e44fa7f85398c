// Commands and events of a game as typed values. mobula-schema-gen --typescript writes the descriptions.
export { decode, encode } from "./message/table.js";
export { type Draft, type Message, type TableField } from "./message/table.js";
export {
  bytes,
  child,
  list,
  optional,
  required,
  scalar,
  table,
  tables,
  text,
  texts,
  union,
  variant,
} from "./message/table.js";
export { type InlineType, array, bool, entity, enumOf, fixedText, struct } from "./message/inline.js";
export { float32, float64, int16, int32, int64, int8, uint16, uint32, uint64, uint8 } from "./message/inline.js";
export type { Entity } from "./core/entity.js";
