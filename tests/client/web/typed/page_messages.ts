// Code of docs/web.md: a client with generated types. It is compiled, and never run.
import type { Entity } from "@mobula/client";
import { connect } from "@mobula/client";
import { decode, encode } from "@mobula/client/messages";
import { Avatar, Health, schema } from "./components.js";
import { Move } from "./demo_commands.js";
import { Event } from "./demo_events.js";

const client = connect({ url, token, schema });
client.onSpawn(Avatar, (entity) => addPicture(entity, client.get(entity, Health)!.maximum));
client.onEvent = ({ bytes }) => {
  const { body } = decode(Event, bytes);
  if (body.kind === "PickupTaken") addScore(body.value.amount);
};
client.onClosed = ({ refusal, text }) => showEnd(refusal === "other schema" ? "Reload the page." : text);

const walkEast = () => client.send(encode(Move, { x: 1 }));

walkEast();

declare const url: string, token: string;
declare function addPicture(entity: Entity, health: number): void;
declare function addScore(amount: number): void;
declare function showEnd(text: string): void;
