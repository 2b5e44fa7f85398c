// Offers of a level while a client plays.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "../../src/connection/client.js";
import { LevelStore } from "../../src/connection/level_store.js";
import { readLevelFile } from "../../src/resource/level_file.js";
import {
  FakeNetwork,
  fakeToken,
  resourceOfferMessage,
  resourcePartMessage,
  welcomeWith,
} from "../support/fake_server.js";
import { smallLevel } from "../support/level_builder.js";
import { schemaOfPart, type } from "../support/schema_builder.js";

const schema = schemaOfPart({ size: 4, fields: [{ name: "x", base: type.uint, offset: 0 }] });
const file = smallLevel("Next");
const { identity } = readLevelFile(file);
const offer = resourceOfferMessage(identity, file.length, 31);

async function join(...answer: Uint8Array[]): Promise<{ network: FakeNetwork; client: Client }> {
  const network = new FakeNetwork();
  network.onOpened = (server) => void server.answer.push(...answer);
  const client = network.client({ levels: new LevelStore() });
  await network.run(client, 200);
  return { network, client };
}

test("ResourceOffer.IsRequestedAndReadFromItsFirstTick", async () => {
  const { network, client } = await join(welcomeWith(schema));
  const { levels } = client.connection;
  assert.ok(levels.isHere(31));
  network.server.session.sendReliable(offer);
  await network.run(client, 100);
  assert.ok(levels.isHere(30) && !levels.isHere(31));
  network.server.session.sendReliable(resourcePartMessage(identity, file));
  await network.run(client, 100);
  assert.equal(client.end, null);
  assert.equal(levels.at(31)!.names[0], "Next");
  assert.equal(levels.at(30), null);
});

test("ResourceOffer.AnotherPlayerHasNoneOfTheFormerOnes", async () => {
  const network = new FakeNetwork();
  network.onOpened = ({ answer }) =>
    void answer.push(welcomeWith(schema), ...(network.opened === 1 ? [offer] : []));
  const client = network.client({ levels: new LevelStore(), newToken: async () => fakeToken() });
  await network.run(client, 200);
  const { levels, mirrors } = client.connection;
  assert.deepEqual([mirrors, levels.offers.length], [1, 2]);
  network.cut();
  await network.run(client, 3000);
  assert.deepEqual([client.connection.mirrors, levels.offers.length], [2, 1]);
  assert.ok(levels.isHere(31));
});

test("ResourceOffer.BeforeWelcomeEndsTheSession", async () => {
  const { client } = await join(offer);
  assert.equal(client.end?.refusal, "out of turn");
});
