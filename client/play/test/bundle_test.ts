// Size and rules of what the page loads.
import assert from "node:assert/strict";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { root } from "../../web/test/support/repository.js";

const kib = 1024;

test("Bundle.ThePageLoadsAtMost250KiB", (t) => {
  const site = join(root, "build/play-site");
  const sizes = new Map(readdirSync(site).map((name) => [name, gzipSync(readFileSync(join(site, name)), { level: 9 }).length]));
  const loaded = ["index.html", "game.css", "game.js"].reduce((sum, name) => sum + sizes.get(name)!, 0);
  t.diagnostic([...sizes].map(([name, size]) => `${name} ${(size / kib).toFixed(1)} KiB`).join(", "));
  assert.ok(loaded <= 250 * kib, `${loaded} bytes`);
});

test("Bundle.NeitherSourcesNorPageMakeMarkupOfTexts", () => {
  const folder = join(root, "client/play/src");
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => statSync(join(folder, name)).isFile());
  assert.ok(sources.length > 20);
  for (const name of sources) {
    const text = readFileSync(join(folder, name), "utf8");
    assert.doesNotMatch(text, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/, name);
  }
  const page = readFileSync(join(root, "client/play/site/index.html"), "utf8");
  assert.doesNotMatch(page, /<script(?![^>]*\bsrc=)|\son[a-z]+=|\sstyle=|javascript:/i);
});
