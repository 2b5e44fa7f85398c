// The client of Mobula for Node, over WebSocket and UDP.
import { openFolder } from "./cache/folder.js";
import { type CacheLimits, restoreLevels } from "./cache/level_cache.js";
import { Client, type ConnectOptions } from "./connection/client.js";
import type { LevelStore } from "./connection/level_store.js";
import { openNodeWebSocket } from "./pipe/node_web_socket.js";
import { openUdp } from "./pipe/udp.js";

export * from "./client.js";
export type { CacheLimits } from "./cache/level_cache.js";

/**
 * Returns the levels that a folder has, for the option `levels` of connect(). Those that are received are written to it. A
 * folder that cannot be used is no error: levels are in memory alone.
 */
export async function keepLevelsIn(folder: string, limits: CacheLimits = {}): Promise<LevelStore> {
  return restoreLevels(await openFolder(folder), limits);
}

/** Connects to a server. Throws a Refusal if the token or the address is malformed. */
export function connect(options: ConnectOptions): Client {
  return new Client(options, { "ws:": openNodeWebSocket, "wss:": openNodeWebSocket, "udp:": openUdp });
}
