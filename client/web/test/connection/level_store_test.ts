import assert from "node:assert/strict";
import { test } from "node:test";
import { LevelStore, ResourceFetch } from "../../src/connection/level_store.js";
import { readLevelFile } from "../../src/resource/level_file.js";
import { smallLevel } from "../support/level_builder.js";

const files = Array.from({ length: 20 }, (_, i) => smallLevel(`Level${i}`));
const namesOf = (store: LevelStore): string[] => store.all().map(({ names }) => names[0]!);

test("LevelStore.KeepsThe16LevelsUsedLast", () => {
  const store = new LevelStore();
  for (const file of files.slice(0, 16)) store.add(file);
  assert.ok(store.find(readLevelFile(files[0]!).identity));
  for (const file of files.slice(16)) store.add(file);
  assert.equal(store.all().length, 16);
  assert.ok(namesOf(store).includes("Level0"));
  for (const gone of ["Level1", "Level2", "Level3", "Level4"]) assert.ok(!namesOf(store).includes(gone));
});

test("LevelStore.KeepsAtMostItsBytes", () => {
  const size = files[10]!.length;
  const store = new LevelStore(2 * size);
  for (const file of files.slice(10)) store.add(file);
  assert.deepEqual(namesOf(store), ["Level18", "Level19"]);
});

test("ResourceFetch.AnnouncedLevelsOutliveTheStore", () => {
  const store = new LevelStore();
  store.add(files[0]!);
  const fetch = new ResourceFetch(store);
  assert.equal(fetch.announce().length, 1);
  for (const file of files.slice(1)) store.add(file);
  assert.ok(!namesOf(store).includes("Level0"));
  assert.equal(fetch.announced[0]!.names[0], "Level0");
});

test("ResourceFetch.HandsOutWhatWasReceived", () => {
  const store = new LevelStore();
  const kept: Uint8Array[] = [];
  store.onReceived = (bytes) => void kept.push(bytes);
  const fetch = new ResourceFetch(store);
  const { identity } = readLevelFile(files[0]!);
  fetch.onOffered([{ identity, size: files[0]!.length, firstTick: 0 }]);
  assert.ok(fetch.nextRequest());
  fetch.onPart({ kind: "resourcePart", identity, offset: 0, bytes: files[0]! });
  fetch.handOut();
  assert.equal(kept.length, 0);
  for (const isOver of [() => true, () => true, () => false]) fetch.advance(isOver);
  assert.equal(kept.length, 0);
  fetch.handOut();
  fetch.handOut();
  assert.deepEqual(kept, [files[0]]);
});

const infoOf = (bytes: Uint8Array, firstTick: number) => ({
  identity: readLevelFile(bytes).identity,
  size: bytes.length,
  firstTick,
});
const partOf = (bytes: Uint8Array) =>
  ({ kind: "resourcePart", identity: readLevelFile(bytes).identity, offset: 0, bytes }) as const;

test("ResourceFetch.OfferedLevelsAreHereOnceTheStoreHasThem", () => {
  const store = new LevelStore();
  store.add(files[0]!);
  const fetch = new ResourceFetch(store);
  fetch.onOffered([infoOf(files[0]!, 0)]);
  assert.equal(fetch.nextRequest(), null);
  assert.equal(fetch.levels.at(5)!.names[0], "Level0");
  fetch.onOffered([infoOf(files[1]!, 9)]);
  assert.ok(fetch.nextRequest());
  fetch.onPart(partOf(files[1]!));
  assert.ok(!fetch.levels.isHere(9));
  fetch.advance(() => false);
  assert.equal(fetch.levels.at(9)!.names[0], "Level1");
  assert.equal(fetch.levels.at(8)!.names[0], "Level0");
});

test("ResourceFetch.ALevelThatIsNoLongerOfferedIsGivenUp", () => {
  const fetch = new ResourceFetch(new LevelStore());
  fetch.onOffered([infoOf(files[0]!, 0)]);
  assert.ok(fetch.nextRequest());
  fetch.onOffered([infoOf(files[0]!, 4)]);
  assert.equal(fetch.nextRequest(), null, "it is on its way");
  fetch.onOffered([infoOf(files[1]!, 9)]);
  assert.ok(fetch.nextRequest());
  fetch.onPart(partOf(files[0]!));
  fetch.onPart(partOf(files[1]!));
  fetch.advance(() => false);
  assert.deepEqual(fetch.levels.offers.map(({ level }) => level?.names[0]), [undefined, undefined, "Level1"]);
});

// A level was replaced and put back while it was received.
test("ResourceFetch.PartsOfAFormerRequestAreSkipped", () => {
  const bytes = files[0]!;
  const { identity } = readLevelFile(bytes);
  for (const seen of [0, 7, bytes.length >> 1])
    for (const step of [1, 9, bytes.length]) {
      const store = new LevelStore();
      const fetch = new ResourceFetch(store);
      fetch.onOffered([infoOf(bytes, 1)]);
      assert.ok(fetch.nextRequest());
      const send = (begin: number, end: number, each: number): void => {
        for (let offset = begin; offset < end; offset += each)
          fetch.onPart({ kind: "resourcePart", identity, offset, bytes: bytes.subarray(offset, Math.min(offset + each, end)) });
      };
      send(seen, bytes.length - 1, 10);
      send(0, bytes.length, step);
      fetch.advance(() => false);
      assert.ok(store.find(identity), `from ${seen}, ${step} bytes each`);
    }
});

test("ResourceFetch.EndlessPartsOutOfOrderAreRefused", () => {
  const bytes = files[0]!;
  const { identity } = readLevelFile(bytes);
  const fetch = new ResourceFetch(new LevelStore());
  fetch.onOffered([infoOf(bytes, 1)]);
  assert.ok(fetch.nextRequest());
  const part = { kind: "resourcePart" as const, identity, offset: 1, bytes: bytes.subarray(1) };
  for (let skipped = part.bytes.length; skipped <= 4 * 2 ** 20; skipped += part.bytes.length) fetch.onPart(part);
  assert.throws(() => fetch.onPart(part), /does not continue/);
});
