// Flattens a struct with the attribute "component" to its fields.
import { fnv1a32 } from "../core/fnv.js";
import {
  type Attributes,
  type Declarations,
  type DeclaredField,
  type DeclaredStruct,
  badSchema,
  base,
  baseBytes,
  limits,
} from "./declarations.js";
import { writeDefault } from "./defaults.js";
import {
  bitWidth,
  quantiseInteger,
  quantiseReal,
  quantiseRotation,
  toleranceOf,
  unquantised,
  type Quantisation,
} from "./quantisation.js";
import { type Component, type Field, type Kind, isInteger, isReal, isSigned, kind } from "./schema.js";

/** Properties that a field has from the structs around it. */
interface Context {
  readonly path: string;
  readonly offset: number;
  readonly count: number;
  readonly stride: number; // 0 outside of arrays
  readonly arrayAt: number; // as that of a field
  readonly countedBy: string;
  readonly quantisation: Attributes;
  readonly tolerance: string | undefined;
  readonly flags: ReadonlySet<string>;
  readonly depth: number;
}

const flagNames = ["smallest_three", "cut", "owner_only", "predicted", "not_sent", "not_saved"];
/** Flags that an array and the field that counts it have in common. */
const sharedFlags = ["owner_only", "not_sent", "not_saved"];
const entityName = "mobula.engine.EntityRef";

interface Flattening {
  readonly declarations: Declarations;
  readonly defaults: Uint8Array;
  readonly fields: Field[];
  readonly contexts: Context[]; // beside `fields`
}

const structOf = (work: Flattening, field: DeclaredField): DeclaredStruct => work.declarations.structs[field.type]!;

function kindOf(work: Flattening, field: DeclaredField, path: string): Kind | null {
  if (field.base === base.struct) {
    if (structOf(work, field).name === entityName) return kind.entity;
    return field.attributes.has("unit_quaternion") ? kind.rotation : null;
  }
  const isPlain = field.type < 0;
  if (field.attributes.has("fixed_string"))
    return isPlain && field.base === base.ubyte && field.length > 0
      ? kind.text
      : badSchema(`${path}: fixed_string is for arrays of ubyte`);
  if (!field.attributes.has("string_id")) return field.base as Kind;
  return isPlain && field.base === base.uint ? kind.stringId : badSchema(`${path}: string_id is for uint`);
}

const handedDown = (attributes: Attributes): Attributes =>
  new Map([...attributes].filter(([name]) => name === "range" || name === "step" || name === "bits"));

function enter(field: DeclaredField, context: Context, elementSize: number, isArray: boolean): Context {
  const { attributes } = field;
  const counter = attributes.get("count");
  return {
    path: context.path + field.name,
    offset: context.offset + field.offset,
    count: isArray ? field.length : context.count,
    stride: isArray ? elementSize : context.stride,
    arrayAt: isArray ? context.path.length + field.name.length : context.arrayAt,
    countedBy: isArray && counter !== undefined ? context.path + counter : context.countedBy,
    quantisation: context.quantisation.size > 0 ? context.quantisation : handedDown(attributes),
    tolerance: context.tolerance ?? attributes.get("dead_reckoning"),
    flags: new Set([...context.flags, ...flagNames.filter((name) => attributes.has(name))]),
    depth: context.depth + 1,
  };
}

function quantise(field: DeclaredField, of: Kind, values: number, context: Context): Quantisation {
  if (values > 0) return { ...unquantised, steps: values - 1, bits: bitWidth(values - 1) };
  if (isReal(of)) return quantiseReal(context.quantisation, context.path);
  if (of === kind.rotation) return quantiseRotation(field.attributes, context.path);
  return isInteger(of) ? quantiseInteger(field.attributes, isSigned(of), context.path) : unquantised;
}

function addLeaf(work: Flattening, field: DeclaredField, of: Kind, size: number, context: Context): void {
  if (work.fields.length === limits.fields) badSchema(`a component has at most ${limits.fields} fields`);
  const declared = isInteger(of) && field.type >= 0 ? work.declarations.enums[field.type] : undefined;
  const enumValues = declared?.values ?? [];
  if (declared !== undefined && !enumValues.some(({ value }) => value === 0n))
    badSchema(`${context.path}: an enum in a component has a value for zero`);
  if (context.tolerance !== undefined && (context.stride > 0 || (!isReal(of) && of !== kind.rotation)))
    badSchema(`${context.path}: dead_reckoning is for floats and rotations outside of arrays`);
  const quantisation = quantise(field, of, enumValues.length, context);
  if (context.tolerance !== undefined && quantisation.bits === 0)
    badSchema(`${context.path}: dead_reckoning needs a range`);
  work.fields.push({
    path: context.path,
    kind: of,
    offset: context.offset,
    size,
    count: context.count,
    stride: context.stride || size,
    arrayAt: context.arrayAt,
    countField: -1,
    enumValues,
    ...quantisation,
    tolerance: context.tolerance === undefined ? 0 : toleranceOf(context.tolerance, quantisation, context.path),
    smallestThree: context.flags.has("smallest_three"),
    cut: context.flags.has("cut"),
    ownerOnly: context.flags.has("owner_only"),
    predicted: context.flags.has("predicted"),
    notSent: context.flags.has("not_sent"),
  });
  work.contexts.push(context);
}

function visitStruct(work: Flattening, struct: DeclaredStruct, context: Context): void {
  if (context.depth > limits.depth) badSchema("structs are nested too deep, or form a cycle");
  for (const field of struct.fields) visitField(work, field, context);
}

/** Returns whether fields are a rotation that a game encodes itself: the omitted number, and three codes of 2 to 16 bits. */
function isSmallestThree(leaves: readonly Field[], path: string): boolean {
  const [omitted, code] = leaves;
  if (leaves.length !== 4 || omitted!.steps !== 3) return false;
  const codes = code!.steps + 1;
  if (codes < 4 || codes > 65_536 || (codes & code!.steps) !== 0) return false;
  return leaves.every(
    (leaf) =>
      isInteger(leaf.kind) &&
      leaf.enumValues.length === 0 &&
      leaf.ranged &&
      leaf.low === 0 &&
      leaf.arrayAt === 0 &&
      !leaf.path.includes(".", path.length + 1) &&
      (leaf === omitted || leaf.steps === code!.steps) &&
      leaf.notSent === omitted!.notSent &&
      leaf.ownerOnly === omitted!.ownerOnly,
  );
}

function visitField(work: Flattening, field: DeclaredField, outer: Context): void {
  const path = outer.path + field.name;
  if (path.length > limits.pathBytes) badSchema(`${path}: the path is too long`);
  const of = kindOf(work, field, path);
  const elementSize = field.base === base.struct ? structOf(work, field).size : baseBytes[field.base]!;
  if (of === kind.rotation && elementSize !== 16) badSchema(`${path}: a rotation has four floats`);
  if (of === kind.entity && elementSize !== 8) badSchema(`${path}: EntityRef has index and generation`);
  const isArray = field.length > 0 && of !== kind.text;
  if (isArray && outer.stride > 0) badSchema(`${path}: an array inside an array`);
  const inner = enter(field, outer, elementSize, isArray);
  const firstLeaf = work.fields.length;
  if (of === null) visitStruct(work, structOf(work, field), { ...inner, path: `${path}.` });
  else addLeaf(work, field, of, of === kind.text ? field.length : elementSize, inner);
  if (field.attributes.has("smallest_three") && !isSmallestThree(work.fields.slice(firstLeaf), path))
    badSchema(`${path}: smallest_three are four integers: one of range "0 3", three of 2 to 16 bits`);
  const text = field.attributes.get("default");
  if (text !== undefined) applyDefault(work, text, work.fields.slice(firstLeaf), outer);
}

/** Writes a default. Inside an array of structs it applies to each element. */
function applyDefault({ defaults }: Flattening, text: string, leaves: readonly Field[], outer: Context): void {
  if (outer.stride === 0 && leaves.some((leaf) => leaf.count > 1)) badSchema(`${outer.path}: an array has no default`);
  writeDefault(text, leaves, defaults);
  for (let i = 1; i < outer.count; ++i)
    for (const { offset, size } of leaves) defaults.copyWithin(offset + i * outer.stride, offset, offset + size);
}

function resolveCounts(work: Flattening): void {
  work.fields.forEach((array, i) => {
    const { countedBy, flags } = work.contexts[i]!;
    if (countedBy === "") return;
    const place = work.fields.findIndex((field) => field.path === countedBy);
    const counter = work.fields[place];
    if (
      counter === undefined ||
      !isInteger(counter.kind) ||
      isSigned(counter.kind) ||
      counter.size > 4 ||
      array.count >= 2 ** (8 * counter.size) ||
      work.contexts[place]!.stride > 0 ||
      counter.smallestThree ||
      counter.enumValues.length > 0 ||
      (counter.ranged && counter.low + counter.steps !== array.count)
    )
      badSchema(`${array.path}: no ubyte, ushort or uint ${countedBy}, of no other range, counts it`);
    if (sharedFlags.some((flag) => flags.has(flag) !== work.contexts[place]!.flags.has(flag)))
      badSchema(`${countedBy} must be ${sharedFlags.join(", ")} like what it counts`);
    array.countField = place;
    Object.assign(counter, { ranged: true, low: 0, step: 1, steps: array.count, bits: bitWidth(array.count) });
  });
}

export function flatten(declarations: Declarations, struct: DeclaredStruct): Component {
  const work: Flattening = { declarations, defaults: new Uint8Array(struct.size), fields: [], contexts: [] };
  visitStruct(work, struct, {
    path: "",
    offset: 0,
    count: 1,
    stride: 0,
    arrayAt: 0,
    countedBy: "",
    quantisation: new Map(),
    tolerance: undefined,
    flags: new Set(),
    depth: 1,
  });
  resolveCounts(work);
  const notSent = struct.attributes.has("not_sent");
  if (work.fields.some((field) => field.predicted && (field.notSent || notSent)))
    badSchema(`${struct.name}: predicted is for fields that are sent`);
  const name = struct.name.slice(struct.name.lastIndexOf(".") + 1);
  return {
    name,
    id: fnv1a32(name),
    size: struct.size,
    notSent,
    fields: work.fields,
    defaults: work.defaults,
  };
}
