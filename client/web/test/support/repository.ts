// Files of the repository that tests read.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

// This file is build/web/test/support/repository.js.
export const root = join(dirname(fileURLToPath(import.meta.url)), "../../../..");

export function readText(path: string): string {
  return readFileSync(join(root, path), "utf8");
}
