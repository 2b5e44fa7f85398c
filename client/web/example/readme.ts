import { connect } from "@mobula/client";

const { tokens, ws, wss } = await (await fetch("token")).json();
const client = connect({ url: wss ?? ws, token: tokens[0], name: "Anna" });
client.onClosed = ({ reason, text }) => console.log(`closed: ${reason} ${text}`);

function frame(): void {
  client.update();
  for (const entity of client.entities("Avatar")) console.log(entity, client.sample(entity, "Transform"));
  if (client.end === null) requestAnimationFrame(frame);
}
frame();
