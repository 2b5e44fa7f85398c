// FNV-1a of names: identities of component types, instance names and string ids.
import { bytesOfText } from "./bytes.js";

export function fnv1a32(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of bytesOfText(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
