// A client in a worker. The worker's script calls serveClient(), the page connectInWorker().
import { connect } from "./client.js";
import { Host, type HostOptions } from "./worker/host.js";
import type { Port, ToPage, ToWorker } from "./worker/messages.js";
import { WorkerClient, type WorkerConnectOptions } from "./worker/worker_client.js";

export { WorkerClient, type WorkerConnectOptions } from "./worker/worker_client.js";
export type { HostOptions } from "./worker/host.js";
export type { Port } from "./worker/messages.js";

/** Runs the client of a page in this worker. */
export function serveClient(options: HostOptions = {}, port = globalThis as unknown as Port<ToPage>): void {
  new Host(port, connect, options);
}

/** Connects to a server from a worker whose script calls serveClient(). A malformed token or address ends the client. */
export function connectInWorker(worker: Port<ToWorker>, options: WorkerConnectOptions): WorkerClient {
  return new WorkerClient(worker, options);
}
