import assert from "node:assert/strict";
import { test } from "node:test";
import { type Draft, type Message as Description, decode, encode } from "@mobula/client/messages";
import * as flat from "../../src/core/flat_writer.js";
import { Big, Box, Content, Jar, Lists, Message, Order, Scalars, Spot, default_ } from "../generated/pantry.js";
import { flatcJson, hasFlatc, flatcBytes } from "../support/flatc.js";
import { newSeed, randomOf } from "../support/random.js";

const spot: Spot = { shelf: 3, depth: -0.25, order: "last" };
const box: Box = { spots: [spot, { shelf: 255, depth: 1e300, order: "lost" }], sizes: [1, 2, 65_535], full: true };

const contentOf = (bytes: Uint8Array): Content => decode(Message, bytes).content;

test("Table.FieldsThatAreNotGivenHaveTheirDefaults", () => {
  const { kind, value } = contentOf(encode(Scalars, {}));
  assert.equal(kind, "Scalars");
  assert.deepEqual(value, {
    a_bool: true,
    an_int8: -7,
    a_uint8: 0,
    an_int16: 0,
    a_uint16: 65_535,
    an_int32: -(2 ** 31),
    a_uint32: 2 ** 32 - 1,
    an_int64: -(2n ** 63n),
    a_uint64: 2n ** 63n - 1n,
    a_float: 0.5,
    a_double: -0.1,
    order: "last",
    big: "zero",
    maybe: null,
    maybe_not: null,
  });
});

test("Table.VariantsAreEncodedAsTheRoot", () => {
  const message = decode(Message, encode(default_, { class: 7 }));
  assert.deepEqual(message, { number: 0, content: { kind: "default", value: { class: 7 } } });
  const whole = encode(Message, { number: 5, content: { kind: "Again", value: { label: "x", grams: 1, behind: [] } } });
  assert.equal(decode(Message, whole).content.kind, "Again");
  // A table that is two variants is encoded for itself.
  assert.equal(decode(Jar, encode(Jar, { label: "plums" })).label, "plums");
});

test("Table.ListsKeepEveryKindOfElement", () => {
  const given: Lists = {
    raw: Uint8Array.of(1, 2, 255),
    bytes: [-128, 127],
    bools: [true, false, true],
    bigs: [-(2n ** 63n), 2n ** 63n - 1n],
    orders: ["first", "last"],
    texts: ["", "\u00e4\u{1f600}"],
    spots: [spot, spot],
    boxes: [box, box],
    jar: { label: "jam", grams: 3, behind: [{ label: "", grams: 250, behind: [] }] },
    box,
    spot,
  };
  assert.deepEqual(contentOf(encode(Lists, given)), { kind: "Lists", value: given });
});

test("Table.EnumsAreNamesAndTheirValuesConstants", () => {
  assert.equal(Order.last, 700);
  assert.equal(Big.most, 2n ** 64n - 1n);
  assert.equal((contentOf(encode(Scalars, { big: "most" })).value as Scalars).big, "most");
});

const refused = { reason: "bad message" };

test("Table.ValuesBeyondTheirTypeAreRefused", () => {
  const wrong: Draft<Scalars, never>[] = [
    { an_int8: 128 },
    { a_uint8: -1 },
    { a_uint16: 0.5 },
    { a_uint32: NaN },
    { a_uint64: -1n },
    { an_int64: 2n ** 63n },
    { order: "never" as Order },
    { order: "toString" as Order },
  ];
  for (const value of wrong) assert.throws(() => encode(Scalars, value), refused, String(Object.values(value)));
  assert.throws(() => encode(Lists, { spot, box: { ...box, sizes: [1, 2, 3, 4] } }), refused);
});

test("Table.RequiredFieldsMustBeThere", () => {
  assert.throws(() => encode(Lists, {} as Draft<Lists, "spot">), { ...refused, message: "Lists.spot is missing" });
  assert.throws(() => decode(Message, flat.flatMessage([flat.u32(1)])), refused);
  assert.throws(() => decode(Message, flat.flatMessage([null, flat.u8(9), flat.table([])])), refused);
});

test("Table.DeepNestingIsRefused", () => {
  let jar: Jar = { label: "", grams: 0, behind: [] };
  for (let i = 0; i < 40; ++i) jar = { label: "", grams: 0, behind: [jar] };
  assert.throws(() => decode(Jar, encode(Jar, jar)), refused);
});

test("Table.DamagedBytesAreRefusedOrRead", () => {
  const seed = newSeed();
  const next = randomOf(seed);
  const random = (below: number): number => Math.floor(next() * below);
  const whole = encode(Lists, {
    spot,
    box,
    texts: ["a", "b"],
    jar: { label: "jam", grams: 1, behind: [] },
    boxes: [box],
  });
  for (let i = 0; i < 3000; ++i) {
    const bytes = whole.slice(0, random(4) === 0 ? random(whole.length) : whole.length);
    for (let n = random(4); n >= 0 && bytes.length > 0; --n) bytes[random(bytes.length)] = random(256);
    try {
      decode(Message, bytes);
    } catch (error) {
      assert.equal((error as Error).name, "Refusal", `seed ${seed}, turn ${i}: ${(error as Error).stack}`);
    }
  }
});

const skip = hasFlatc ? false : "no flatc";

/** Values as flatc writes them in JSON: without what is absent. */
function jsonOf(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Uint8Array) return [...value];
  if (Array.isArray(value)) return value.map(jsonOf);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== null);
  return Object.fromEntries(entries.map(([name, each]) => [name, jsonOf(each)]));
}

test("Table.FlatcReadsWhatIsEncoded", { skip }, () => {
  const given: Lists = {
    ...(contentOf(encode(Lists, { spot })).value as Lists),
    raw: Uint8Array.of(9, 8),
    bools: [true, false],
    bigs: [5n],
    texts: ["one", "two"],
    spots: [spot],
    boxes: [box, box],
    jar: { label: "jam", grams: 3, behind: [] },
    box,
  };
  const { content_type, content } = flatcJson("pantry", encode(Lists, given)) as any;
  assert.equal(content_type, "Lists");
  assert.deepEqual(content, jsonOf(given));
  const scalars = { an_int64: 5n, maybe: 0, a_double: 0.125, order: "lost" } as const;
  assert.deepEqual((flatcJson("pantry", encode(Scalars, scalars)) as any).content, jsonOf(scalars));
});

test("Table.DecodesMessagesOfFlatc", { skip }, () => {
  const json = {
    number: 4,
    content_type: "Lists",
    content: jsonOf({ spot, spots: [spot], boxes: [box], texts: ["x"], bigs: [7n] }),
  };
  const bytes = flatcBytes("pantry", json);
  const { number, content } = decode(Message, bytes);
  assert.equal(number, 4);
  const { spots, boxes, texts, bigs } = content.value as Lists;
  assert.deepEqual({ spots, boxes, texts, bigs }, { spots: [spot], boxes: [box], texts: ["x"], bigs: [7n] });
});

// Checked by the compiler alone: a required field cannot be left out.
export const isTyped: Description<Lists, "spot"> = Lists;
