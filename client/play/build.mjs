// Bundles the game into build/play-site, and its tests into build/play-test.
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../..");
const site = join(root, "build/play-site");
const tests = join(root, "build/play-test");

const common = {
  bundle: true,
  format: "esm",
  target: "es2022",
  alias: {
    "@mobula/client": join(here, "../web/src/client.ts"),
    "@mobula/client/level-cache": join(here, "../web/src/level-cache.ts"),
    "@mobula/client/messages": join(here, "../web/src/messages.ts"),
    "@mobula/client/prediction": join(here, "../web/src/prediction.ts"),
    "@mobula/client/rules-module": join(here, "../web/src/rules_module.ts"),
  },
  logLevel: "warning",
};

mkdirSync(site, { recursive: true });
await build({
  ...common,
  entryPoints: { game: join(here, "src/main.ts"), bots: join(here, "src/session/bots.ts") },
  outdir: site,
  minify: true,
  platform: "browser",
});
for (const name of readdirSync(join(here, "site"))) copyFileSync(join(here, "site", name), join(site, name));

// The rules that the C++ build has compiled: those of RULES, which must exist, or the newest ones.
const builds = existsSync(join(root, "build")) ? readdirSync(join(root, "build")) : [];
const modules = builds.map((name) => join(root, "build", name, "bin/demo_rules.wasm")).filter(existsSync);
modules.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
const rules = process.env["RULES"] ?? modules[0];
if (rules !== undefined) copyFileSync(rules, join(site, "demo_rules.wasm"));
else {
  rmSync(join(site, "demo_rules.wasm"), { force: true });
  console.log("no demo_rules.wasm was built: the game has no prediction");
}

rmSync(tests, { recursive: true, force: true });
const sources = existsSync(join(here, "test"))
  ? readdirSync(join(here, "test"), { recursive: true }).filter((name) => name.endsWith("_test.ts"))
  : [];
await build({
  ...common,
  entryPoints: sources.map((name) => join(here, "test", name)),
  outbase: join(here, "test"),
  outdir: tests,
  platform: "node",
  outExtension: { ".js": ".mjs" },
});
