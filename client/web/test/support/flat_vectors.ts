// Vectors of FlatBuffers for tests, also such as no honest program writes.
import { concat, putU32 } from "../../src/core/bytes.js";
import type { Field } from "../../src/core/flat_writer.js";

const align = (bytes: Uint8Array, at: number): Uint8Array =>
  concat(bytes, new Uint8Array((8 - ((at + bytes.length) & 7)) & 7));

/** A vector of offsets: each leads to one of the elements, which are tables, texts or vectors. */
function offsets(elements: readonly Field[], count: number, which: (i: number) => number): Field {
  return {
    kind: "apart",
    alignment: 4,
    write(at) {
      let out: Uint8Array = new Uint8Array(4 + 4 * count);
      const begins = elements.map((element) => {
        if (element?.kind !== "apart") throw new Error("an element is written apart");
        out = align(out, at);
        const begin = out.length;
        out = concat(out, element.write(at + begin));
        return begin;
      });
      putU32(out, 0, count);
      for (let i = 0; i < count; ++i) putU32(out, 4 + 4 * i, begins[which(i)]! - (4 + 4 * i));
      return out;
    },
  };
}

export const vectorOf = (elements: readonly Field[]): Field => offsets(elements, elements.length, (i) => i);

/** A vector whose elements are one and the same. */
export const repeated = (element: Field, count: number): Field => offsets([element], count, () => 0);
