// The smallest page of a game: it gets a token of the address that serves it, joins, and draws what it mirrors.
import { connect } from "../../../client/web/src/client.js";

interface Admission {
  readonly tokens: readonly string[];
  readonly ws?: string;
  readonly wss?: string;
}

const canvas = document.getElementById("map") as HTMLCanvasElement;
const state = document.getElementById("state") as HTMLParagraphElement;
const metresShown = 60;

async function join(): Promise<void> {
  const { tokens, ws, wss } = (await (await fetch("token")).json()) as Admission;
  const client = connect({ url: (wss ?? ws)!, token: tokens[0]!, name: "page" });
  const context = canvas.getContext("2d")!;
  const frame = (): void => {
    client.update();
    canvas.width = innerWidth;
    canvas.height = innerHeight;
    const own = client.player === 0n ? null : client.get(client.player, "Transform");
    const { x, z } = (own?.["position"] ?? { x: 0, z: 0 }) as { x: number; z: number };
    const scale = canvas.width / metresShown;
    for (const entity of client.entities("Transform")) {
      const at = client.sample(entity, "Transform")!["position"] as { x: number; z: number };
      context.fillStyle = `hsl(${Number(entity % 360n)} 60% 50%)`;
      context.fillRect(canvas.width / 2 + (at.x - x) * scale, canvas.height / 2 + (at.z - z) * scale, 8, 8);
    }
    state.textContent = `${client.state}, tick ${client.tick}`;
    requestAnimationFrame(frame);
  };
  frame();
}

void join();
