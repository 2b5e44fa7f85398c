import assert from "node:assert/strict";
import { test } from "node:test";
import { fromHex } from "../../src/core/bytes.js";
import * as flat from "../../src/core/flat_writer.js";
import { Refusal } from "../../src/core/refusal.js";
import { hashHigh, hashLow, xxh3 } from "../../src/core/xxh3.js";
import { contentHash } from "../../src/core/content_hash.js";
import { readLevelFile } from "../../src/resource/level_file.js";
import { repeated, vectorOf } from "../support/flat_vectors.js";
import { levelOf } from "../support/level_builder.js";
import { newSeed, randomOf } from "../support/random.js";
import { readText } from "../support/repository.js";

const bytes = fromHex(JSON.parse(readText("schema/session_vectors.json")).level);

test("LevelFile.HasEntitiesColumnsAndNames", () => {
  const file = readLevelFile(bytes);
  assert.ok(file.count > 0 && file.columns.length > 0 && file.names.includes("Body"));
  assert.equal(file.prototypeOf.length, file.count);
});

test("LevelFile.RefusesEveryDamagedByte", () => {
  for (let at = 0; at < bytes.length; at += 37) {
    const damaged = bytes.slice();
    damaged[at]! ^= 0x40;
    assert.throws(() => readLevelFile(damaged), { reason: "bad level" }, `byte ${at}`);
  }
  assert.throws(() => readLevelFile(bytes.subarray(0, 40)), { reason: "bad level" });
});

test("LevelFile.ReadsOrRefusesContentThatIsSigned", () => {
  const seed = newSeed();
  const random = randomOf(seed);
  for (let round = 0; round < 500; ++round) {
    const damaged = bytes.slice();
    for (let i = 0; i < 3; ++i) damaged[48 + Math.floor(random() * (bytes.length - 48))] = Math.floor(random() * 256);
    damaged.set(contentHash(damaged.subarray(48)), 16);
    try {
      readLevelFile(damaged);
    } catch (error) {
      if (!(error instanceof Refusal)) throw new Error(`seed ${seed}`, { cause: error });
    }
  }
});

test("LevelFile.RefusesNamesAndPrototypesThatAreUsedTooOften", () => {
  const name = flat.table([flat.u32(1), flat.text("x".repeat(250))]);
  const prototype = flat.table([flat.structs(4096, new Uint8Array(8 * 4096))]);
  assert.equal(readLevelFile(levelOf(1, vectorOf([name]), vectorOf([prototype]))).names[0]!.length, 250);
  const refusal = { reason: "malformed message" };
  assert.throws(() => readLevelFile(levelOf(1, repeated(name, 65_536), vectorOf([prototype]))), refusal);
  assert.throws(() => readLevelFile(levelOf(1024, vectorOf([name]), repeated(prototype, 1024))), refusal);
});

/** Returns a level with statics of these contents, whose ids are off by `wrong`. */
function levelWithStatics(type: number, contents: Uint8Array[], wrong = 0n): Uint8Array {
  const statics = contents.map((data) => {
    xxh3(data, data.length, type, 0);
    const id = ((BigInt(hashHigh) << 32n) | BigInt(hashLow)) ^ wrong;
    return flat.table([flat.u64(id), flat.u32(type), flat.blob(data)]);
  });
  const name = flat.table([flat.u32(1), flat.text("one")]);
  return levelOf(1, vectorOf([name]), vectorOf([flat.table([])]), null, undefined, vectorOf(statics));
}

test("LevelFile.StaticsHaveTheHashOfTheirContent", () => {
  const [one, two] = [Uint8Array.of(1, 2, 3), new Uint8Array(300).fill(7)];
  const { statics } = readLevelFile(levelWithStatics(9, [one, two]));
  assert.deepEqual(
    statics.map(({ data }) => [...data]).sort((a, b) => a.length - b.length),
    [[...one], [...two]],
  );
  assert.ok(statics.every(({ type }) => type === 9) && statics[0]!.id < statics[1]!.id);
  assert.throws(() => readLevelFile(levelWithStatics(9, [one], 1n)), { reason: "bad level", message: /its content's/ });
  assert.throws(() => readLevelFile(levelWithStatics(9, [one, one])), { reason: "bad level", message: /twice/ });
});
