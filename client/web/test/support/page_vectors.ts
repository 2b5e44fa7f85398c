// Test vectors of docs/protocol.md: encoded entities as words, bits and bytes.
import { fromHex } from "../../src/core/bytes.js";
import { fnv1a32 } from "../../src/core/fnv.js";
import { loadSchema } from "../../src/reflect/schema.js";
import { makeEntityLayout, type EntityLayout } from "../../src/wire/entity_layout.js";
import { makeRowLayout } from "../../src/wire/row_layout.js";
import { bytesOf, pageBlock } from "./page.js";
import { readText } from "./repository.js";

export interface PageVector {
  readonly layout: EntityLayout;
  readonly components: string[];
  readonly owner: boolean;
  readonly words: ReadonlyMap<string, Uint32Array>; // by the names of the page
  readonly numbers: ReadonlyMap<string, number>; // tick, age, span, early, bits
  readonly bytes: Uint8Array;
}

export const vectorSchema = loadSchema(fromHex(JSON.parse(readText("schema/session_vectors.json")).schema));

const wordsOf = (text: string): Uint32Array => Uint32Array.from(text.trim().split(/\s+/).map(Number));

const linesOf = (text: string): Map<string, string> =>
  new Map(
    text.split("\n").map((line) => {
      const [name, ...rest] = line.split(/\s+/);
      return [name!, rest.join(" ")] as const;
    }),
  );

/** Returns the records of the block that begins so. Each has its lines by their first word. */
export const pageRecords = (begin: string): Map<string, string>[] => pageBlock(begin).split("\n\n").map(linesOf);

function parse(lines: ReadonlyMap<string, string>): PageVector {
  const components = lines.get("entity")!.split(" ");
  const layouts = components.map((name) => makeRowLayout(vectorSchema.components.get(fnv1a32(name))!));
  return {
    layout: makeEntityLayout(layouts),
    components,
    owner: lines.get("to") === "owner",
    words: new Map(
      ["now", "b1", "b2", "b3"].flatMap((name) => (lines.has(name) ? [[name, wordsOf(lines.get(name)!)]] : [])),
    ),
    numbers: new Map(["tick", "age", "span", "early", "bits"].map((name) => [name, Number(lines.get(name) ?? 0)])),
    bytes: bytesOf(lines.get("bytes")!),
  };
}

/** Returns the vectors by the order of the page. */
export function pageVectors(): PageVector[] {
  return pageRecords("entity Body\nwhole").map(parse);
}
