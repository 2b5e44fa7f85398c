// Components of a schema, flattened to fields. Read from a .bfbs, which may be hostile.
import { contentHash } from "../core/content_hash.js";
import { fnv1a32 } from "../core/fnv.js";
import { badSchema, limits, readDeclarations, type EnumValue } from "./declarations.js";
import { flatten } from "./flatten.js";

/** Kinds of fields. Those of numbers are FlatBuffers' base types. */
export const kind = {
  bool: 2,
  int8: 3,
  uint8: 4,
  int16: 5,
  uint16: 6,
  int32: 7,
  uint32: 8,
  int64: 9,
  uint64: 10,
  float32: 11,
  float64: 12,
  rotation: 13,
  entity: 14,
  text: 15,
  stringId: 16,
} as const;

export type Kind = (typeof kind)[keyof typeof kind];

export const isInteger = (of: Kind): boolean => of >= kind.int8 && of <= kind.uint64;
export const isReal = (of: Kind): boolean => of === kind.float32 || of === kind.float64;
export const isSigned = (of: Kind): boolean =>
  of === kind.int8 || of === kind.int16 || of === kind.int32 || of === kind.int64;

/** A value at an offset of a component: "position.x". */
export interface Field {
  readonly path: string;
  readonly kind: Kind;
  readonly offset: number;
  readonly size: number; // bytes of one value
  readonly count: number; // elements; more than 1 for an array
  readonly stride: number; // bytes between elements
  readonly arrayAt: number; // length of the array's path, "several" in "several.weight"; 0 outside of arrays
  /** Place of the field that holds the number of elements in use; -1 without one. */
  countField: number;
  /** By value; empty if the field is no enum. */
  readonly enumValues: readonly EnumValue[];
  ranged: boolean;
  low: number;
  step: number;
  steps: number;
  bits: number;
  /** Tolerance of dead reckoning; 0 without it. */
  readonly tolerance: number;
  readonly smallestThree: boolean;
  readonly cut: boolean;
  readonly ownerOnly: boolean;
  readonly predicted: boolean;
  readonly notSent: boolean;
}

export interface Component {
  readonly name: string;
  readonly id: number;
  readonly size: number;
  readonly notSent: boolean;
  /** By offset. */
  readonly fields: readonly Field[];
  readonly defaults: Uint8Array;
}

export interface Schema {
  readonly bytes: Uint8Array;
  readonly fingerprint: Uint8Array;
  readonly components: ReadonlyMap<number, Component>;
}

/** Loads a copy of a .bfbs. Throws a Refusal with the reason "bad schema". */
export function loadSchema(bytes: Uint8Array): Schema {
  const declarations = readDeclarations(bytes);
  const components = new Map<number, Component>();
  for (const declared of declarations.structs) {
    if (!declared.attributes.has("component")) continue;
    const component = flatten(declarations, declared);
    if (components.has(component.id)) badSchema(`${component.name}: two components have this name, or its hash`);
    components.set(component.id, component);
    if (components.size > limits.components) badSchema(`more than ${limits.components} components`);
  }
  const own = bytes.slice();
  return { bytes: own, fingerprint: contentHash(own), components };
}

export function findComponent(schema: Schema, name: string): Component | undefined {
  return schema.components.get(fnv1a32(name));
}
