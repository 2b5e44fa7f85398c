// Default values of fields, from their attribute to the bytes of a component.
import { bytesOfText } from "../core/bytes.js";
import { fnv1a32 } from "../core/fnv.js";
import { badSchema } from "./declarations.js";
import { type Field, kind } from "./schema.js";

function putInteger(view: DataView, at: number, size: number, value: bigint): void {
  for (let i = 0; i < size; ++i) view.setUint8(at + i, Number(BigInt.asUintN(8, value >> BigInt(8 * i))));
}

function integerOf(word: string, field: Field): bigint {
  if (field.enumValues.length > 0)
    return (
      field.enumValues.find(({ name }) => name === word)?.value ??
      badSchema(`${field.path}: default "${word}" is no value`)
    );
  if (!/^(-?[0-9]+|0x[0-9a-fA-F]+)$/.test(word)) badSchema(`${field.path}: default "${word}" is not an integer`);
  return word.startsWith("-") ? -BigInt(word.slice(1)) : BigInt(word);
}

function realOf(word: string, field: Field): number {
  const value = Number(word);
  return word !== "" && Number.isFinite(value) ? value : badSchema(`${field.path}: default "${word}" is not a number`);
}

/** Writes one leaf, which takes the words that it needs. */
function writeLeaf(words: string[], field: Field, view: DataView, at: number): void {
  const next = (): string => words.shift() ?? badSchema(`${field.path}: its default has too few values`);
  switch (field.kind) {
    case kind.rotation:
      for (let i = 0; i < 4; ++i) view.setFloat32(at + 4 * i, realOf(next(), field), true);
      return;
    case kind.float32:
      return view.setFloat32(at, realOf(next(), field), true);
    case kind.float64:
      return view.setFloat64(at, realOf(next(), field), true);
    case kind.bool:
      return view.setUint8(at, next() === "true" ? 1 : 0);
    case kind.stringId:
      return view.setUint32(at, fnv1a32(next()), true);
    case kind.entity:
    case kind.text:
      return badSchema(`${field.path} has no default of this form`);
    default:
      putInteger(view, at, field.size, integerOf(next(), field));
  }
}

/** Writes the default of a field with these leaves to the first of the elements that have it. */
export function writeDefault(text: string, leaves: readonly Field[], component: Uint8Array): void {
  const [first] = leaves;
  if (leaves.length === 1 && first?.kind === kind.text) {
    component.set(bytesOfText(text).subarray(0, first.size), first.offset);
    return;
  }
  const view = new DataView(component.buffer, component.byteOffset);
  const words = text.split(" ").filter((word) => word !== "");
  for (const leaf of leaves) writeLeaf(words, leaf, view, leaf.offset);
  if (words.length > 0) badSchema(`default "${text}" has too many values`);
}
