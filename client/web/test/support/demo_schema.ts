// The schema of the demo, compiled beside the programs that PROGRAMS names.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Schema, loadSchema } from "../../src/reflect/schema.js";

const path = join(process.env["PROGRAMS"] ?? "", "../schema/mobula_schema_demo/components.bfbs");

export const hasDemoSchema = (process.env["PROGRAMS"] ?? "") !== "" && existsSync(path);

export const demoSchemaBytes = (): Uint8Array => new Uint8Array(readFileSync(path));
export const demoSchema = (): Schema => loadSchema(demoSchemaBytes());
