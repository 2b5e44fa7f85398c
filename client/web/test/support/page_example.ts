// The example of the page docs/web.md.
import type { Client, Entity } from "../../src/client.js";
import { type Prediction, type Rules, effectKey, predict } from "../../src/prediction.js";

const f = Math.fround;

export const rules: Rules = {
  reads: ["Surface"],
  step(world, _tick, commands) {
    for (const { entity, number, bytes } of commands) {
      const body = world.tryWrite(entity, "Body");
      if (body === null || bytes.length !== 1) continue;
      body.velocity.x = f(body.velocity.x + (bytes[0] === 108 ? -1 : 1)); // "l"
      world.effect("step", effectKey(entity, number));
    }
    world.each(["Body"], (entity, body) => {
      const surface = world.tryGet(entity, "Surface");
      if (surface !== null) body.velocity.x = f(body.velocity.x * f(1 - surface.friction));
      body.position.x = f(body.position.x + f(body.velocity.x * world.secondsPerTick));
    });
  },
};

export function begin(client: Client, play: (sound: string) => void): Prediction {
  const prediction = predict(client, { rules, inputDelay: { most: 3 } });
  prediction.onEffect("step", ({ kind }) => {
    if (kind === "started") play("step");
  });
  return prediction;
}

export function draw(client: Client, prediction: Prediction, move: (entity: Entity, x: number) => void): void {
  for (const entity of client.entities("Body")) {
    const body = prediction.sample(entity, "Body"); // predicted or interpolated
    if (body !== null) move(entity, (body.position as { x: number }).x);
  }
}
