// The demo's rules, which the server runs too: its step in C++ as a module of WebAssembly.
import type { Rules } from "@mobula/client/prediction";
import { loadRules } from "@mobula/client/rules-module";

/** Throws if the site has no module, or one that cannot be loaded. */
export async function loadDemoRules(): Promise<Rules> {
  const response = await fetch("demo_rules.wasm");
  if (!response.ok) throw new Error("this site was built without the rules");
  return loadRules(await response.arrayBuffer());
}
