import assert from "node:assert/strict";
import { test } from "node:test";
import { fromHex, toHex } from "../../src/core/bytes.js";
import { Refusal } from "../../src/core/refusal.js";
import { findComponent, loadSchema } from "../../src/reflect/schema.js";
import { makeRowLayout } from "../../src/wire/row_layout.js";
import { newSeed, randomOf } from "../support/random.js";
import { readText } from "../support/repository.js";

const bytes = fromHex(JSON.parse(readText("schema/session_vectors.json")).schema);
const schema = loadSchema(bytes);

test("Schema.FlattensStructsToFields", () => {
  const body = findComponent(schema, "Body")!;
  assert.deepEqual(
    body.fields.map((field) => field.path),
    ["position.x", "position.y", "position.z", "rotation"],
  );
  assert.deepEqual(
    body.fields.map((field) => [field.low, field.step, field.bits]),
    [
      [-512, 0.01, 17],
      [-512, 0.01, 17],
      [-512, 0.01, 17],
      [0, 0, 10],
    ],
  );
});

test("Schema.ArraysHaveTheFieldThatCountsThem", () => {
  const bag = findComponent(schema, "Bag")!;
  const items = bag.fields.find((field) => field.path === "slots.item")!;
  assert.equal(bag.fields[items.countField]!.path, "used");
  assert.equal(bag.fields[items.countField]!.steps, 3);
  assert.equal(items.count, 3);
});

test("Schema.DefaultsAreInTheBytesOfAComponent", () => {
  const row = makeRowLayout(findComponent(schema, "Bag")!);
  assert.equal(row.defaults.at(-1), 7);
  const rotation = makeRowLayout(findComponent(schema, "Body")!).defaults.subarray(3);
  assert.deepEqual([...rotation], [3, 511, 511, 511]);
});

test("Schema.FingerprintIsThatOfTheWelcome", () => assert.equal(toHex(schema.fingerprint).length, 64));

test("Schema.LoadsOrRefusesDamagedBytes", () => {
  const seed = newSeed();
  const random = randomOf(seed);
  for (let round = 0; round < 1500; ++round) {
    const damaged = bytes.slice(0, random() < 0.2 ? Math.floor(random() * bytes.length) : bytes.length);
    for (let i = 0; i < 3; ++i) damaged[Math.floor(random() * damaged.length)] = Math.floor(random() * 256);
    try {
      for (const component of loadSchema(damaged).components.values()) makeRowLayout(component);
    } catch (error) {
      if (!(error instanceof Refusal)) throw new Error(`seed ${seed}`, { cause: error });
    }
  }
});
