// Code blocks of docs/protocol.md.
import { fromHex } from "../../src/core/bytes.js";
import { readText } from "./repository.js";

/** Returns the block that begins with a text. Throws if there is none. */
export function pageBlock(begin: string): string {
  const block = readText("docs/protocol.md")
    .split("```")
    .find((each) => each.startsWith(`\n${begin}`));
  if (block === undefined) throw new Error(`no block of docs/protocol.md begins with "${begin}"`);
  return block.trim();
}

/** Returns the bytes of a text of hex digits and spaces. */
export const bytesOf = (text: string): Uint8Array => fromHex(text.replaceAll(" ", ""));

/** Returns the bytes of the block that begins with a text: those before two spaces in each line. */
export const pageBytes = (begin: string): Uint8Array =>
  bytesOf(
    pageBlock(begin)
      .split("\n")
      .map((line) => line.split("  ")[0])
      .join(""),
  );
