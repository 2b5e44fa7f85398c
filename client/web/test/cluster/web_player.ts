// A player of a cluster's world in the client of TypeScript: web_player.js CLUSTER WORLD ACCOUNT
// It counts in the demo's chat. A number that it receives twice is a command that was executed twice. SIGTERM ends it with
// a line of JSON: zone_changes, mismatched (ticks whose hash was wrong), verified (ticks), commands_twice, received
// (numbers), unseen (updates in which its own entity was missing from a mirror that has had it), and sessions.
import { ChatMessage, Event as DemoEvent } from "../../demo/demo_events.js";
import { Chat } from "../../demo/demo_commands.js";
import { decode, encode } from "../../src/messages.js";
import { type Access, connect } from "../../src/node.js";

const [cluster, world, account] = process.argv.slice(2) as [string, string, string];
const numberInterval = 1100; // ms; the demo permits one message per second

async function ask<T>(path: string, body?: object): Promise<T> {
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const answer = await fetch(`${cluster}/${path}`, init);
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  return (await answer.json()) as T;
}

/** Returns a token of a world, and where that is now. */
async function accessOf(name: string): Promise<Access> {
  const { tokens } = await ask<{ tokens: string[] }>("tokens", { world: name, account });
  const { addresses } = await ask<{ addresses: string[] }>(`worlds/${name}`);
  return { token: tokens[0]!, url: addresses.find((address) => address.startsWith("udp:")) ?? "" };
}

const client = connect({
  ...(await accessOf(world)),
  name: account,
  timer: false,
  newToken: () => accessOf(world),
  worldToken: accessOf,
});
const times: number[] = [0]; // how often each number was received
let unseen = 0;
let seenIn = -1; // mirror in which the own entity was seen

client.onEvent = ({ bytes }) => {
  const body = decode(DemoEvent, bytes).body;
  const text = body.kind === "ChatMessage" ? (body.value as ChatMessage).text : "";
  const [name, number] = text.split(" ");
  if (name === account && times[Number(number)] !== undefined) ++times[Number(number)]!;
};
client.onClosed = ({ reason, text }) => {
  console.error(`closed: ${reason}: ${text}`);
  process.exit(1);
};
setInterval(() => {
  client.update();
  const isSeen = client.state === "playing" && client.has(client.player);
  if (isSeen) seenIn = client.connection.mirrors;
  else if (client.state === "playing" && seenIn === client.connection.mirrors) ++unseen;
}, 16);
setInterval(() => {
  if (client.state !== "playing") return;
  client.send(encode(Chat, { text: `${account} ${times.length}` }));
  times.push(0);
}, numberInterval);

process.on("SIGTERM", () => {
  const { mismatchedTicks: mismatched, verifiedTicks: verified } = client.statistics;
  const result = {
    zone_changes: client.zoneChanges,
    mismatched,
    verified,
    commands_twice: times.filter((each) => each > 1).length,
    received: times.filter((each) => each > 0).length,
    given: times.length - 1,
    unseen,
    sessions: 1 + client.zoneChanges + client.statistics.rejoins,
  };
  console.log(JSON.stringify(result));
  process.exit(0);
});
