// Code of docs/web.md: a client of a page. It is compiled, and never run.
import type { Entity } from "@mobula/client";
import { connect } from "@mobula/client";

const client = connect({ url: "wss://game.example/", token, name: "anna" });
client.onSpawn("Avatar", (entity) => addPicture(entity));
client.onDespawn("Avatar", (entity) => removePicture(entity));
client.onClosed = ({ reason, text }) => showEnd(reason, text);

function frame() {
  client.update();
  for (const entity of client.entities("Avatar")) {
    const transform = client.sample(entity, "Transform");
    if (transform !== null) movePicture(entity, transform.position);
  }
  requestAnimationFrame(frame);
}
frame();

export async function connectByWebAddress() {
  const { tokens, ws, wss } = await (await fetch("token")).json();
  const client = connect({ url: wss ?? ws, token: tokens[0] });
  return client;
}

declare const token: string;
declare function addPicture(entity: Entity): void;
declare function movePicture(entity: Entity, position: unknown): void;
declare function removePicture(entity: Entity): void;
declare function showEnd(reason: string, text: string): void;
