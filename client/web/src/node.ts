// The client of Mobula for Node, over WebSocket and UDP.
import { Client, type ConnectOptions } from "./connection/client.js";
import { openNodeWebSocket } from "./pipe/node_web_socket.js";
import { openUdp } from "./pipe/udp.js";

export * from "./client.js";

/** Connects to a server. Throws a Refusal if the token or the address is malformed. */
export function connect(options: ConnectOptions): Client {
  return new Client(options, { "ws:": openNodeWebSocket, "wss:": openNodeWebSocket, "udp:": openUdp });
}
