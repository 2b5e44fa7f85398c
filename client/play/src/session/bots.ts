// A worker with players that nobody steers. Each has a session of its own, like a page that joins.
import { Client, openWebSocket } from "@mobula/client";
import { encode } from "@mobula/client/messages";
import { schema } from "../../../web/demo/components.js";
import { Chat, Move, Tag, Throw } from "../../../web/demo/demo_commands.js";
import { type Vector, raised, straightTo } from "./bot_aim.js";

export interface BotOrder {
  readonly url: string;
  readonly tokens: readonly string[];
}

export interface BotReport {
  readonly playing: number;
  readonly wanted: number;
  /** Bots that have ended since the last report. */
  readonly ended: number;
}

const names = ["Ada", "Bo", "Cleo", "Dag", "Edda", "Fenn", "Gus", "Hild", "Ivo", "Juno", "Kai", "Lotte"];
const words = ["Hello!", "Nice throw.", "To the well!", "Catch me.", "Mind the wolves.", "Any key left?"];
const home = 16; // metres around the well, in which bots stay
const turnTime = 1400; // ms between decisions
const pipes = { "ws:": openWebSocket, "wss:": openWebSocket };

const any = <T>(of: readonly T[]): T => of[Math.floor(Math.random() * of.length)]!;

interface Place {
  readonly position: Vector;
}

class Bot {
  readonly client: Client;
  private decideAt = 0;

  constructor({ url, token, name }: { url: string; token: string; name: string }) {
    this.client = new Client({ url, token, name, schema, verify: false }, pipes);
  }

  get isPlaying(): boolean {
    return this.client.end === null && this.client.has(this.client.player);
  }

  act(now: number): void {
    if (!this.isPlaying || now < this.decideAt) return;
    this.decideAt = now + turnTime * (0.6 + 0.8 * Math.random());
    const { client } = this;
    const own = client.get(client.player, "Transform") as unknown as Place | null;
    if (own === null) return;
    const lot = Math.random();
    if (lot < 0.03) client.send(encode(Chat, { text: any(words) }));
    else if (lot < 0.22) this.attack(own);
    else this.walk(own);
  }

  private walk({ position: { x, z } }: Place): void {
    const away = Math.hypot(x, z);
    const angle = Math.random() * 2 * Math.PI;
    const pull = Math.min(1, (away / home) ** 2); // the further, the straighter back
    const way = { x: Math.cos(angle) - (pull * x * 1.5) / Math.max(away, 1), z: Math.sin(angle) - (pull * z * 1.5) / Math.max(away, 1) };
    const length = Math.hypot(way.x, way.z) * 1.001;
    this.client.send(encode(Move, Math.random() < 0.15 ? {} : { x: way.x / length, z: way.z / length }));
  }

  /** Throws at another player in view, or tags it. */
  private attack(own: Place): void {
    const { client } = this;
    const others = client.entities("Avatar").filter((entity) => entity !== client.player);
    const target = others.length === 0 ? null : (client.sample(any(others), "Transform") as unknown as Place | null);
    if (target === null) return;
    const aim = straightTo(own.position, target.position);
    if (aim === null) return;
    client.send(Math.random() < 0.5 ? encode(Tag, aim) : encode(Throw, raised(aim)));
  }
}

const bots: Bot[] = [];
const scope = self as unknown as { onmessage: (event: MessageEvent) => void; postMessage(report: BotReport): void };

scope.onmessage = ({ data }: MessageEvent<BotOrder | "leave">) => {
  if (data === "leave") {
    for (const { client } of bots.splice(0)) client.close();
    return;
  }
  const first = bots.length;
  data.tokens.forEach((token, i) => bots.push(new Bot({ url: data.url, token, name: names[(first + i) % names.length]! })));
};

setInterval(() => {
  const now = performance.now();
  for (const bot of bots) bot.act(now);
}, 100);
setInterval(() => {
  const left = bots.filter(({ client }) => client.end === null);
  const ended = bots.splice(0, bots.length, ...left).length - left.length;
  scope.postMessage({ playing: bots.filter((bot) => bot.isPlaying).length, wanted: bots.length, ended });
}, 500);
