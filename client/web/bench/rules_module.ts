// Time of a step of the demo's module: PROGRAMS=build/release/bin node build/web/bench/rules_module.js
// One avatar of the player's own and 20 others move in circles; 0 or 1,000 more entities are visible.
import { Move } from "../demo/demo_commands.js";
import { encode } from "../src/messages.js";
import { PlainWorld, handleOf } from "../test/support/module_world.js";
import { demoSchema } from "../test/support/demo_schema.js";
import { loadModule, moduleBytes } from "../test/support/modules.js";

const avatars = 21;
const ticks = 5000;
const place = { position: { x: 0, y: 0, z: 0 }, rotation: { x: 0, y: 0, z: 0, w: 1 } };

async function run(visible: number): Promise<void> {
  const rules = await loadModule("demo_rules");
  const world = new PlainWorld(demoSchema());
  const stepped = Array.from({ length: avatars }, () => world.create({ Pose: place, Velocity: {}, Walker: {} }));
  for (let i = 0; i < visible; ++i) world.create({ Velocity: {} }, world.visible);
  let time = 0;
  for (let tick = 0; tick < 2 * ticks; ++tick) {
    const [x, z] = [Math.cos(tick / 20), Math.sin(tick / 20)];
    const commands = stepped.map((each, i) => ({
      player: i + 1,
      entity: handleOf(each),
      number: tick + 1,
      bytes: encode(Move, { x: 0.7 * x, z: 0.7 * z }),
    }));
    const begin = performance.now();
    rules.step(world, tick, commands);
    if (tick >= ticks) time += performance.now() - begin;
    world.round();
  }
  console.log(`${visible} visible: ${((1000 * time) / ticks).toFixed(1)} us per step`);
}

console.log(`demo_rules.wasm: ${moduleBytes("demo_rules").length} bytes`);
await run(0);
await run(1000);
