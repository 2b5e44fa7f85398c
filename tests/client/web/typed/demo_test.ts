// Types that mobula-schema-gen makes of the demo's schemas, with a running server.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { type TestContext, after, before, test } from "node:test";
import { type ConnectOptions, type Entity, type SchemaIdentity, connect, entityOf, named } from "@mobula/client/node";
import { decode, encode } from "@mobula/client/messages";
import { DemoServer, until } from "../web/test/support/demo_server.js";
import { Avatar, Health, Pickup, PickupKind, RenderData, Team, Transform, schema } from "./components.js";
import { Move, WalkTo } from "./demo_commands.js";
import { Event, type PickupTaken } from "./demo_events.js";

const server = new DemoServer();
const options = { timeout: 120_000 };

before(() => server.start());
after(() => server.remove());

async function join(t: TestContext, more: Partial<ConnectOptions> = {}): Promise<ReturnType<typeof connect>> {
  const client = connect({ url: server.url("ws"), token: await server.token(), ...more });
  t.after(() => client.close());
  return client;
}

test("Typed.ComponentsHaveTheTypesOfTheSchema", options, async (t) => {
  const client = await join(t, { schema });
  await until("the avatar is there", () => client.get(client.player, Avatar) !== null);
  const health = client.get(client.player, Health)!;
  assert.deepEqual(health, { current: 100, maximum: 100 });
  const { color } = client.get(client.player, Team)!;
  assert.ok(["neutral", "red", "blue", "green"].includes(color));
  const { position, rotation } = client.sample(client.player, Transform)!;
  assert.equal(typeof (position.x + position.y + rotation.w), "number");
  const { visible, tint } = client.get(client.player, named(RenderData, "Body"))!;
  assert.equal(visible, true);
  assert.ok(tint <= 0xff_ffff);
  const [pickup] = client.entities(Pickup);
  const kind: PickupKind = client.get(pickup!, Pickup)!.kind;
  assert.ok(kind in PickupKind);
  assert.equal(client.column(Pickup, "kind")![0], PickupKind[kind]);
});

test("Typed.ComponentsOfThePageAreThoseOfTheSchema", () => {
  const [page, generated] = ["client/web/demo", "build/web_typed"].map((folder) => readFileSync(`${folder}/components.ts`, "utf8"));
  assert.equal(page, generated, "copy components.ts of build/…/schema/mobula_schema_demo to client/web/demo");
});

test("Typed.CommandsAndEventsAreThoseOfTheServer", options, async (t) => {
  const client = await join(t);
  const spawned = new Set<Entity>();
  const taken: PickupTaken[] = [];
  client.onSpawn(Avatar, (entity) => void spawned.add(entity));
  client.onEvent = ({ bytes }) => {
    const { body } = decode(Event, bytes);
    if (body.kind === "PickupTaken") taken.push(body.value);
  };
  await until("the avatar is there", () => spawned.has(client.player));
  const x = (): number => client.get(client.player, Transform)!.position.x;
  const begin = x();
  client.send(encode(Move, { x: 1 }));
  await until("it has moved", () => x() > begin + 1);
  // Coins lie around the place where avatars spawn.
  for (const [toX, toZ] of [
    [0, 6],
    [0, -6],
    [-6, 0],
    [6, 0],
  ] as const) {
    if (taken.length > 0) break;
    client.send(encode(WalkTo, { x: toX, z: toZ }));
    const end = performance.now() + 5000;
    while (taken.length === 0 && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const [first] = taken;
  assert.ok(first !== undefined && first.amount > 0);
  assert.equal(entityOf(first.by.index, first.by.generation), client.player);
  assert.equal(client.statistics.refusedCommands, 0);
});

const other: SchemaIdentity = { name: "other", fingerprint: schema.fingerprint.replace(/^../, "00") };
const OtherAvatar = { ...Avatar, schema: other };

test("Typed.AServerWithAnotherSchemaIsRefused", options, async (t) => {
  const client = await join(t, { schema: other });
  await until("it ends", () => client.end !== null);
  assert.equal(client.end!.refusal, "other schema");
  assert.match(client.end!.text, /other$/);
});

test("Typed.AWatchOfAnotherSchemaRefusesTheServerToo", options, async (t) => {
  const client = await join(t);
  client.onSpawn(OtherAvatar, () => assert.fail("nothing spawns"));
  await until("it ends", () => client.end !== null);
  assert.equal(client.end!.refusal, "other schema");
});

test("Typed.AComponentOfAnotherSchemaIsRefusedInTheCall", options, async (t) => {
  const client = await join(t);
  await until("the avatar is there", () => client.has(client.player));
  assert.throws(() => client.get(client.player, OtherAvatar), { reason: "other schema" });
  assert.equal(client.end, null);
});
