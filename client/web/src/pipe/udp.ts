// Datagrams over UDP, for Node. Browsers never load this module.
import { createSocket } from "node:dgram";
import { isIPv6 } from "node:net";
import type { OpenPipe } from "./pipe.js";

const defaultPort = 7777;

/** Returns the host of a URL without the brackets of an IPv6 address. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, "$1");

export const openUdp: OpenPipe = (url, server, events) => {
  const host = url.hostname === "" ? server.host : hostOf(url);
  const port = url.hostname === "" ? server.port : Number(url.port || defaultPort);
  const socket = createSocket(isIPv6(host) ? "udp6" : "udp4");
  let isClosed = false;
  const close = (): void => {
    if (!isClosed) socket.close();
    isClosed = true;
  };
  socket.on("message", (datagram) => {
    // A copy: Node uses the memory of a datagram again.
    if (!isClosed) events.onDatagram(new Uint8Array(datagram));
  });
  socket.on("error", (error: NodeJS.ErrnoException) => {
    if (isClosed || error.code === "ECONNREFUSED") return; // as if lost: the server may be starting again
    close();
    events.onClosed(error.message);
  });
  // Connected, so that datagrams of others are not received.
  socket.connect(port, host);
  let isReady = false;
  socket.on("connect", () => {
    isReady = true;
  });
  return {
    send(datagram) {
      if (isReady && !isClosed) socket.send(datagram, () => {});
    },
    close,
  };
};
