import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { hasModules, moduleBytes } from "../support/modules.js";
import { root } from "../support/repository.js";

// Bytes of gzip: what is reached, and 2 %, rounded up to 100.
const allBytesMax = 58_400;
// The goal is 40 KB. docs/web.md lists what the bundle consists of.
const connectBytesMax = 55_700; // for a page that imports connect alone, and so has no levels

const predictBytesMax = 73_700; // for a page that predicts
const rulesModuleBytesMax = 2_900; // more, for a page whose rules are a module
const demoModuleBytesMax = 10_300; // the module itself, as a server compresses it

async function bundle(exported: string): Promise<{ size: number; inputs: string[] }> {
  const { outputFiles, metafile } = await build({
    stdin: {
      contents: exported.includes("from") ? exported : `export ${exported} from "./client.js"`,
      resolveDir: join(root, "build/web/src"),
    },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
  });
  const size = gzipSync(outputFiles[0]!.contents, { level: 9 }).length;
  console.log(`${size} bytes of gzip: ${exported}`);
  return { size, inputs: Object.keys(metafile.inputs) };
}

test("Bundle.ForBrowsersIsSmallAndHasNothingOfNode", async () => {
  const { size, inputs } = await bundle("*");
  assert.ok(inputs.some((path) => path.endsWith("mirror/mirror.js")));
  assert.ok(
    !inputs.some((path) => path.includes("udp") || path.includes("node_web_socket") || path.startsWith("node:")),
  );
  assert.ok(size <= allBytesMax, `${size} bytes of gzip`);
});

test("Bundle.WithoutLevelsIsSmaller", async () => {
  const { size } = await bundle("{ connect }");
  assert.ok(size <= connectBytesMax, `${size} bytes of gzip`);
});

test("Bundle.WithoutPredictionHasNothingOfIt", async () => {
  const { inputs } = await bundle("*");
  assert.ok(!inputs.some((path) => path.includes("prediction")));
});

test("Bundle.WithPredictionIsSmall", async () => {
  const { size } = await bundle('export { connect } from "./client.js"; export { predict } from "./prediction.js"');
  assert.ok(size <= predictBytesMax, `${size} bytes of gzip`);
});

test("Bundle.RulesInAModuleAddLittle", async () => {
  const { size, inputs } = await bundle('export { loadRules } from "./rules_module.js"');
  assert.ok(!inputs.some((path) => path.includes("connection") || path.includes("prediction/")));
  assert.ok(size <= rulesModuleBytesMax, `${size} bytes of gzip`);
});

test("Bundle.TheModuleOfTheDemoIsSmall", { skip: !hasModules }, () => {
  const bytes = moduleBytes("demo_rules");
  const size = gzipSync(bytes, { level: 9 }).length;
  console.log(`${bytes.length} bytes, ${size} of gzip: demo_rules.wasm`);
  assert.ok(size <= demoModuleBytesMax, `${size} bytes of gzip`);
});
