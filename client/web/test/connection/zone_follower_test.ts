import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client, ConnectOptions } from "../../src/connection/client.js";
import { LevelStore } from "../../src/connection/level_store.js";
import { addressLike } from "../../src/connection/zone_follower.js";
import { entityOf } from "../../src/core/entity.js";
import { FlatTable } from "../../src/core/flat_table.js";
import { readLevelFile } from "../../src/resource/level_file.js";
import {
  FakeNetwork,
  type FakeServer,
  emptyDelta,
  fakeToken,
  followMessage,
  levelMessage,
  playerEntityMessage,
  welcomeWith,
} from "../support/fake_server.js";
import { levelOfParts } from "../support/level_builder.js";
import { schemaOfPart, type } from "../support/schema_builder.js";

const schema = schemaOfPart({ size: 4, fields: [{ name: "x", base: type.uint, offset: 0 }] });
const [west, east] = [Uint32Array.of(7, 8, 9), Uint32Array.of(7, 80, 9)].map((values) => levelOfParts(schema, values));
const identityOf = (file: Uint8Array): Uint8Array => readLevelFile(file).identity;
const player = entityOf(0, 1);
const eastUrl = "fake://east";

/** A client with its player in the zone "west". The servers are by the hosts of their URLs. */
class Zones {
  readonly network = new FakeNetwork();
  readonly servers = new Map<string, FakeServer>();
  readonly client: Client;
  readonly changes: string[] = [];

  constructor(options: Partial<ConnectOptions> = {}) {
    const levels = new LevelStore();
    levels.add(west!);
    levels.add(east!);
    this.network.onOpened = (server, { host }) => {
      this.servers.set(host, server);
      const identity = identityOf(host === "east" ? east! : west!);
      server.answer.push(welcomeWith(schema), levelMessage(identity, 3, 5), playerEntityMessage(0, 1));
    };
    this.client = this.network.client({ url: "fake://west", levels, ...options });
    for (const [kind, on] of [["+", "onSpawn"], ["!", "onChange"], ["-", "onDespawn"]] as const)
      this.client[on]("Part", (entity) => void this.changes.push(`${kind}${entity & 0xffffn}`));
  }

  async join(): Promise<this> {
    await this.run();
    this.sendTick("west", 1, 100);
    await this.run();
    assert.equal(this.client.player, player);
    assert.ok(this.client.connection.isComplete());
    this.changes.length = 0;
    return this;
  }

  run(ms = 500): Promise<void> {
    return this.network.run(this.client, ms);
  }

  sendTick(host: string, sequence: number, tick: number): void {
    this.servers.get(host)!.session.sendUnreliable(emptyDelta(sequence, tick));
  }

  async follow(address: string, visit: boolean): Promise<void> {
    this.servers.get("west")!.session.sendReliable(followMessage("land.east", address, visit));
    await this.run();
  }

  helloOf(host: string): FlatTable {
    return FlatTable.root(this.servers.get(host)!.received[0]!).table(1)!;
  }
}

test("ZoneFollower.GoesOnInTheZoneOfThePlayer", async () => {
  const zones = await new Zones().join();
  const { client } = zones;
  const { connection } = client;
  await zones.follow(eastUrl, false);
  assert.equal(client.zoneChanges, 0, "its deltas are missing");
  assert.equal(client.get(entityOf(1, 1), "Part")!.x, 8);
  zones.sendTick("east", 1, 40);
  await zones.run();
  assert.equal(client.zoneChanges, 1);
  assert.equal(client.connection, connection);
  assert.equal(connection.mirrors, 1);
  assert.equal(client.state, "playing");
  assert.equal(client.tick, 40);
  assert.equal(client.get(entityOf(1, 1), "Part")!.x, 80);
  assert.deepEqual(zones.changes, ["!1"]);
  assert.equal(zones.servers.get("west")!.session.ended?.reason, "left");
  assert.deepEqual([zones.helloOf("west").bool(9), zones.helloOf("west").bool(10)], [true, false]);
  assert.deepEqual([zones.helloOf("east").bool(9), zones.helloOf("east").bool(10)], [true, true]);
});

test("ZoneFollower.AVisitThatEndsChangesNothing", async () => {
  const zones = await new Zones().join();
  await zones.follow(eastUrl, true);
  zones.servers.get("east")!.finish({ reason: "timed out", text: "player not arrived" });
  await zones.run();
  assert.equal(zones.client.state, "playing");
  await zones.follow(eastUrl, true);
  assert.equal(zones.network.opened, 3, "it may come near again");
  assert.equal(zones.client.zoneChanges, 0);
});

test("ZoneFollower.APlayerWhoCrossesIsFollowedByTheVisit", async () => {
  const zones = await new Zones().join();
  await zones.follow(eastUrl, true);
  await zones.follow(eastUrl, false);
  assert.equal(zones.network.opened, 2);
  // The former zone ends the session before the player has arrived.
  zones.servers.get("west")!.finish({ reason: "moved", text: "land.east" });
  await zones.run();
  assert.equal(zones.client.zoneChanges, 0);
  zones.sendTick("east", 1, 40);
  await zones.run();
  assert.equal(zones.client.zoneChanges, 1);
  assert.equal(zones.client.state, "playing");
  assert.equal(zones.network.opened, 2);
});

test("ZoneFollower.AVisitFromTheNextZoneWaitsUntilThePlayerIsThere", async () => {
  const zones = await new Zones().join();
  await zones.follow(eastUrl, false);
  zones.servers.get("east")!.session.sendReliable(followMessage("land.south", "fake://south", true));
  await zones.run();
  assert.ok(!zones.servers.has("south"));
  zones.sendTick("east", 1, 40);
  await zones.run();
  assert.equal(zones.client.zoneChanges, 1);
  assert.ok(zones.servers.has("south"));
});

test("ZoneFollower.AVisitElsewhereEndsWithThePlayersStay", async () => {
  const worlds: string[] = [];
  const worldToken = async (world: string) => (worlds.push(world), { token: fakeToken(), url: "fake://south" });
  const zones = await new Zones({ worldToken }).join();
  await zones.follow(eastUrl, true);
  zones.servers.get("west")!.finish({ reason: "moved", text: "land.south" });
  await zones.run(1500);
  assert.deepEqual(worlds, ["land.south"]);
  assert.equal(zones.servers.get("east")!.session.ended?.reason, "pipe lost", "the player could be there");
  assert.equal(zones.client.state, "playing");
  assert.equal(zones.helloOf("south").bool(10), true, "it may not have arrived yet");
});

test("ZoneFollower.JoinsByAWorldTokenIfItCannotFollow", async () => {
  const worlds: string[] = [];
  const worldToken = async (world: string) => (worlds.push(world), { token: fakeToken(), url: eastUrl });
  const zones = await new Zones({ worldToken }).join();
  await zones.follow("udp://127.0.0.1:1", false);
  await zones.run(1500);
  assert.deepEqual(worlds, ["land.east"]);
  assert.equal(zones.client.state, "playing");
  assert.equal(zones.client.connection.mirrors, 2);
});

test("ZoneFollower.EndsWithoutWorldTokensIfItCannotFollow", async () => {
  const zones = await new Zones().join();
  await zones.follow(eastUrl, false);
  zones.servers.get("east")!.finish({ reason: "timed out", text: "player not arrived" });
  await zones.run();
  assert.deepEqual(zones.client.end, { reason: "moved", text: "land.east" });
});

test("ZoneFollower.GoesOnWhereTheWorldIsOpenedAgain", async () => {
  const newToken = async () => ({ token: fakeToken(), url: "fake://west2" });
  const zones = await new Zones({ newToken, worldToken: newToken }).join();
  zones.servers.get("west")!.finish({ reason: "shutting down", text: "" });
  await zones.run(1500);
  assert.equal(zones.client.state, "playing");
  assert.ok(zones.servers.has("west2"));
});

test("ZoneFollower.LeavingEndsBothConnections", async () => {
  const zones = await new Zones().join();
  await zones.follow(eastUrl, false);
  zones.client.close();
  for (const host of ["west", "east"]) assert.equal(zones.servers.get(host)!.session.ended?.reason, "left");
});

test("ZoneFollower.TakesTheAddressThatIsMostAlike", () => {
  const all = ["udp://1.2.3.4:5", "nothing", "ws://a/plain", "wss://a/secure"];
  const found = (url: string, addresses = all) => addressLike(new URL(url), addresses)?.href ?? null;
  assert.equal(found("wss://game/"), "wss://a/secure");
  assert.equal(found("ws://game/"), "ws://a/plain");
  assert.equal(found("udp://game:1"), "udp://1.2.3.4:5");
  assert.equal(found("wss://game/", all.slice(0, 3)), "ws://a/plain");
  assert.equal(found("wss://game/", all.slice(0, 2)), null);
});
