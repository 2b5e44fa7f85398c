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
] as const;

export type EndReason = (typeof endReasons)[number];

/** Why a session has ended, with text for people. */
export interface End {
  readonly reason: EndReason;
  readonly text: string;
}
