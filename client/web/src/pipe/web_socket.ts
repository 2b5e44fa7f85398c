// Datagrams as binary messages of the browser's WebSocket.
import type { OpenPipe } from "./pipe.js";

const queuedMax = 64 * 1024; // bytes that wait in the socket before datagrams are dropped

export const openWebSocket: OpenPipe = (url, _server, events) => {
  let isClosed = false;
  let wasOpen = false;
  let first: Uint8Array | null = null; // waits until the socket is open
  const socket = new WebSocket(url);
  socket.binaryType = "arraybuffer";
  const closed = (why: string): void => {
    if (!isClosed) events.onClosed(why);
    isClosed = true;
  };
  const pass = (datagram: Uint8Array): void => {
    if (socket.bufferedAmount < queuedMax) socket.send(datagram as Uint8Array<ArrayBuffer>);
  };
  socket.onopen = () => {
    wasOpen = true;
    if (first !== null && !isClosed) pass(first);
  };
  socket.onmessage = ({ data }) => {
    if (!isClosed && data instanceof ArrayBuffer) events.onDatagram(new Uint8Array(data));
  };
  socket.onerror = () => closed("the WebSocket failed");
  socket.onclose = ({ code }) => closed(`the WebSocket was closed (${code})`);
  return {
    get wasOpen() {
      return wasOpen;
    },
    send(datagram) {
      if (socket.readyState === WebSocket.OPEN) pass(datagram);
      else first ??= datagram;
    },
    close() {
      isClosed = true;
      socket.close();
    },
  };
};
