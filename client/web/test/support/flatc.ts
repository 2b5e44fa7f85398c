// FlatBuffers' own compiler as the reference for messages.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./repository.js";

export const hasFlatc = spawnSync("flatc", ["--version"]).status === 0;

function withFolder<T>(run: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "mobula-web-"));
  try {
    return run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const schemaPath = (name: string): string => join(root, `tests/reflect/${name}.fbs`);

/** Returns a message as flatc reads it. */
export function flatcJson(name: string, message: Uint8Array): unknown {
  return withFolder((folder) => {
    writeFileSync(join(folder, "message.bin"), message);
    const options = ["--json", "--strict-json", "--raw-binary", "-o", folder, schemaPath(name), "--"];
    execFileSync("flatc", [...options, join(folder, "message.bin")]);
    return JSON.parse(readFileSync(join(folder, "message.json"), "utf8"));
  });
}

/** Returns a message as flatc writes it. */
export function flatcBytes(name: string, json: unknown): Uint8Array {
  return withFolder((folder) => {
    writeFileSync(join(folder, "message.json"), JSON.stringify(json));
    execFileSync("flatc", ["--binary", "-o", folder, schemaPath(name), join(folder, "message.json")]);
    return readFileSync(join(folder, "message.bin"));
  });
}
