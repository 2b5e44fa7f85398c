// Modules of rules, beside the programs that PROGRAMS names.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type RulesModule, loadRules } from "../../src/rules_module/rules_module.js";

const bin = process.env["PROGRAMS"] ?? "";
const pathOf = (name: string): string => join(bin, `${name}.wasm`);

export const hasModules = bin !== "" && existsSync(pathOf("demo_rules"));

export const moduleBytes = (name: string): Uint8Array<ArrayBuffer> => new Uint8Array(readFileSync(pathOf(name)));
export const loadModule = (name: string): Promise<RulesModule> => loadRules(moduleBytes(name));
