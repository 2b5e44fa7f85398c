// A connection with its pipe.
import type { End } from "../core/refusal.js";
import type { Pipe, Pipes } from "../pipe/pipe.js";
import type { Connection } from "./connection.js";

/** Way to servers, and what is called once something has arrived. */
export interface Network {
  readonly pipes: Pipes;
  readonly now: () => number;
  readonly onInput: () => void;
}

export class PipedConnection {
  /** Whether datagrams of the session may have left. */
  hasSent = false;
  private pipe: Pipe | null = null;
  private server = "";

  constructor(
    public connection: Connection,
    public url: URL,
    private readonly network: Network,
  ) {
    this.open();
  }

  private addressOf(): string {
    const { host, port } = this.connection.server();
    return `${host} ${port}`;
  }

  /** A session takes a pipe of its own for each server that it tries. */
  private open(): void {
    this.drop();
    this.server = this.addressOf();
    const { pipes, now, onInput } = this.network;
    const pipe = pipes[this.url.protocol]!(this.url, this.connection.server(), {
      onDatagram: (datagram) => {
        if (this.pipe !== pipe) return;
        this.connection.receive(datagram, now());
        onInput();
      },
      onClosed: (why) => {
        if (this.pipe !== pipe) return;
        this.drop();
        this.connection.pipeClosed(why, now());
        onInput();
      },
    });
    this.pipe = pipe;
  }

  drop(): void {
    if (this.pipe === null) return;
    this.hasSent ||= this.pipe.wasOpen ?? true;
    this.pipe.close();
    this.pipe = null;
  }

  /** Opens a pipe for a new session. */
  begin(url = this.url): void {
    this.url = url;
    this.hasSent = false;
    this.open();
  }

  private readonly send = (datagram: Uint8Array): void => this.pipe?.send(datagram);

  update(now: number): void {
    const { connection } = this;
    connection.update(now, this.send);
    const { clock, mirror } = connection;
    if (mirror !== null && clock?.isKnown === true) mirror.setViewTick(clock.viewTick(now));
    if (connection.state !== "closed" && this.server !== this.addressOf()) this.open();
  }

  /** Ends the session, and sends the server the reason. */
  close(end?: End): void {
    this.connection.close(this.send, end);
    this.drop();
  }
}
