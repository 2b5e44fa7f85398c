import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client, ConnectOptions } from "../../src/connection/client.js";
import type { Access } from "../../src/connection/moved_server.js";
import { entityOf } from "../../src/core/entity.js";
import * as flat from "../../src/core/flat_writer.js";
import { fnv1a32 } from "../../src/core/fnv.js";
import { unforeseen } from "../../src/core/refusal.js";
import { changeKind } from "../../src/mirror/changes.js";
import {
  FakeNetwork,
  fakeToken,
  messageOf,
  namesMessage,
  rejoinTokensMessage,
  welcomeWith,
} from "../support/fake_server.js";
import { repeated } from "../support/flat_vectors.js";
import { schemaOfPart, type } from "../support/schema_builder.js";

const x = { name: "x", base: type.uint, offset: 0 };
const schema = schemaOfPart({ size: 4, fields: [x] });

/** Joins a server that gives four rejoin tokens. */
async function join(
  network: FakeNetwork,
  graceSeconds: number,
  options: Partial<ConnectOptions> = {},
  tokenLifetime = 3600,
): Promise<Client> {
  network.onOpened = ({ answer }) => {
    const tokens = Array.from({ length: 4 }, () => fakeToken(5, tokenLifetime));
    answer.push(welcomeWith(schema, network.opened > 1), rejoinTokensMessage(graceSeconds, ...tokens));
  };
  const client = network.client(options);
  await network.run(client, 1000);
  assert.equal(client.state, "playing");
  return client;
}

const hostileSchemas: Readonly<Record<string, Uint8Array>> = {
  CountedByAFieldOfTheOwner: schemaOfPart({
    size: 20,
    fields: [
      { ...x, attributes: { owner_only: "" } },
      { name: "items", base: type.uint, offset: 4, length: 4, attributes: { count: "x" } },
    ],
  }),
  StringIdOfOneByte: schemaOfPart({
    size: 1,
    alignment: 1,
    fields: [{ name: "x", base: type.ubyte, offset: 0, attributes: { string_id: "", default: "Sword" } }],
  }),
};

for (const [name, hostile] of Object.entries(hostileSchemas))
  test(`Client.EndsAtAHostileSchema_${name}`, async () => {
    const network = new FakeNetwork();
    network.onOpened = ({ answer }) => void answer.push(welcomeWith(hostile));
    const client = network.client();
    await network.run(client, 1000);
    assert.equal(client.end?.reason, "protocol error");
    assert.match(client.end.text, /^bad schema: /);
    assert.equal(network.server.session.ended?.reason, "protocol error");
  });

test("Client.EndsAtNamesThatShareOneText", async () => {
  const network = new FakeNetwork();
  const client = await join(network, 0);
  network.server.session.sendReliable(namesMessage(repeated(flat.text("x".repeat(256)), 4096)));
  await network.run(client, 1000);
  assert.equal(client.end?.reason, "protocol error");
  assert.match(client.end.text, /^malformed message: /);
});

test("Client.AnUnforeseenErrorIsAProtocolError", async () => {
  const network = new FakeNetwork();
  const client = await join(network, 0);
  client.connection.mirror!.addPrototypes = () => {
    throw new TypeError("a fault of the client");
  };
  network.server.session.sendReliable(messageOf(4, []));
  await network.run(client, 1000);
  assert.deepEqual(client.end, { reason: "protocol error", text: `${unforeseen}: a fault of the client` });
  assert.equal(network.server.session.ended?.reason, "protocol error");
});

test("Client.DropsTheMessagesBehindARefusedOne", async () => {
  const network = new FakeNetwork();
  const client = await join(network, 0);
  for (let i = 0; i < 2; ++i) network.server.session.sendReliable(messageOf(17, []));
  await network.run(client, 20);
  network.cut();
  await network.run(client, 1000);
  assert.equal(client.state, "playing");
  assert.equal(client.statistics.rejoins, 1);
});

test("Client.EndsAtAServerOfAnotherVersion", async () => {
  const network = new FakeNetwork();
  const end = { reason: "other protocol version", text: "the server speaks version 3" } as const;
  network.onOpened = (server) => (server.refusal = end);
  const client = network.client();
  await network.run(client, 1000);
  assert.deepEqual(client.end, end);
  assert.equal(network.opened, 1);
});

for (const reason of ["refused", "left"] as const)
  test(`Client.ARejoinThatIsEndedAsksForANewToken_${reason}`, async () => {
    const network = new FakeNetwork();
    let asked = 0;
    const newToken = (): Promise<Uint8Array> => Promise.resolve((++asked, fakeToken()));
    const client = await join(network, 0, { newToken });
    network.onOpened = (server) => {
      if (network.opened === 2) server.refusal = { reason, text: "the player has left" };
      else server.answer.push(welcomeWith(schema));
    };
    network.cut();
    await network.run(client, 5000);
    assert.equal(client.state, "playing");
    assert.deepEqual([asked, network.opened, client.connection.mirrors], [1, 3, 2]);
  });

test("Client.ARefusedRejoinEndsAClientWithoutNewTokens", async () => {
  const network = new FakeNetwork();
  const client = await join(network, 0);
  const end = { reason: "refused", text: "the player has left" } as const;
  network.onOpened = (server) => (server.refusal = end);
  network.cut();
  await network.run(client, 5000);
  assert.deepEqual(client.end, end);
});

test("Client.AlternatesNewTokensAndRejoinTokens", async () => {
  const network = new FakeNetwork();
  let attempts = "";
  const newToken = (): Promise<Uint8Array> => {
    attempts += "new ";
    return Promise.reject(new Error("there is no network"));
  };
  const client = await join(network, 0, { newToken });
  network.onOpened = () => (attempts += "rejoin ");
  network.isReachable = false;
  await network.run(client, 40_000);
  assert.ok(attempts.startsWith("rejoin new rejoin new rejoin new "), attempts);
  assert.equal(client.state, "reconnecting");
});

test("Client.ResumesAfterALongOutageThoughItAskedForTokens", async () => {
  const network = new FakeNetwork();
  const client = await join(network, 0, { newToken: () => Promise.reject(new Error("there is no network")) });
  network.isReachable = false;
  await network.run(client, 18_000);
  network.isReachable = true;
  await network.run(client, 10_000);
  assert.equal(client.state, "playing");
  assert.equal(client.connection.mirrors, 1);
});

test("Client.FollowsItsPlayerToAnotherWorld", async () => {
  const network = new FakeNetwork();
  const asked: string[] = [];
  const worldToken = async (world: string): Promise<Access> => {
    asked.push(world);
    return { token: fakeToken(), url: `fake://${world}` };
  };
  const newToken = (): Promise<Uint8Array> => Promise.reject(new Error("that is the former world"));
  const client = await join(network, 30, { newToken, worldToken });
  network.onOpened = ({ answer }) => void answer.push(welcomeWith(schema));
  network.server.finish({ reason: "moved", text: "arena" });
  await network.run(client, 500);
  assert.equal(client.state, "playing");
  assert.equal(client.connection.mirrors, 2);
  network.server.finish({ reason: "moved", text: "lobby" });
  await network.run(client, 500);
  assert.equal(client.state, "playing");
  assert.deepEqual(asked, ["arena", "lobby"]);
  // A pipe that is lost there, without rejoin tokens, is followed by a token of that world.
  network.shut.add("fake://lobby");
  network.cut();
  await network.run(client, 1500);
  network.shut.clear();
  await network.run(client, 3000);
  assert.equal(client.state, "playing");
  assert.equal(asked.at(-1), "lobby");
});

test("Client.WithoutWorldTokensAMoveIsTheEnd", async () => {
  const network = new FakeNetwork();
  const client = await join(network, 30, { newToken: () => Promise.resolve(fakeToken()) });
  network.server.finish({ reason: "moved", text: "arena" });
  await network.run(client, 3000);
  assert.deepEqual(client.end, { reason: "moved", text: "arena" });
});

test("Client.JoinsARestartedServerWithANewToken", async () => {
  const network = new FakeNetwork();
  const client = await join(network, 0, { newToken: () => Promise.resolve(fakeToken()) });
  // The new server has other keys: it does not answer rejoin tokens.
  network.isReachable = false;
  network.onOpened = ({ answer }) => {
    network.isReachable = network.opened === 3;
    answer.push(welcomeWith(schema));
  };
  await network.run(client, 20_000);
  assert.equal(client.state, "playing");
  assert.equal(client.connection.mirrors, 2);
});

test("Client.ASilentRejoinIsFollowedByANewToken", async () => {
  const network = new FakeNetwork();
  let asked = 0;
  const client = await join(network, 0, { newToken: () => Promise.resolve((++asked, fakeToken())) });
  network.isReachable = false;
  network.cut();
  await network.run(client, 3000);
  network.cut(); // a server closes a socket without a session before the client gives up
  await network.run(client, 1500);
  assert.deepEqual([asked, network.opened], [1, 3]);
});

test("Client.ARejoinThatIsCutAtOnceKeepsThePlayer", async () => {
  const network = new FakeNetwork();
  let asked = 0;
  const client = await join(network, 0, { newToken: () => Promise.resolve((++asked, fakeToken())) });
  network.isReachable = false;
  network.cut();
  await network.run(client, 300);
  network.cut();
  network.isReachable = true;
  await network.run(client, 3000);
  assert.equal(client.state, "playing");
  assert.deepEqual([asked, client.connection.mirrors], [0, 1]);
});

test("Client.TriesOneServerWhereTheUrlNamesIt", async () => {
  const network = new FakeNetwork();
  network.isReachable = false;
  const token = fakeToken(1);
  token[1089] = 2; // addresses
  token.set(token.subarray(1093, 1100), 1100);
  const client = network.client({ token });
  await network.run(client, 1500);
  assert.equal(client.end?.reason, "no answer");
  assert.equal(network.opened, 1);
});

test("Client.ResumesAfterAnOutageInWhichNoPipeOpens", async () => {
  const network = new FakeNetwork();
  const client = await join(network, 300);
  network.opens = false;
  network.cut();
  await network.run(client, 20_000);
  assert.equal(client.state, "reconnecting");
  network.opens = true;
  await network.run(client, 3000);
  assert.equal(client.state, "playing");
  assert.equal(client.connection.mirrors, 1);
});

test("Client.ResumesAsTheSamePlayerThoughItCouldAskForTokens", async () => {
  const network = new FakeNetwork();
  let asked = 0;
  const client = await join(network, 300, { newToken: () => Promise.resolve(fakeToken(5, ++asked)) });
  network.opens = false;
  network.cut();
  await network.run(client, 20_000);
  network.opens = true;
  await network.run(client, 3000);
  assert.equal(client.state, "playing");
  assert.equal(client.connection.mirrors, 1);
  assert.equal(asked, 1, "for the server's address");
});

test("Client.ARejoinTokenThatHasLeftIsNotUsedAgain", async () => {
  const network = new FakeNetwork();
  const client = await join(network, 300);
  network.isReachable = false;
  network.cut();
  for (let i = 0; i < 4; ++i) {
    await network.run(client, 2000);
    assert.equal(network.opened, 2 + i);
    network.cut();
  }
  await network.run(client, 2000);
  assert.equal(network.opened, 5);
  assert.equal(client.end?.reason, "pipe lost");
});

test("Client.WithALateTimerItIsUpdatedByItsDatagrams", async (t) => {
  const network = new FakeNetwork();
  const client = await join(network, 0, { timer: true });
  t.after(() => client.close());
  const { bytesSent } = client.statistics;
  await network.run(client, 60_000, false);
  assert.equal(client.state, "playing");
  assert.ok(client.statistics.bytesSent - bytesSent > 1000);
  await network.run(client, 1000);
  assert.equal(client.state, "playing");
  assert.equal(client.connection.statistics.rejoins, 0);
});

test("Client.ReconnectsWithALateTimer", async (t) => {
  const network = new FakeNetwork();
  const client = await join(network, 0, { timer: true });
  t.after(() => client.close());
  await network.run(client, 1000, false);
  network.now += 500;
  network.cut();
  await network.run(client, 1000, false);
  assert.equal(client.state, "playing");
  assert.equal(client.connection.statistics.rejoins, 1);
});

test("Client.WithoutATimerTheProgramAloneUpdatesIt", async () => {
  const network = new FakeNetwork();
  const client = await join(network, 0);
  let updates = 0;
  client.onUpdate = () => ++updates;
  await network.run(client, 2000, false);
  assert.equal(updates, 0);
});

test("Client.AnErrorInOnUpdateKeepsChangesAndEvents", async () => {
  const network = new FakeNetwork();
  const client = await join(network, 0);
  const spawned: bigint[] = [];
  client.onSpawn("Part", (entity) => void spawned.push(entity));
  const { mirror } = client.connection;
  const name = { type: fnv1a32("Part"), instance: fnv1a32("Part") };
  mirror!.world.create(7, 1);
  mirror!.world.recompose(7, mirror!.world.intern([name]));
  mirror!.isStale = () => false;
  mirror!.changes.add(changeKind.spawned, 7, 1);
  client.onUpdate = () => {
    throw new Error("a step has failed");
  };
  assert.throws(() => client.update(), /a step has failed/);
  assert.deepEqual(spawned, [entityOf(7, 1)]);
});

test("Client.SendsACommandUntilItIsClosed", async () => {
  const network = new FakeNetwork();
  const client = await join(network, 0);
  client.onClosed = () => assert.equal(client.send(Uint8Array.of(1)), false);
  assert.equal(client.send(Uint8Array.of(1)), true);
  network.isReachable = false;
  await network.run(client, 60_000);
  assert.equal(client.state, "closed");
  assert.equal(client.send(Uint8Array.of(1)), false);
});

test("Client.ACommandMayBeGivenBeforeItPlays", () => {
  const client = new FakeNetwork().client();
  assert.deepEqual([client.state, client.send(Uint8Array.of(1))], ["connecting", true]);
});

test("Client.RefusesTokensAndAddressesThatAreMalformed", () => {
  const network = new FakeNetwork();
  assert.throws(() => network.client({ token: "no base64!" }), { name: "Refusal", reason: "invalid token" });
  assert.throws(() => network.client({ token: "AAAA" }), { name: "Refusal", reason: "invalid token" });
  for (const url of ["", "game.example", "ws://", "http://game.example"])
    assert.throws(() => network.client({ url }), { name: "Refusal", reason: "bad address" }, url);
});

for (const graceSeconds of [0, 300])
  test(`Client.TriesForTheGraceOf_${graceSeconds}_SecondsOrAMinute`, async () => {
    const network = new FakeNetwork();
    const newToken = (): Promise<Uint8Array> => Promise.reject(new Error("there is no network"));
    const client = await join(network, graceSeconds, { newToken });
    network.isReachable = false;
    await network.run(client, 60_000);
    assert.equal(client.end, null);
    await network.run(client, 60_000);
    assert.equal(client.end === null, graceSeconds === 300);
    await network.run(client, 200_000);
    assert.notEqual(client.end, null);
  });

test("Client.ARejoinTokenThatHasExpiredIsNotUsed", async () => {
  const network = new FakeNetwork();
  const client = await join(network, 300, {}, 3);
  network.isReachable = false;
  await network.run(client, 7000);
  assert.equal(network.opened, 1);
  assert.notEqual(client.end, null);
});
