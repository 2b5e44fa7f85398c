// Commands to the server: one per tick, and turns that are worth one.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "@mobula/client";
import { encode } from "@mobula/client/messages";
import { Move } from "../../../web/demo/demo_commands.js";
import { Commands } from "../../src/session/commands.js";

class FakeClient {
  readonly sent: Uint8Array[] = [];
  readonly state = "playing";
  readonly player = 1n;
  readonly connection = { ticksPerSecond: 60 };
  now = 0;
  isHere = true;
  has(): boolean {
    return this.isHere;
  }
  serverTick(): number {
    return this.now;
  }
  send(command: Uint8Array): void {
    this.sent.push(command);
  }
}

function start(): { client: FakeClient; commands: Commands; update: () => void } {
  const client = new FakeClient();
  const commands = new Commands();
  return { client, commands, update: () => commands.update(client as unknown as Client) };
}

test("Commands.AreGivenOncePerTick", () => {
  const { client, commands, update } = start();
  for (let i = 0; i < 3; ++i) commands.act(() => Uint8Array.of(i));
  update();
  update();
  assert.equal(client.sent.length, 1);
  client.now = 1;
  update();
  client.now = 2;
  update();
  assert.deepEqual(client.sent.map(([first]) => first), [0, 1, 2]);
});

test("Commands.AMoveIsGivenWhenItsDirectionChanges", () => {
  const { client, commands, update } = start();
  for (const [x, z] of [[1, 0], [1, 0], [0.999, 0.01], [0, 1], [0, 0], [0, 0]] as const) {
    commands.move(x, z);
    update();
    ++client.now;
  }
  assert.deepEqual(client.sent, [encode(Move, { x: 1 }), encode(Move, { z: 1 }), encode(Move, {})]);
});

test("Commands.ADirectionIsGivenAgainEachHalfSecond", () => {
  const { client, commands, update } = start();
  commands.move(1, 0);
  for (; client.now < 75; ++client.now) update();
  commands.move(0, 0);
  for (; client.now < 120; ++client.now) update();
  const [go, stop] = [encode(Move, { x: 1 }), encode(Move, {})];
  assert.deepEqual(client.sent, [go, go, go, stop, stop]);
  client.now = 3; // the ticks of another server
  update();
  assert.deepEqual(client.sent.slice(5), [stop]);
});

test("Commands.AStopIsGivenHoweverSmallTheStep", () => {
  const { client, commands, update } = start();
  commands.move(0.021, 0);
  update();
  ++client.now;
  commands.move(0, 0);
  update();
  assert.deepEqual(client.sent.at(-1), encode(Move, {}));
});

test("Commands.WaitForTheAvatarAndBeginAnewWithEachSession", () => {
  const { client, commands, update } = start();
  client.isHere = false;
  commands.move(1, 0);
  update();
  assert.equal(client.sent.length, 0);
  client.isHere = true;
  update();
  commands.restart();
  ++client.now;
  update();
  assert.deepEqual(client.sent, [encode(Move, { x: 1 }), encode(Move, { x: 1 })]);
});

test("Commands.AnActionWithoutAnAimLetsTheNextOnePass", () => {
  const { client, commands, update } = start();
  commands.act(() => null);
  commands.act(() => Uint8Array.of(7));
  update();
  assert.deepEqual(client.sent, [Uint8Array.of(7)]);
});
