// Reliable messages: those of the server as plain objects, those of the client as bytes. schema/wire.fbs declares them.
import { concat, isPrintable, putU32, u32 } from "../core/bytes.js";
import { FlatTable } from "../core/flat_table.js";
import * as flat from "../core/flat_writer.js";
import { refuse } from "../core/refusal.js";
import { hashHigh, hashLow, xxh3 } from "../core/xxh3.js";
import { limits } from "../reflect/declarations.js";
import type { WireEvent } from "./event_batch.js";

export const protocolVersion = 2;
export const indicesMax = 4_194_304;
export const tokenBytes = 2048;
const textBytesMax = 256;
const resourcesMax = 16;
const addressesMax = 32;

/** Numbers of the union's members. */
const body = {
  hello: 1,
  welcome: 2,
  names: 3,
  prototypes: 4,
  playerEntity: 5,
  rejoinTokens: 6,
  resourceRequest: 7,
  resourcePart: 8,
  events: 9,
  level: 10,
  mirrorHashes: 11,
  mirrorCorrection: 12,
  mirrorDifference: 13,
  closing: 14,
  commandRefused: 15,
  deltaBody: 16,
  resourceOffer: 18,
  follow: 19,
} as const;

export interface ResourceInfo {
  readonly identity: Uint8Array;
  readonly size: number;
  /** The first tick whose step of the rules reads it. */
  readonly firstTick: number;
}

export interface ComponentRef {
  readonly type: number;
  readonly instance: number;
}

export interface AnnouncedPrototype {
  readonly id: number;
  readonly hashLow: number;
  readonly hashHigh: number;
  readonly components: readonly ComponentRef[];
}

export type ServerMessage =
  | {
      readonly kind: "welcome";
      readonly session: number;
      readonly ticksPerSecond: number;
      readonly indexLimit: number;
      readonly fingerprint: Uint8Array;
      readonly schema: Uint8Array | null;
      readonly resources: readonly ResourceInfo[];
      readonly resumed: boolean;
      readonly predictionSeed: bigint;
    }
  | { readonly kind: "resourceOffer"; readonly resources: readonly ResourceInfo[] }
  | { readonly kind: "names"; readonly texts: readonly string[] }
  | { readonly kind: "prototypes"; readonly prototypes: readonly AnnouncedPrototype[] }
  | { readonly kind: "playerEntity"; readonly index: number; readonly generation: number }
  | { readonly kind: "rejoinTokens"; readonly tokens: readonly Uint8Array[]; readonly graceSeconds: number }
  | {
      readonly kind: "resourcePart";
      readonly identity: Uint8Array;
      readonly offset: number;
      readonly bytes: Uint8Array;
    }
  | { readonly kind: "events"; readonly events: readonly WireEvent[] }
  | {
      readonly kind: "level";
      readonly identity: Uint8Array;
      readonly first: number;
      readonly count: number;
      readonly generation: number;
      readonly tick: number;
      readonly present: Uint8Array;
    }
  | {
      readonly kind: "correction";
      readonly fault: "values" | "unknown" | "missing";
      readonly ofLevel: boolean;
      readonly place: number;
      readonly index: number;
      readonly generation: number;
      readonly tick: number;
      readonly prototypeLow: number;
      readonly prototypeHigh: number;
      readonly owner: boolean;
      readonly words: Uint32Array;
    }
  | { readonly kind: "closing"; readonly seconds: number; readonly reason: string }
  | { readonly kind: "commandRefused"; readonly number: number; readonly reason: string }
  | {
      readonly kind: "deltaBody";
      readonly number: number;
      readonly offset: number;
      readonly size: number;
      readonly bytes: Uint8Array;
    }
  | Follow;

/** Where the player is, or may go: a zone of its world. */
export interface Follow {
  readonly kind: "follow";
  readonly world: string;
  /** A connect token. */
  readonly token: Uint8Array;
  /** Addresses of the zone, such as "udp://203.0.113.7:7777". */
  readonly addresses: readonly string[];
  /** The player is near the zone, and still here. */
  readonly visit: boolean;
}

export type MessageOf<Kind extends ServerMessage["kind"]> = Extract<ServerMessage, { kind: Kind }>;

function malformed(what: string): never {
  refuse("malformed message", what);
}

function identityOf(table: FlatTable, field: number, what: string): Uint8Array {
  const bytes = table.blob(field, 32);
  return bytes.length === 32 ? bytes.slice() : malformed(`${what} has 32 bytes`);
}

function shortText(table: FlatTable, field: number, what: string): string {
  const text = table.text(field, textBytesMax);
  if (!isPrintable(text)) malformed(`${what} is printable`);
  return text;
}

function handleAt(table: FlatTable, field: number): { index: number; generation: number } {
  const at = table.struct(field, 8);
  return at === 0 ? { index: 0, generation: 0 } : { index: u32(table.bytes, at), generation: u32(table.bytes, at + 4) };
}

const readResource = (table: FlatTable): ResourceInfo => ({
  identity: identityOf(table, 0, "an identity"),
  size: table.u64(1),
  firstTick: table.u32(2),
});

function readWelcome(table: FlatTable): MessageOf<"welcome"> {
  const ticksPerSecond = table.u32(1);
  const indexLimit = table.u32(2);
  if (ticksPerSecond < 1 || ticksPerSecond > 1000) malformed("Welcome: 1 to 1000 ticks per second");
  if (indexLimit < 1 || indexLimit > indicesMax) malformed(`Welcome: indices below 1 to ${indicesMax}`);
  const schema = table.blob(4, limits.schemaBytes);
  return {
    kind: "welcome",
    session: table.u32(0),
    ticksPerSecond,
    indexLimit,
    fingerprint: identityOf(table, 3, "a fingerprint"),
    schema: schema.length > 0 ? schema.slice() : null,
    resources: table.tables(5, resourcesMax).map(readResource),
    resumed: table.bool(6),
    predictionSeed: table.big(7),
  };
}

function readNames(table: FlatTable): MessageOf<"names"> {
  const texts = table.texts(0, 4096, textBytesMax);
  if (!texts.every(isPrintable)) malformed("Names: a name is printable");
  return { kind: "names", texts };
}

function readPrototype(table: FlatTable): AnnouncedPrototype {
  const { at, count } = table.vector(2, 8, 256);
  const components: ComponentRef[] = [];
  for (let i = 0; i < count; ++i) {
    const next = { type: u32(table.bytes, at + 8 * i), instance: u32(table.bytes, at + 8 * i + 4) };
    const last = components.at(-1);
    if (last !== undefined && (last.type > next.type || (last.type === next.type && last.instance >= next.instance)))
      malformed("Prototype: components are not sorted, or not distinct");
    components.push(next);
  }
  xxh3(table.bytes.subarray(at, at + 8 * count), 8 * count);
  const prototype = { id: table.u32(0), hashLow: table.half(1, false), hashHigh: table.half(1, true), components };
  if (prototype.hashLow !== hashLow || prototype.hashHigh !== hashHigh)
    malformed("Prototype: the hash is not that of the components");
  return prototype;
}

function readTokens(table: FlatTable): MessageOf<"rejoinTokens"> {
  const bytes = table.blob(0, 4 * tokenBytes);
  const count = bytes.length / tokenBytes;
  if (![1, 2, 3, 4].includes(count)) malformed("RejoinTokens: 1 to 4 tokens of 2048 bytes");
  const tokens = Array.from({ length: count }, (_, i) => bytes.slice(tokenBytes * i, tokenBytes * (i + 1)));
  return { kind: "rejoinTokens", tokens, graceSeconds: table.u32(1) };
}

function readPart(table: FlatTable): MessageOf<"resourcePart"> {
  const bytes = table.blob(2, 65_536);
  if (bytes.length < 1) malformed("ResourcePart: 1 to 65536 bytes");
  return {
    kind: "resourcePart",
    identity: identityOf(table, 0, "an identity"),
    offset: table.u64(1),
    bytes: bytes.slice(),
  };
}

function readEvents(table: FlatTable): MessageOf<"events"> {
  const tick = table.u32(0);
  const events = table.tables(1, 1024).map((each): WireEvent => {
    const about = handleAt(each, 1);
    if (each.has(1) && about.generation === 0) malformed("Event: about an entity of generation 0");
    return { tick, sequence: each.u16(0), ...about, bytes: each.blob(2, 16_384).slice() };
  });
  if (events.length === 0) malformed("Events: 1 to 1024");
  events.forEach((event, i) => {
    if (i > 0 && event.sequence <= events[i - 1]!.sequence) malformed("Events: not by ascending sequence");
  });
  return { kind: "events", events };
}

function readLevel(table: FlatTable): MessageOf<"level"> {
  const [first, count, generation, tick] = [table.u32(1), table.u32(2), table.u32(3), table.u32(4)];
  const present = table.blob(5, (indicesMax + 7) >> 3).slice();
  if (count === 0 || first + count > indicesMax || generation === 0 || tick === 0)
    malformed("Level: a range out of range");
  if (present.length !== (count + 7) >> 3) malformed("Level: `present` has not one bit per entity");
  return { kind: "level", identity: identityOf(table, 0, "an identity"), first, count, generation, tick, present };
}

function readCorrection(table: FlatTable): MessageOf<"correction"> {
  const faults = ["values", "unknown", "missing"] as const;
  const fault = faults[table.u8(0)] ?? malformed("MirrorCorrection: an unknown fault");
  const entity = handleAt(table, 3);
  if (entity.generation === 0) malformed("MirrorCorrection: an entity of generation 0");
  const { at, count } = table.vector(7, 4, 65_536);
  return {
    kind: "correction",
    fault,
    ofLevel: table.bool(1),
    place: table.u32(2),
    ...entity,
    tick: table.u32(4),
    prototypeLow: table.half(5, false),
    prototypeHigh: table.half(5, true),
    owner: table.bool(6),
    words: Uint32Array.from({ length: count }, (_, i) => u32(table.bytes, at + 4 * i)),
  };
}

function readDeltaBody(table: FlatTable): MessageOf<"deltaBody"> {
  const [number, offset, size] = [table.u32(0), table.u32(1), table.u32(2)];
  const bytes = table.blob(3, 16_416);
  if (number === 0 || size > 16_416) malformed("DeltaBody: a number from 1 on, and at most 16416 bytes");
  if (bytes.length === 0 || offset + bytes.length > size)
    malformed("DeltaBody: a part is at least a byte, within the size");
  return { kind: "deltaBody", number, offset, size, bytes: bytes.slice() };
}

function readFollow(table: FlatTable): Follow {
  const token = table.blob(1, tokenBytes).slice();
  const addresses = table.texts(2, addressesMax, textBytesMax);
  if (token.length !== tokenBytes) malformed(`Follow: a token of ${tokenBytes} bytes`);
  if (addresses.length === 0 || !addresses.every(isPrintable)) malformed("Follow: 1 to 32 printable addresses");
  return { kind: "follow", world: shortText(table, 0, "a world"), token, addresses, visit: table.bool(3) };
}

const readers: Readonly<Record<number, (table: FlatTable) => ServerMessage>> = {
  [body.welcome]: readWelcome,
  [body.names]: readNames,
  [body.prototypes]: (table) => ({ kind: "prototypes", prototypes: table.tables(0, 1024).map(readPrototype) }),
  [body.playerEntity]: (table) => ({ kind: "playerEntity", ...handleAt(table, 0) }),
  [body.rejoinTokens]: readTokens,
  [body.resourcePart]: readPart,
  [body.events]: readEvents,
  [body.level]: readLevel,
  [body.mirrorCorrection]: readCorrection,
  [body.closing]: (table) => ({ kind: "closing", seconds: table.u32(0), reason: shortText(table, 1, "a reason") }),
  [body.commandRefused]: (table) => ({
    kind: "commandRefused",
    number: table.u32(0),
    reason: shortText(table, 1, "a reason"),
  }),
  [body.deltaBody]: readDeltaBody,
  [body.resourceOffer]: (table) => ({
    kind: "resourceOffer",
    resources: table.tables(0, resourcesMax).map(readResource),
  }),
  [body.follow]: readFollow,
};

/** Decodes a message of the server. Throws a Refusal. */
export function decodeMessage(bytes: Uint8Array): ServerMessage {
  const message = FlatTable.root(bytes);
  const content = message.table(1) ?? malformed("the message has no body");
  const read = readers[message.u8(0)] ?? refuse("unknown message", `message type ${message.u8(0)} of a server`);
  return read(content);
}

// Messages of the client ---------------------------------------------------------------------------------------------

export interface Hello {
  readonly fingerprint: Uint8Array | null;
  readonly name: string;
  readonly verify: boolean;
  readonly resources: readonly Uint8Array[];
  readonly schemas: readonly Uint8Array[];
  readonly resume: boolean;
  readonly spectate: boolean;
  /** Asks for Follow. */
  readonly follows: boolean;
  /** The player arrives from another zone. The server waits for it with Welcome. */
  readonly awaitsPlayer: boolean;
  /** Its commands have the numbers after those of the player in the former zone. */
  readonly commandsContinue: boolean;
}

const message = (kind: number, fields: flat.Field[]): Uint8Array =>
  flat.flatMessage([flat.u8(kind), flat.table(fields)]);

export function encodeHello(hello: Hello): Uint8Array {
  return message(body.hello, [
    flat.u32(protocolVersion),
    hello.fingerprint === null ? null : flat.blob(hello.fingerprint),
    flat.text(hello.name),
    flat.bool(hello.verify),
    flat.blob(concat(...hello.resources)),
    flat.blob(concat(...hello.schemas)),
    flat.bool(hello.resume),
    flat.bool(hello.spectate),
    flat.bool(true),
    flat.bool(hello.follows),
    flat.bool(hello.awaitsPlayer),
    flat.bool(hello.commandsContinue),
  ]);
}

export function encodeResourceRequest(identity: Uint8Array, offset: number): Uint8Array {
  return message(body.resourceRequest, [flat.blob(identity), flat.u64(BigInt(offset))]);
}

/** State of an entity in a mirror. */
export interface MirrorHash {
  readonly place: number;
  readonly index: number;
  readonly generation: number;
  readonly tick: number;
  readonly hashLow: number;
  readonly hashHigh: number;
}

export function encodeMirrorHashes(
  ofLevel: boolean,
  first: number,
  end: number,
  tick: number,
  hashes: readonly MirrorHash[],
): Uint8Array {
  const bytes = new Uint8Array(24 * hashes.length);
  hashes.forEach((each, i) =>
    [each.place, each.index, each.generation, each.tick, each.hashLow, each.hashHigh].forEach((word, n) =>
      putU32(bytes, 24 * i + 4 * n, word),
    ),
  );
  return message(body.mirrorHashes, [
    flat.bool(ofLevel),
    flat.u32(first),
    flat.u32(end),
    flat.u32(tick),
    flat.structs(hashes.length, bytes),
  ]);
}

/** A value of an entity that was wrong, for people to read. */
export interface MirrorDifference {
  readonly index: number;
  readonly generation: number;
  readonly component: string;
  readonly field: string;
  readonly client: string;
  readonly server: string;
}

export function encodeMirrorDifference(difference: MirrorDifference): Uint8Array {
  const handle = new Uint8Array(8);
  putU32(handle, 0, difference.index);
  putU32(handle, 4, difference.generation);
  return message(body.mirrorDifference, [
    flat.struct(handle),
    flat.text(difference.component),
    flat.text(difference.field),
    flat.text(difference.client),
    flat.text(difference.server),
  ]);
}
