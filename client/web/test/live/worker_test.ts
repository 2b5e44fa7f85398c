// A client in a worker, here on the other side of a channel, beside the values that it has itself.
import assert from "node:assert/strict";
import { type TestContext, after, before, test } from "node:test";
import { MessageChannel } from "node:worker_threads";
import { Move } from "../../demo/demo_commands.js";
import type { Client } from "../../src/connection/client.js";
import { encode } from "../../src/messages.js";
import { connect } from "../../src/node.js";
import { Host } from "../../src/worker/host.js";
import type { Port, ToPage, ToWorker } from "../../src/worker/messages.js";
import { WorkerClient, type WorkerConnectOptions } from "../../src/worker/worker_client.js";
import { DemoServer, hasPrograms, until } from "../support/demo_server.js";

const server = new DemoServer();
const options = { skip: hasPrograms ? false : "PROGRAMS names no programs", timeout: 120_000 };

before(async () => {
  // Fewer ticks than updates: the page gets the values of nearly all ticks.
  if (hasPrograms) await server.start({ ticks: 20 });
});
after(() => server.remove());

interface Pair {
  readonly page: WorkerClient;
  /** The client in the "worker". */
  client(): Client;
}

async function join(t: TestContext, more: Partial<WorkerConnectOptions> = {}): Promise<Pair> {
  const { port1, port2 } = new MessageChannel();
  let client: Client | null = null;
  const host = (asked: Parameters<typeof connect>[0]): Client => (client = connect(asked));
  new Host(port2 as unknown as Port<ToPage>, host, {});
  const all = { url: server.url("ws"), token: await server.token(), ...more };
  const page = new WorkerClient(port1 as unknown as Port<ToWorker>, all);
  t.after(() => {
    client?.close();
    page.close();
    setTimeout(() => port1.close(), 50);
  });
  return { page, client: () => client! };
}

test("Worker.ThePageHasTheValuesOfTheClient", options, async (t) => {
  const { page, client } = await join(t);
  page.onSpawn("Transform", () => {});
  await until("the page has the world", () => page.entities("Transform").length > 500);
  let compared = 0;
  await until("values are compared", () => {
    if (page.tick !== client().tick) return false;
    for (const entity of page.entities("Transform").slice(0, 50)) {
      assert.deepEqual(page.get(entity, "Transform"), client().get(entity, "Transform"));
      ++compared;
    }
    return compared > 1000;
  });
  assert.deepEqual(page.entities("Transform"), client().entities("Transform"));
  assert.deepEqual(page.column("Transform", "position.x"), client().column("Transform", "position.x"));
  assert.equal(page.statistics.mismatchedTicks, 0);
});

test("Worker.ThePageShowsWhatTheClientShows", options, async (t) => {
  const { page, client } = await join(t);
  page.onSpawn("Transform", () => {});
  await until("the page has the world", () => page.entities("Transform").length > 500);
  client().send(encode(Move, { x: 1 }));
  const begin = page.tick;
  await until("the page has states around the view", () => page.viewTick() > begin + 10);
  let [compared, moving, apart] = [0, 0, 0];
  await until("pictures are compared", () => {
    if (page.tick !== client().tick) return false;
    const view = page.viewTick();
    for (const entity of page.entities("Transform")) {
      const [ours, its] = [page, client()].map((each) => each.sample(entity, "Transform", view) as any);
      const distance = Math.hypot(...["x", "y", "z"].map((axis) => ours.position[axis] - its.position[axis]));
      assert.ok(distance < 1, `${distance} m at ${view}`);
      if (distance > 0.05) ++apart;
      const newest = page.get(entity, "Transform") as any;
      if (Math.abs(newest.position.x - ours.position.x) > 0.01) ++moving;
      ++compared;
    }
    return compared > 20_000 && moving > 500;
  });
  assert.ok(apart < compared / 100, `${apart} of ${compared}`);
});

test("Worker.CallbacksAndCommandsPassTheChannel", options, async (t) => {
  const { page } = await join(t, { timer: true });
  const present = new Set<bigint>();
  let changes = 0;
  page.onSpawn("Avatar", (entity) => void present.add(entity));
  page.onDespawn("Avatar", (entity) => void present.delete(entity));
  page.onChange("Transform", () => void ++changes);
  await until("it sees itself", () => page.player !== 0n && present.has(page.player));
  const again: bigint[] = [];
  page.onSpawn("Avatar", (entity) => void again.push(entity));
  assert.deepEqual(new Set(again), present);
  const x = (): number => (page.get(page.player, "Transform") as any)?.position.x ?? NaN;
  await until("the avatar is there", () => Number.isFinite(x()));
  const begin = x();
  page.send(encode(Move, { x: 1 }));
  await until("it has moved", () => x() > begin + 1);
  assert.ok(changes > 50 && page.has(page.player));
  const other = connect({ url: server.url("ws"), token: await server.token() });
  await until("the other is seen", () => present.has(other.player) && other.player !== 0n);
  const { player } = other;
  other.close();
  await until("the other has despawned", () => !present.has(player));
});

test("Worker.TheEndReachesThePage", options, async (t) => {
  const { page } = await join(t);
  await until("it plays", () => page.state === "playing");
  let closed = "";
  page.onClosed = ({ reason }) => (closed = reason);
  page.close();
  await until("it is closed", () => closed !== "");
  assert.deepEqual([closed, page.state], ["left", "closed"]);
  assert.equal(page.send(encode(Move, {})), false);
  const { page: bad } = await join(t, { token: new Uint8Array(3) });
  await until("the token is refused", () => bad.end !== null);
  assert.equal(bad.end!.refusal, "invalid token");
});
