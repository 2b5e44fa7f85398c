import assert from "node:assert/strict";
import { test } from "node:test";
import { toHex, u32 } from "../../src/core/bytes.js";
import { FlatTable } from "../../src/core/flat_table.js";
import * as flat from "../../src/core/flat_writer.js";
import { Refusal } from "../../src/core/refusal.js";
import {
  decodeMessage,
  encodeHello,
  encodeMirrorDifference,
  encodeMirrorHashes,
  encodeResourceRequest,
} from "../../src/wire/messages.js";
import { fakeToken, followMessage, messageOf, resourceOfferMessage } from "../support/fake_server.js";
import { newSeed, randomOf } from "../support/random.js";

const identity = Uint8Array.from({ length: 32 }, (_, i) => i);
const welcome = (ticks: number): Uint8Array =>
  flat.flatMessage([
    flat.u8(2),
    flat.table([
      flat.u32(3),
      flat.u32(ticks),
      flat.u32(1000),
      flat.blob(identity),
      null,
      null,
      flat.bool(true),
      flat.u64(77n),
    ]),
  ]);

test("Messages.HelloHasWhatItIsGiven", () => {
  const bytes = encodeHello({
    fingerprint: identity,
    name: "änna",
    verify: true,
    resources: [identity, identity],
    schemas: [],
    resume: false,
    spectate: true,
    follows: true,
    awaitsPlayer: false,
    commandsContinue: false,
  });
  const message = FlatTable.root(bytes);
  const hello = message.table(1)!;
  assert.equal(message.u8(0), 1);
  assert.equal(hello.u32(0), 2);
  assert.equal(toHex(hello.blob(1)), toHex(identity));
  assert.equal(hello.text(2, 256), "änna");
  assert.deepEqual(
    [3, 6, 7, 8, 9, 10].map((field) => hello.bool(field)),
    [true, false, true, true, true, false],
  );
  assert.equal(hello.blob(4).length, 64);
});

test("Messages.MirrorHashesAreAlignedStructs", () => {
  const hashes = [1, 2].map((place) => ({ place, index: 9, generation: 8, tick: 7, hashLow: 6, hashHigh: place }));
  const table = FlatTable.root(encodeMirrorHashes(true, 1, 3, 44, hashes)).table(1)!;
  const { at, count } = table.vector(4, 24);
  assert.equal(count, 2);
  assert.equal(at % 8, 0);
  assert.deepEqual(
    [0, 4, 8, 12, 16, 20].map((offset) => u32(table.bytes, at + 24 + offset)),
    [2, 9, 8, 7, 6, 2],
  );
  assert.deepEqual([table.bool(0), table.u32(1), table.u32(2), table.u32(3)], [true, 1, 3, 44]);
});

test("Messages.RequestAndDifferenceHaveTheirFields", () => {
  const request = FlatTable.root(encodeResourceRequest(identity, 2 ** 33)).table(1)!;
  assert.equal(request.u64(1), 2 ** 33);
  const difference = { index: 5, generation: 6, component: "Body", field: "x", client: "1", server: "2" };
  const table = FlatTable.root(encodeMirrorDifference(difference)).table(1)!;
  assert.equal(u32(table.bytes, table.struct(0, 8)), 5);
  assert.deepEqual(
    [1, 2, 3, 4].map((field) => table.text(field, 256)),
    ["Body", "x", "1", "2"],
  );
});

test("Messages.WelcomeIsDecoded", () => {
  const message = decodeMessage(welcome(20));
  assert.ok(message.kind === "welcome");
  assert.deepEqual(
    [
      message.session,
      message.ticksPerSecond,
      message.indexLimit,
      message.resumed,
      message.predictionSeed,
      message.schema,
    ],
    [3, 20, 1000, true, 77n, null],
  );
});

test("Messages.ResourceOfferIsDecoded", () => {
  const resources = [{ identity, size: 2 ** 33, firstTick: 77 }];
  assert.deepEqual(decodeMessage(resourceOfferMessage(identity, 2 ** 33, 77)), { kind: "resourceOffer", resources });
  const many = messageOf(18, [flat.list(Array.from({ length: 17 }, () => flat.table([flat.blob(identity)])))]);
  assert.throws(() => decodeMessage(many), Refusal);
  assert.throws(() => decodeMessage(resourceOfferMessage(identity.subarray(1), 1, 0)), { reason: "malformed message" });
});

test("Messages.FollowIsDecoded", () => {
  const token = fakeToken();
  assert.deepEqual(decodeMessage(followMessage("land.east", "udp://a:1", true, token)), {
    kind: "follow",
    world: "land.east",
    token,
    addresses: ["udp://a:1"],
    visit: true,
  });
  const malformed = [
    followMessage("land\n", "udp://a:1", true),
    followMessage("land.east", "a\tb", false),
    followMessage("land.east", "udp://a:1", true, token.subarray(1)),
    messageOf(19, [flat.text("land.east"), flat.blob(token), flat.list([])]),
  ];
  for (const bytes of malformed) assert.throws(() => decodeMessage(bytes), { reason: "malformed message" });
});

test("Messages.RefusesValuesOutOfRange", () => {
  assert.throws(() => decodeMessage(welcome(0)), { reason: "malformed message" });
  assert.throws(() => decodeMessage(flat.flatMessage([flat.u8(17), flat.table([])])), { reason: "unknown message" });
  assert.throws(() => decodeMessage(encodeResourceRequest(identity, 0)), { reason: "unknown message" });
});

test("Messages.DecodesOrRefusesDamagedBytes", () => {
  const seed = newSeed();
  const random = randomOf(seed);
  for (let round = 0; round < 5000; ++round) {
    const bytes = welcome(20).slice(0, Math.floor(random() * 160));
    for (let i = 0; i < 4 && bytes.length > 0; ++i)
      bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
    try {
      decodeMessage(bytes);
    } catch (error) {
      if (!(error instanceof Refusal)) throw new Error(`seed ${seed}`, { cause: error });
    }
  }
});
