import assert from "node:assert/strict";
import { test } from "node:test";
import { fnv1a32 } from "../../src/core/fnv.js";
import { hex64 } from "../../src/core/xxh3.js";
import { hashEntity, hashPrototype, hashPublicRow, sumHigh, sumLow } from "../../src/wire/entity_hash.js";
import { makeEntityLayout } from "../../src/wire/entity_layout.js";
import { makeRowLayout } from "../../src/wire/row_layout.js";
import { vectorSchema } from "../support/page_vectors.js";
import { readText } from "../support/repository.js";

const type = fnv1a32("Wide");
const components = [{ type, instance: type }];
const layout = makeEntityLayout([makeRowLayout(vectorSchema.components.get(type)!)]);
const words = Uint32Array.of(997, 942, 979, 994, 0, 0, 392075840, 200);
const generation = 1048577;

const expected = (name: string): string =>
  new RegExp(`^${name} +([0-9a-f]+)$`, "m").exec(readText("docs/protocol.md"))![1]!;
const sum = (): string => hex64(sumLow, sumHigh);

test("EntityHash.HashesTheExampleOfThePage", () => {
  assert.equal(type.toString(16), expected("type and instance"));
  hashPrototype(components);
  assert.equal(sum(), expected("prototype"));
  const prototype = { layout, components, hashLow: sumLow, hashHigh: sumHigh };
  hashPublicRow(layout, 0, components[0]!, 5, generation, words, 0);
  assert.equal(sum(), expected("row"));
  hashEntity(prototype, 5, generation, false, words, 0);
  assert.equal(sum(), expected("entity, for others"));
  hashEntity(prototype, 5, generation, true, words, 0);
  assert.equal(sum(), expected("entity, for its owner"));
  hashEntity({ ...prototype, layout: makeEntityLayout([]), components: [] }, 5, generation, true, words, 0);
  assert.equal(sum(), expected("entity without rows"));
});
