import assert from "node:assert/strict";
import { test } from "node:test";
import { type Access, MovedServer, type Token } from "../../src/connection/moved_server.js";
import { FakeNetwork, fakeToken, rejoinTokensMessage, welcomeWith } from "../support/fake_server.js";
import { schemaOfPart, type } from "../support/schema_builder.js";

const url = new URL("ws://game.example:1");
const other = { token: "", url: "ws://game.example:2" };

/** Notes attempts, and returns after which the server has moved. `asked` has the number of questions. */
async function attempts(count: number, newToken: () => Token | Access): Promise<{ moved: number[]; asked: number }> {
  let asked = 0;
  const moved: number[] = [];
  const server = new MovedServer(async () => (++asked, newToken()));
  for (let i = 1; i <= count; ++i) {
    if (server.onUnopened(url)) moved.push(i);
    for (let wait = 0; wait < 4; ++wait) await null;
  }
  return { moved, asked };
}

test("MovedServer.AnotherAddressCountsIfTheFormerStaysShut", async () => {
  assert.deepEqual(await attempts(3, () => other), { moved: [3], asked: 1 });
});

test("MovedServer.TheSameAddressIsAskedForAgain", async () => {
  assert.deepEqual(await attempts(6, () => ({ token: "", url: url.href })), { moved: [], asked: 3 });
});

test("MovedServer.TokensWithoutAnAddressAreAskedForOnce", async () => {
  for (const token of ["", new Uint8Array(2048)]) assert.deepEqual(await attempts(6, () => token), { moved: [], asked: 1 });
});

test("MovedServer.AFailedQuestionIsRepeated", async () => {
  const fails = (): never => {
    throw new Error("there is no network");
  };
  assert.deepEqual(await attempts(6, fails), { moved: [], asked: 3 });
});

test("MovedServer.AnOpenedPipeForgetsTheOtherAddress", async () => {
  const server = new MovedServer(() => Promise.resolve(other));
  for (let i = 0; i < 2; ++i) server.onUnopened(url);
  for (let wait = 0; wait < 4; ++wait) await null;
  server.reset();
  assert.equal(server.onUnopened(url), false);
});

test("MovedServer.IsJoinedAtItsNewAddress", async () => {
  const schema = schemaOfPart({ size: 4, fields: [{ name: "x", base: type.uint, offset: 0 }] });
  const network = new FakeNetwork();
  network.onOpened = ({ answer }) => void answer.push(welcomeWith(schema), rejoinTokensMessage(0, fakeToken()));
  const newToken = (): Promise<Access> => Promise.resolve({ token: fakeToken(), url: "fake://other" });
  const client = network.client({ newToken });
  await network.run(client, 1000);
  assert.equal(client.state, "playing");
  network.shut.add("fake://server");
  network.cut();
  await network.run(client, 6000);
  assert.equal(client.state, "playing");
  assert.equal(client.connection.mirrors, 2);
});
