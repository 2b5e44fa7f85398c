// Files of the repository that tests read.
import { readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";

// This file is build/web/test/support/repository.js, or bundled into a test in build/play-test.
const here = fileURLToPath(import.meta.url);
export const root = here.slice(0, here.lastIndexOf(join(sep, "build", sep)));

export function readText(path: string): string {
  return readFileSync(join(root, path), "utf8");
}
