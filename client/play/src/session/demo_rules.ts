// The demo's rules, which the server runs too: its step in C++ as a module of WebAssembly.
import type { Rules } from "@mobula/client/prediction";
import { loadRules } from "@mobula/client/rules-module";

/** Throws an error for the player if the site has no module, or one that cannot be loaded. */
export async function loadDemoRules(): Promise<Rules> {
  const response = await fetch("demo_rules.wasm").catch(() => null);
  if (response === null) throw new Error("the rules did not arrive");
  if (!response.ok) throw new Error("this site has no demo_rules.wasm");
  try {
    return await loadRules(await response.arrayBuffer());
  } catch {
    throw new Error("the rules in demo_rules.wasm are damaged, or of another version");
  }
}
