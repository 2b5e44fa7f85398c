// A pipe whose datagrams take time, and are lost, in both directions.
import type { Pipe, PipeEvents, Pipes } from "../../src/pipe/pipe.js";

export interface Path {
  latency: number; // ms one way
  jitter: number; // ms
  loss: number; // share
}

/** Opens pipes of `open` whose datagrams take a path, which may change. */
export function slowPipe(open: Pipes[string], path: Path, random: () => number): Pipes[string] {
  return (url, server, events) => {
    let isOpen = true;
    const later = (pass: () => void): void => {
      if (random() < path.loss) return;
      setTimeout(() => isOpen && pass(), path.latency + path.jitter * (2 * random() - 1));
    };
    const inner: PipeEvents = {
      onDatagram: (datagram) => {
        const own = datagram.slice();
        later(() => events.onDatagram(own));
      },
      onClosed: (why) => events.onClosed(why),
    };
    const pipe = open!(url, server, inner);
    return {
      send: (datagram) => {
        const own = datagram.slice();
        later(() => pipe.send(own));
      },
      close: () => {
        isOpen = false;
        pipe.close();
      },
    } satisfies Pipe;
  };
}
