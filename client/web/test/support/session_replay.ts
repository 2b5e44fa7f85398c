// Replays a session of schema/session_vectors.json to a connection, and compares what results.
import assert from "node:assert/strict";
import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
import { BitReader } from "../../src/core/bits.js";
import { concat, fromHex, putU64, toHex, u16, u32, u64 } from "../../src/core/bytes.js";
import { hashHigh, hashLow, hex64, xxh3 } from "../../src/core/xxh3.js";
import { Connection } from "../../src/connection/connection.js";
import { LevelStore } from "../../src/connection/level_store.js";
import type { Mirror } from "../../src/mirror/mirror.js";
import type { Prototype } from "../../src/mirror/world.js";
import { readToken, versionInfo } from "../../src/session/token.js";
import { hashEntity, hashPublicRow, sumHigh, sumLow } from "../../src/wire/entity_hash.js";

export interface Then {
  readonly tick: number;
  readonly complete: boolean;
  readonly entities: number;
  readonly hash: string;
  readonly shown?: string;
}

export interface Step {
  readonly at: number;
  readonly receive?: string;
  readonly update?: readonly string[];
  readonly ack?: number;
  readonly command?: string;
  readonly lost?: string;
  readonly rejoin?: { readonly client_to_server: string };
  readonly then?: Then;
}

export interface VectorSession {
  readonly name: string;
  readonly shows: string;
  readonly begin: number;
  readonly has_schema: boolean;
  readonly has_level: boolean;
  readonly connect: { readonly token: string; readonly client_to_server: string };
  readonly steps: readonly Step[];
  readonly levels: readonly (readonly [firstTick: number, identity: string, isHere: boolean])[];
  readonly commands: readonly (readonly number[])[];
  readonly entities: readonly unknown[];
}

export interface VectorFile {
  readonly schema: string;
  readonly level: string;
  readonly sessions: readonly VectorSession[];
}

interface SentCommand {
  readonly number: number;
  readonly tick: number;
  readonly bytes: Uint8Array;
}

/** Returns the body of a payload that the recorded client has sent; null for other packets. */
function openSent(datagram: Uint8Array, key: Uint8Array, protocolId: Uint8Array): Uint8Array | null {
  if ((datagram[0]! & 15) !== 5) return null;
  const count = datagram[0]! >> 4;
  const nonce = new Uint8Array(12);
  const number = concat(datagram.subarray(1, 1 + count), new Uint8Array(8 - count));
  putU64(nonce, 4, u64(number, 0));
  const head = concat(versionInfo, protocolId, datagram.subarray(0, 1));
  return chacha20poly1305(key, nonce, head).decrypt(datagram.subarray(1 + count));
}

/** Returns the commands of an input. */
function commandsOf(input: Uint8Array): SentCommand[] {
  const count = input[9]!;
  const at = 12 + 8 * input[8]!;
  if (count === 0) return [];
  const bits = new BitReader();
  bits.reset(input.subarray(at + 8));
  let tick = u32(input, at + 4);
  const described = Array.from({ length: count }, (_, i) => {
    if (i > 0) tick += bits.golomb(0);
    const size = bits.golomb(4);
    bits.golomb(10);
    const arrivals = bits.golomb(0);
    for (let n = 0; n < arrivals && arrivals <= 64; ++n) bits.golomb(0);
    return { number: u32(input, at) + i, tick, size };
  });
  let begin = at + 8 + Math.ceil(bits.at / 8);
  return described.map(({ number, tick: due, size }) => {
    begin += size;
    return { number, tick: due, bytes: input.slice(begin - size, begin) };
  });
}

const float = new Uint8Array(4);

/** Returns the hash of the values of all ships, by rising index; undefined without one. */
function shownHash(mirror: Mirror): string | undefined {
  const pool = mirror.world.pools.get("Ship/Ship");
  if (pool === undefined || pool.count === 0) return undefined;
  const bytes: number[] = [];
  for (const index of pool.indices.slice(0, pool.count).sort()) {
    const place = pool.find(index);
    for (const { layout, values } of pool.columns)
      for (let i = 0; i < layout.size; ++i) {
        new DataView(float.buffer).setFloat32(0, Number(values[place * layout.size + i]), true);
        bytes.push(...float);
      }
  }
  xxh3(Uint8Array.from(bytes), bytes.length);
  return hex64(hashLow, hashHigh);
}

export function stateOf(connection: Connection): Then {
  const mirror = connection.mirror!;
  const shown = shownHash(mirror);
  return {
    tick: mirror.tick,
    complete: connection.isComplete(),
    entities: mirror.size,
    hash: hex64(mirror.hash.low, mirror.hash.high),
    ...(shown === undefined ? {} : { shown }),
  };
}

function entityOf(
  mirror: Mirror,
  prototype: Prototype,
  index: number,
  generation: number,
  owner: boolean,
  tick: number,
  words: Uint32Array,
  at: number,
): unknown {
  const rows = prototype.layout.rows.map(({ layout: row, first }, i) => {
    const ref = prototype.components[i]!;
    hashPublicRow(prototype.layout, i, ref, index, generation, words, at);
    const count = owner ? row.words : row.publicWords;
    return {
      type: row.component.name,
      name: mirror.world.nameOf(ref.instance),
      words: [...words.subarray(at + first, at + first + count)],
      hash: hex64(sumLow, sumHigh),
    };
  });
  hashEntity(prototype, index, generation, owner, words, at);
  const hash = hex64(sumLow, sumHigh);
  return {
    entity: [index, generation],
    tick,
    owner,
    prototype: hex64(prototype.hashLow, prototype.hashHigh),
    hash,
    rows,
  };
}

/** Returns all entities in view, as the file lists them, without the hashes of owner_only words. */
export function entitiesOf(mirror: Mirror): unknown[] {
  const entities: { index: number; entity: unknown }[] = [];
  for (const { index, generation, lost, prototype, owner, versions } of mirror.state.known) {
    if (generation === 0 || lost) continue;
    const at = versions.wordsAt(versions.count - 1);
    entities.push({
      index,
      entity: entityOf(mirror, prototype, index, generation, owner, versions.newestTick(), versions.states, at),
    });
  }
  const { level } = mirror.state;
  for (let i = 0; level !== null && i < level.count; ++i) {
    const index = level.first + i;
    if (!level.isHere(index)) continue;
    entities.push({
      index,
      entity: entityOf(
        mirror,
        level.prototypes[i]!,
        index,
        level.generation,
        false,
        level.tick,
        level.words,
        level.begins[i]!,
      ),
    });
  }
  return entities.sort((a, b) => a.index - b.index).map(({ entity }) => entity);
}

export class SessionReplay {
  readonly connection: Connection;
  private clientKey: Uint8Array;
  private readonly protocolId: Uint8Array;
  private isLost = false;
  private isWaiting = false; // for a command to be sent
  private given = 0; // commands

  constructor(
    file: VectorFile,
    private readonly session: VectorSession,
  ) {
    const token = fromHex(session.connect.token);
    const levels = new LevelStore();
    if (session.has_level) levels.add(fromHex(file.level));
    this.clientKey = fromHex(session.connect.client_to_server);
    this.protocolId = readToken(token).protocolId;
    this.connection = new Connection(
      {
        token,
        name: session.name,
        isReplay: true,
        ...(session.has_schema ? { schema: fromHex(file.schema) } : {}),
        ...(session.has_level ? { levels } : {}),
      },
      session.begin,
    );
  }

  /** Gives the commands that the recorded client sends for the first time, with its ticks. */
  private giveCommands(sent: readonly string[]): void {
    for (const hex of sent) {
      const body = openSent(fromHex(hex), this.clientKey, this.protocolId);
      for (let at = 8; body !== null && at < body.length;) {
        const head = u16(body, at);
        const isMessage = ((head >> 11) & 3) === 0;
        const begin = at + (isMessage ? 2 : 4);
        at = begin + (head & 0x7ff);
        if (!isMessage) continue;
        for (const { number, tick, bytes } of commandsOf(body.subarray(begin, at)))
          if (number > this.given) this.given = this.connection.commands.add(bytes, tick, tick, 0);
      }
    }
  }

  play(step: Step): void {
    const { connection } = this;
    if (step.receive !== undefined && !this.isLost) connection.receive(fromHex(step.receive), step.at);
    if (step.command !== undefined) this.isWaiting = true;
    if (step.lost !== undefined) {
      connection.pipeClosed(step.lost, step.at);
      this.isLost = true;
    }
    if (step.rejoin !== undefined) {
      connection.rejoin(step.at);
      this.clientKey = fromHex(step.rejoin.client_to_server);
      this.isLost = false;
    }
    if (step.update === undefined) return;
    if (this.isWaiting && connection.clock !== null) this.giveCommands(step.update);
    connection.commands.forgetBefore(1);
    connection.update(step.at, () => {});
  }

  /** Plays all steps that the connection is able to, and compares nothing. */
  playAll(): void {
    for (const step of this.session.steps) {
      if (step.rejoin !== undefined && !this.connection.canRejoin()) return;
      this.play(step);
    }
  }

  run(): void {
    for (const step of this.session.steps) {
      const { deltas } = this.connection.statistics;
      this.play(step);
      const where = `"${this.session.name}" at ${step.at} ms: ${this.connection.end?.text ?? ""}`;
      const ours = this.connection.statistics.deltas === deltas ? undefined : stateOf(this.connection);
      assert.deepEqual(ours, step.then, where);
      if (step.ack !== undefined) assert.equal(this.connection.acknowledgement(), step.ack, where);
    }
  }

  /** Returns the offered levels, as the file lists them. */
  levels(): unknown[] {
    return this.connection.levels.offers.map(({ firstTick, identity, level }) => [
      firstTick,
      identity === null ? "" : toHex(identity),
      level !== null,
    ]);
  }

  /** Returns all commands that are done: number, tick, and the tick in which each was executed. */
  commands(): number[][] {
    const { commands } = this.connection;
    return Array.from({ length: commands.firstWaiting() - 1 }, (_, i) => commands.find(i + 1)!).map(
      ({ number, tick, ranIn }) => [number, tick, ranIn],
    );
  }
}
