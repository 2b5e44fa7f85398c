import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openFolder } from "../../src/cache/folder.js";
import type { CachedLevels } from "../../src/cache/level_cache.js";
import { toHex } from "../../src/core/bytes.js";
import { keepLevelsIn } from "../../src/node.js";
import { smallLevel } from "../support/level_builder.js";

const [first, second] = [smallLevel("First"), smallLevel("Second")];
const nameOf = (file: Uint8Array): string => `${toHex(file.subarray(16, 48))}.level`;

function makeFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "mobula-web-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function receive(folder: string, ...files: Uint8Array[]): Promise<void> {
  const levels = (await keepLevelsIn(folder)) as CachedLevels;
  for (const file of files) levels.onReceived!(file);
  await levels.settled();
}

test("Folder.HasAFileForEachLevel", async (t) => {
  const folder = join(makeFolder(t), "made", "here");
  await receive(folder, first, second);
  assert.deepEqual(readdirSync(folder).sort(), [nameOf(first), nameOf(second)].sort());
  assert.deepEqual(new Uint8Array(readFileSync(join(folder, nameOf(first)))), first);
  assert.equal((await keepLevelsIn(folder)).all().length, 2);
});

test("Folder.ADamagedFileIsDroppedAndReceivedAnew", async (t) => {
  const folder = makeFolder(t);
  await receive(folder, first, second);
  writeFileSync(join(folder, nameOf(first)), first.subarray(0, first.length - 1));
  assert.equal((await keepLevelsIn(folder)).all().length, 1);
  assert.deepEqual(readdirSync(folder), [nameOf(second)]);
  await receive(folder, first);
  assert.equal((await keepLevelsIn(folder)).all().length, 2);
});

test("Folder.UnfinishedFilesAreNeverRead", async (t) => {
  const folder = makeFolder(t);
  const names = [`${nameOf(first)}.1.0.tmp`, `${nameOf(second)}.1.0.tmp`, "notes.txt"];
  for (const name of names) writeFileSync(join(folder, name), first.subarray(0, 50));
  utimesSync(join(folder, names[0]!), 0, 0);
  assert.equal((await keepLevelsIn(folder)).all().length, 0);
  assert.deepEqual(readdirSync(folder).sort(), names.slice(1).sort());
});

test("Folder.AFailedWriteLeavesNothing", async (t) => {
  const folder = makeFolder(t);
  const storage = (await openFolder(folder))!;
  await assert.rejects(storage.write("missing/key", first));
  assert.deepEqual(readdirSync(folder), []);
});

test("Folder.WithoutRightsLevelsAreInMemory", async (t) => {
  const file = join(makeFolder(t), "file");
  writeFileSync(file, "");
  assert.equal(await openFolder(join(file, "below")), null);
  const levels = await keepLevelsIn(join(file, "below"));
  levels.add(first);
  assert.equal(levels.all().length, 1);
});
