import { connect } from "@mobula/client";

interface Transform {
  position: { x: number; y: number; z: number };
}

const canvas = document.querySelector("canvas")!;
const paint = canvas.getContext("2d")!;
const scale = canvas.height / 160; // pixels per metre: players see each other up to 80 m away

const { tokens, ws, wss } = await (await fetch("token")).json();
const client = connect({ url: wss ?? ws, token: tokens[0], name: "Anna" });
client.onSpawn("Avatar", (entity) => console.log(`player ${entity} has come into view`));
client.onClosed = ({ reason }) => (document.title = `Closed: ${reason}`);

function place(entity: bigint): Transform["position"] | null {
  const transform = client.sample(entity, "Transform") as Transform | null;
  return transform === null ? null : transform.position;
}

function dot(entity: bigint, colour: string, size: number, middle: { x: number; z: number }): void {
  const at = place(entity);
  if (at === null) return;
  paint.fillStyle = colour;
  paint.beginPath();
  paint.arc(canvas.width / 2 + scale * (at.x - middle.x), canvas.height / 2 + scale * (at.z - middle.z), size, 0, 7);
  paint.fill();
}

function frame(): void {
  client.update();
  if (client.end !== null) return; // onClosed has set the title
  paint.clearRect(0, 0, canvas.width, canvas.height);
  const own = place(client.player) ?? { x: 0, z: 0 };
  for (const entity of client.entities("Pickup")) dot(entity, "goldenrod", 3, own);
  for (const entity of client.entities("Velocity")) dot(entity, "saddlebrown", 5, own); // all that moves
  for (const entity of client.entities("Avatar")) dot(entity, "royalblue", 6, own);
  dot(client.player, "crimson", 3, own);
  document.title = `${client.state}: tick ${client.tick}, ${client.entities("Velocity").length} move`;
  requestAnimationFrame(frame);
}
frame();
