// The client of Mobula for browsers. For Node there is node.ts, which adds UDP and its own WebSocket.
import { Client, type ConnectOptions } from "./connection/client.js";
import { openWebSocket } from "./pipe/web_socket.js";

export { type AnyComponent, Client, type ClientState, type ConnectOptions } from "./connection/client.js";
export { type Component, type SchemaIdentity, named } from "./connection/component.js";
export { type Entity, entityOf } from "./core/entity.js";
export type { ReceivedEvent } from "./connection/event_queue.js";
export type { FailedCommand } from "./connection/failed_commands.js";
export { LevelStore } from "./connection/level_store.js";
export type { Access, Token } from "./connection/moved_server.js";
export type { Statistics } from "./connection/statistics.js";
export { type End, type EndReason, Refusal } from "./core/refusal.js";
export type { Presence } from "./mirror/known.js";
export type { Values } from "./mirror/values.js";
export type { ComponentObject, Value } from "./mirror/values_object.js";
export type { OpenPipe, Pipe, PipeEvents, Pipes } from "./pipe/pipe.js";
export { openWebSocket } from "./pipe/web_socket.js";

/** Connects to a server. Throws a Refusal if the token or the address is malformed. */
export function connect(options: ConnectOptions): Client {
  return new Client(options, { "ws:": openWebSocket, "wss:": openWebSocket });
}
