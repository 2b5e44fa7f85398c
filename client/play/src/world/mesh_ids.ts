// Ids of meshes: the schema has the hash of a mesh's name, FNV-1a.

const encoder = new TextEncoder();

export function meshId(name: string): number {
  let hash = 0x811c9dc5;
  for (const byte of encoder.encode(name)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
