// Bytes from outside that are not accepted.

/** Thrown for bytes, or calls, that are refused. `reason` is a short name that programs can compare. */
export class Refusal extends Error {
  constructor(
    readonly reason: string,
    message: string,
  ) {
    super(message);
    this.name = "Refusal";
  }
}

export function refuse(reason: string, message: string): never {
  throw new Refusal(reason, message);
}

/** Reasons of a session's end, by code; docs/protocol.md lists them. */
export const endReasons = [
  "none",
  "other protocol version",
  "server full",
  "refused",
  "timed out",
  "left",
  "kicked",
  "shutting down",
  "protocol error",
  "replaced",
  "token expired",
  "invalid token",
  "no answer",
  "handshake timed out",
  "pipe lost",
  "flooding",
  "moved",
] as const;

export type EndReason = (typeof endReasons)[number];

/** Why a session has ended, with text for people. */
export interface End {
  readonly reason: EndReason;
  readonly text: string;
  /** Reason of the refusal that has ended the session, if it was this client's: "other schema". */
  readonly refusal?: string;
}

/** Begins the text of an end that is a fault of this client too. */
export const unforeseen = "unforeseen error";

/** Returns the end of a session by an error, one that was thrown for the server's bytes. */
export function endOf(error: unknown): End {
  const refusal = error instanceof Refusal ? error.reason : null;
  const text = `${refusal ?? unforeseen}: ${error instanceof Error ? error.message : error}`;
  return { reason: "protocol error", text, ...(refusal === null ? {} : { refusal }) };
}

const lossReasons: readonly string[] = ["timed out", "pipe lost", "no answer", "handshake timed out"];

/** Returns whether the connection was lost, rather than ended by one side. */
export const isLoss = (end: End | null): boolean => lossReasons.includes(end?.reason ?? "");
