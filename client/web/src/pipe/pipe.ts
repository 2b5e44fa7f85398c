// A way for datagrams to a server and back. Datagrams may be lost.
import type { ServerAddress } from "../session/token.js";

export interface PipeEvents {
  onDatagram(datagram: Uint8Array): void;
  /** The pipe is of no use any more. Not called after close(). */
  onClosed(why: string): void;
}

export interface Pipe {
  /** Whether datagrams may have left. A pipe without it counts as one of which they have. */
  readonly wasOpen?: boolean;
  /** Sends a datagram, or drops it while the pipe is not ready. */
  send(datagram: Uint8Array): void;
  close(): void;
}

/** Opens a pipe. `url` is the one given to connect(); `server` is the address out of the token. */
export type OpenPipe = (url: URL, server: ServerAddress, events: PipeEvents) => Pipe;

/** Pipes by the protocol of a URL, such as "wss:". */
export type Pipes = Readonly<Record<string, OpenPipe>>;
