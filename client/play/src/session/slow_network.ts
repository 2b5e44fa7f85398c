// A slower network than there is: a pipe that holds back datagrams, and drops some, in both directions.
//
// A WebSocket keeps the order of its messages, and so does this pipe: jitter delays a datagram, and those after it wait. The
// session repairs what is dropped as it does over UDP, because it does not know what carries it.
import type { OpenPipe, Pipe } from "@mobula/client";

export interface Conditions {
  /** Added to the round trip, in ms. */
  latency: number;
  /** Most that a round trip is longer than that, in ms. */
  jitter: number;
  /** Part of the datagrams that are dropped, 0 to 1. */
  loss: number;
}

export interface Counts {
  passed: number;
  dropped: number;
}

interface Held {
  readonly due: number;
  readonly bytes: Uint8Array;
}

/** Passes datagrams on in one direction. */
export class Lane {
  private readonly held: Held[] = [];
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(
    private readonly conditions: Conditions,
    private readonly counts: Counts,
    private readonly pass: (bytes: Uint8Array) => void,
    private readonly random: () => number = Math.random,
    private readonly now: () => number = () => performance.now(),
  ) {}

  add(bytes: Uint8Array): void {
    const { latency, jitter, loss } = this.conditions;
    if (loss > 0 && this.random() < loss) return void ++this.counts.dropped;
    ++this.counts.passed;
    const delay = (latency + jitter * this.random()) / 2;
    if (delay <= 0 && this.held.length === 0) return this.pass(bytes);
    const due = Math.max(this.now() + delay, this.held.at(-1)?.due ?? 0);
    this.held.push({ due, bytes: bytes.slice() });
    this.schedule();
  }

  private schedule(): void {
    if (this.timer !== null || this.held.length === 0) return;
    this.timer = setTimeout(() => this.release(), Math.max(0, this.held[0]!.due - this.now()));
  }

  private release(): void {
    this.timer = null;
    // A timer may fire a little early.
    while (this.held.length > 0 && this.held[0]!.due <= this.now() + 0.5) this.pass(this.held.shift()!.bytes);
    this.schedule();
  }

  /** Passes on what is held. */
  flush(): void {
    for (const { bytes } of this.held.splice(0)) this.pass(bytes);
  }

  close(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.held.length = 0;
  }
}

/** Returns pipes like those that `open` opens, through a network of these conditions. They may change at any time. */
export function slowed(open: OpenPipe, conditions: Conditions, counts: Counts): OpenPipe {
  return (url, server, events) => {
    const back = new Lane(conditions, counts, (bytes) => events.onDatagram(bytes));
    const pipe: Pipe = open(url, server, {
      onDatagram: (bytes) => back.add(bytes),
      onClosed: (why) => {
        back.close();
        forth.close();
        events.onClosed(why);
      },
    });
    const forth = new Lane(conditions, counts, (bytes) => pipe.send(bytes));
    return {
      get wasOpen() {
        return pipe.wasOpen ?? true;
      },
      send: (bytes) => forth.add(bytes),
      close() {
        forth.flush(); // with it the end of the session: a page that is left has no time to wait
        back.close();
        forth.close();
        pipe.close();
      },
    };
  };
}
