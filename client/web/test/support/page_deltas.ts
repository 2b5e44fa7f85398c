// Deltas of docs/protocol.md: three of a session, and one whose body is sent ahead in parts.
import type { MessageOf } from "../../src/wire/messages.js";
import { bytesOf, pageBlock } from "./page.js";

/** Returns the lines of a block, split at two spaces. */
const linesOf = (begin: string): string[][] =>
  pageBlock(begin)
    .split("\n")
    .map((line) => line.split(/\s{2,}/));

/** Returns the three deltas of the example. */
export const pageDeltas = (): Uint8Array[] =>
  linesOf("delta 1 ").map(([, header, body]) => bytesOf(header! + body!));

export interface PageBody {
  /** Parts in the order of the page; the second is malformed. */
  readonly parts: readonly MessageOf<"deltaBody">[];
  /** The delta that names the body. */
  readonly announced: Uint8Array;
}

export function pageBody(): PageBody {
  const lines = linesOf("number 1, ");
  const [, header, number] = lines.pop()!;
  return { parts: lines.map(([head, rest]) => partOf(head!, rest!)), announced: bytesOf(header! + number!) };
}

function partOf(head: string, rest: string): MessageOf<"deltaBody"> {
  const [number, size, offset] = head.match(/\d+/g)!.map(Number) as [number, number, number];
  const bytes = rest.startsWith("malformed") ? Uint8Array.of(1) : bytesOf(rest);
  return { kind: "deltaBody", number, size, offset, bytes };
}
