// Connect tokens of netcode 1.02: who may open a session, with which server, and its keys.
import { bytesOfText, equalBytes, u16, u32, u64 } from "../core/bytes.js";
import { refuse } from "../core/refusal.js";

export const tokenBytes = 2048;
export const versionInfo = bytesOfText("NETCODE 1.02\0");
const protocolIdAt = 13;
const createAt = 21;
const expireAt = 29;
const nonceAt = 37;
const timeoutAt = 1085;
const serversAt = 1089;
const serversMax = 32;

export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

export interface ConnectToken {
  readonly protocolId: Uint8Array;
  /** Seconds from its creation to its end. */
  readonly lifetime: number;
  readonly timeoutSeconds: number; // 0 or less disables it
  readonly servers: readonly ServerAddress[];
  readonly clientToServer: Uint8Array;
  readonly serverToClient: Uint8Array;
  /** The token's part of a connection request: when it expires, its nonce, and what only the server can read. */
  readonly request: Uint8Array;
}

function invalid(what: string): never {
  refuse("invalid token", what);
}

function readAddress(bytes: Uint8Array, at: number): { address: ServerAddress; end: number } {
  const kind = bytes[at]!;
  if (kind === 1) {
    const host = bytes.subarray(at + 1, at + 5).join(".");
    return { address: { host, port: u16(bytes, at + 5) }, end: at + 7 };
  }
  if (kind !== 2) invalid("an address is IPv4 or IPv6");
  const parts = Array.from({ length: 8 }, (_, i) => u16(bytes, at + 1 + 2 * i).toString(16));
  return { address: { host: parts.join(":"), port: u16(bytes, at + 17) }, end: at + 19 };
}

/** Reads a token of 2,048 bytes. Throws a Refusal with the reason "invalid token". */
export function readToken(bytes: Uint8Array): ConnectToken {
  if (bytes.length !== tokenBytes) invalid(`a token has ${tokenBytes} bytes, this one ${bytes.length}`);
  if (!equalBytes(bytes.subarray(0, protocolIdAt), versionInfo)) invalid("it is not of netcode 1.02");
  const count = u32(bytes, serversAt);
  if (count < 1 || count > serversMax) invalid(`a token has 1 to ${serversMax} addresses`);
  const servers: ServerAddress[] = [];
  let at = serversAt + 4;
  for (let i = 0; i < count; ++i) {
    const { address, end } = readAddress(bytes, at);
    servers.push(address);
    at = end;
  }
  const lifetime = u64(bytes, expireAt) - u64(bytes, createAt);
  if (lifetime < 0) invalid("it expires before it was made");
  return {
    protocolId: bytes.slice(protocolIdAt, createAt),
    lifetime,
    timeoutSeconds: u32(bytes, timeoutAt) | 0,
    servers,
    clientToServer: bytes.slice(at, at + 32),
    serverToClient: bytes.slice(at + 32, at + 64),
    request: concatRequest(bytes),
  };
}

function concatRequest(bytes: Uint8Array): Uint8Array {
  const request = new Uint8Array(8 + 24 + 1024);
  request.set(bytes.subarray(expireAt, nonceAt));
  request.set(bytes.subarray(nonceAt, timeoutAt), 8);
  return request;
}
