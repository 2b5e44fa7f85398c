// Writes FlatBuffers without generated code, from the root to the leaves: each offset leads forward.
import { bytesOfText, concat, putU16, putU32 } from "./bytes.js";

type Value =
  | { readonly kind: "inline"; readonly alignment: number; readonly bytes: Uint8Array }
  | { readonly kind: "apart"; readonly alignment: number; readonly write: (at: number) => Uint8Array };

/** A field of a table that is written; null for one that is absent. */
export type Field = Value | null;

const inline = (size: number, put: (bytes: Uint8Array, view: DataView) => void): Field => {
  const bytes = new Uint8Array(size);
  put(bytes, new DataView(bytes.buffer));
  return { kind: "inline", alignment: size, bytes };
};

export const u8 = (value: number): Field => inline(1, (_, view) => view.setUint8(0, value));
export const bool = (value: boolean): Field => (value ? u8(1) : null);
export const u16 = (value: number): Field => inline(2, (_, view) => view.setUint16(0, value, true));
export const u32 = (value: number): Field => inline(4, (_, view) => view.setUint32(0, value, true));
export const u64 = (value: bigint): Field => inline(8, (_, view) => view.setBigUint64(0, value, true));
/** A struct, as its bytes. Its largest member has `alignment` bytes. */
export const struct = (bytes: Uint8Array, alignment = 4): Field => ({ kind: "inline", alignment, bytes });

const sized = (count: number, bytes: Uint8Array): Uint8Array => {
  const size = new Uint8Array(4);
  putU32(size, 0, count);
  return concat(size, bytes);
};

export const blob = (bytes: Uint8Array): Field => ({
  kind: "apart",
  alignment: 4,
  write: () => sized(bytes.length, bytes),
});
export const text = (value: string): Field => ({
  kind: "apart",
  alignment: 4,
  write: () => sized(bytesOfText(value).length, concat(bytesOfText(value), new Uint8Array(1))),
});
/** Vector of structs whose members have at most 8 bytes: their bytes follow the count at an address of 8. */
export const structs = (count: number, bytes: Uint8Array): Field => ({
  kind: "apart",
  alignment: -8,
  write: () => sized(count, bytes),
});
export const table = (fields: Field[]): Field => ({
  kind: "apart",
  alignment: 8,
  write: (at) => tableBytes(fields, at),
});

/** Vector of texts, tables or vectors, each written apart. */
export const list = (elements: readonly Field[]): Field => sharing(elements, elements.length, (i) => i);

/** Vector of offsets that lead to elements, `which(i)` to element i. */
export function sharing(elements: readonly Field[], count: number, which: (i: number) => number): Field {
  return {
    kind: "apart",
    alignment: 4,
    write(at) {
      let out: Uint8Array = new Uint8Array(4 + 4 * count);
      const begins = elements.map((element) => {
        if (element?.kind !== "apart") throw new Error("an element is written apart");
        const begin = aligned(at + out.length, element.alignment) - at;
        out = concat(out, new Uint8Array(begin - out.length), element.write(at + begin));
        return begin;
      });
      putU32(out, 0, count);
      for (let i = 0; i < count; ++i) putU32(out, 4 + 4 * i, begins[which(i)]! - (4 + 4 * i));
      return out;
    },
  };
}

const aligned = (at: number, alignment: number): number =>
  alignment < 0 ? aligned(at + 4, -alignment) - 4 : Math.ceil(at / alignment) * alignment;

/** Returns the bytes of a table that begins at a multiple of 8: its vtable first, then what it refers to. */
function tableBytes(fields: Field[], at: number): Uint8Array {
  // The table comes first, since offsets lead to it; its vtable follows directly.
  let size = 4;
  const places = fields.map((field) => {
    if (field === null) return 0;
    const bytes = field.kind === "inline" ? field.bytes.length : 4;
    const place = aligned(size, field.kind === "inline" ? field.alignment : 4);
    size = place + bytes;
    return place;
  });
  const vtable = aligned(size, 2);
  let out: Uint8Array = new Uint8Array(vtable + 4 + 2 * fields.length);
  putU32(out, 0, -vtable >>> 0);
  putU16(out, vtable, 4 + 2 * fields.length);
  putU16(out, vtable + 2, size);
  places.forEach((place, i) => putU16(out, vtable + 4 + 2 * i, place));
  fields.forEach((field, i) => {
    if (field === null) return;
    const place = places[i]!;
    if (field.kind === "inline") {
      out.set(field.bytes, place);
      return;
    }
    const begin = aligned(at + out.length, field.alignment) - at;
    putU32(out, place, begin - place);
    out = concat(out, new Uint8Array(begin - out.length), field.write(at + begin));
  });
  return out;
}

/** Returns a message whose root is a table of these fields. */
export function flatMessage(fields: Field[]): Uint8Array {
  const root = new Uint8Array(8);
  putU32(root, 0, 8);
  return concat(root, tableBytes(fields, 8));
}
