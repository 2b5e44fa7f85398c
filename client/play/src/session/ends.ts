// Words for the player about the end of a session, by its reason.
import type { End } from "@mobula/client";

export interface Words {
  readonly title: string;
  readonly text: string;
  readonly button: string;
  /** Whether the page also tries again by itself, because the server may return. */
  readonly returns?: boolean;
}

const join = "Join again";
const reload = "Load the page anew";

const byReason: Readonly<Record<string, Words>> = {
  "other protocol version": {
    title: "The server has another version",
    text: "This page is older or newer than the server. A fresh page usually fits.",
    button: reload,
  },
  "server full": { title: "The village is full", text: "All places are taken. Try again in a moment.", button: join },
  refused: { title: "The server has refused you", text: "It did not accept this session.", button: join },
  "timed out": {
    title: "The connection was lost",
    text: "Nothing arrived from the server for a minute.",
    button: join,
    returns: true,
  },
  left: { title: "The server has ended the session", text: "It gave no other reason.", button: join },
  kicked: { title: "You were removed", text: "An operator has ended your session.", button: join },
  "shutting down": {
    title: "The server has stopped",
    text: "It was shut down, and may come up again.",
    button: join,
    returns: true,
  },
  "protocol error": {
    title: "This page did not understand the server",
    text: "The session has ended before anything wrong was shown.",
    button: reload,
  },
  replaced: { title: "You play elsewhere", text: "The same player has joined from another page.", button: join },
  "token expired": { title: "The token has expired", text: "A token opens a session for a short time only.", button: join },
  "invalid token": { title: "The token was refused", text: "The server did not accept this page's token.", button: join },
  "no answer": {
    title: "The server does not answer",
    text:
      "It may be restarting, or a firewall may be in the way. The token may be of another server, or damaged, " +
      "or the clocks of the servers may differ.",
    button: join,
    returns: true,
  },
  "handshake timed out": {
    title: "The server is too busy",
    text: "It began to let you in, and did not finish.",
    button: join,
    returns: true,
  },
  "pipe lost": {
    title: "The connection was closed",
    text: "The WebSocket has ended, and could not be opened again.",
    button: join,
    returns: true,
  },
  moved: { title: "You are in another world", text: "This page shows the world that you have left.", button: join },
  flooding: { title: "Too many messages", text: "The server received more than it accepts from a player.", button: join },
};

const schemaWords: Words = {
  title: "The server runs another game",
  text: "Its components differ from those that this page was made for.",
  button: reload,
};

export function wordsOf(end: End): Words {
  if (end.text.startsWith("other schema")) return schemaWords;
  return byReason[end.reason] ?? { title: "The session has ended", text: `Reason: ${end.reason}.`, button: join };
}
