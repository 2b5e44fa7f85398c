// Datagrams as binary messages of the browser's WebSocket.
import type { OpenPipe } from "./pipe.js";

const queuedMax = 64 * 1024; // bytes that wait in the socket before datagrams are dropped

export const openWebSocket: OpenPipe = (url, _server, events) => {
  let isClosed = false;
  const socket = new WebSocket(url);
  socket.binaryType = "arraybuffer";
  const closed = (why: string): void => {
    if (!isClosed) events.onClosed(why);
    isClosed = true;
  };
  socket.onmessage = ({ data }) => {
    if (!isClosed && data instanceof ArrayBuffer) events.onDatagram(new Uint8Array(data));
  };
  socket.onerror = () => closed("the WebSocket failed");
  socket.onclose = ({ code }) => closed(`the WebSocket was closed (${code})`);
  return {
    send(datagram) {
      if (socket.readyState === WebSocket.OPEN && socket.bufferedAmount < queuedMax)
        socket.send(datagram as Uint8Array<ArrayBuffer>);
    },
    close() {
      isClosed = true;
      socket.close();
    },
  };
};
