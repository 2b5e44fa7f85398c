// A client in a worker. After each update it sends the page what has changed: one message, with typed arrays.
import type { AnyComponent, Client, ConnectOptions } from "../connection/client.js";
import type { ReceivedEvent } from "../connection/event_queue.js";
import type { FailedCommand } from "../connection/failed_commands.js";
import type { LevelStore } from "../connection/level_store.js";
import type { Access, Token } from "../connection/moved_server.js";
import { noStatistics } from "../connection/statistics.js";
import type { Entity } from "../core/entity.js";
import { type End, endOf } from "../core/refusal.js";
import { formerValueTick, motionOf, valueTick } from "../mirror/interpolation.js";
import type { Mirror } from "../mirror/mirror.js";
import type { Pool } from "../mirror/pool.js";
import {
  type ChangeKind,
  type Port,
  type SentChange,
  type SentPool,
  type ToPage,
  type ToWorker,
  now,
} from "./messages.js";

const updateInterval = 16; // ms

export interface HostOptions {
  /** Levels of the client. */
  readonly levels?: LevelStore | Promise<LevelStore>;
}

type Connect = (options: ConnectOptions) => Client;

/** Returns a copy of a pool's values, and the entities that they are of. */
function copyPool(mirror: Mirror, pool: Pool, component: string): SentPool {
  const { count } = pool;
  const indices = pool.indices.slice(0, count);
  const generations = indices.map((index) => mirror.world.generationAt(index));
  return {
    component,
    tick: mirror.tick,
    indices,
    generations,
    ticks: indices.map((index, i) => valueTick(mirror, index, generations[i]!)),
    formerTicks: indices.map((index, i) => formerValueTick(mirror, index, generations[i]!)),
    motions: indices.map((index, i) => motionOf(mirror, index, generations[i]!)),
    columns: pool.columns.map(({ layout: { field, width, size }, values }) => ({
      layout: { field, width, size },
      values: values.slice(0, count * size),
    })),
  };
}

const buffersOf = ({ indices, generations, ticks, formerTicks, motions, columns }: SentPool): ArrayBuffer[] =>
  [indices, generations, ticks, formerTicks, motions, ...columns.map(({ values }) => values)].map(
    ({ buffer }) => buffer as ArrayBuffer,
  );

export class Host {
  private client: Client | null = null;
  private readonly watched: AnyComponent[] = [];
  private changes: SentChange[] = [];
  private events: ReceivedEvent[] = [];
  private failed: FailedCommand[] = [];
  private newest: readonly [mirrors: number, tick: number, components: number] = [0, 0, 0]; // that was sent
  private timer: ReturnType<typeof setInterval> | undefined;
  private giveToken: (token: Token | Access | null) => void = () => {};
  private refused: End | null = null;

  constructor(
    private readonly port: Port<ToPage>,
    private readonly connect: Connect,
    private readonly options: HostOptions,
  ) {
    port.onmessage = ({ data }) => this.handle(data as ToWorker);
  }

  private handle(message: ToWorker): void {
    switch (message.kind) {
      case "connect":
        void this.begin(message);
        return;
      case "watch":
        this.watched.push(message.component);
        return this.watch(message.component);
      case "send":
        if (this.client?.end === null) this.client.send(message.command);
        return;
      case "token":
        return this.giveToken(message.token);
      case "close":
        if (this.client !== null) this.client.close();
        else this.refused ??= { reason: "left", text: "" };
        return this.update();
    }
  }

  private async begin({ options, givesTokens, givesWorldTokens }: ToWorker & { kind: "connect" }): Promise<void> {
    try {
      const levels = await this.options.levels;
      if (this.refused !== null) return; // the page has left
      this.client = this.connect({
        ...options,
        timer: false,
        ...(levels === undefined ? {} : { levels }),
        ...(givesTokens ? { newToken: () => this.askForToken(null) } : {}),
        ...(givesWorldTokens ? { worldToken: (world: string) => this.askForToken(world) } : {}),
      });
    } catch (error) {
      this.refused ??= endOf(error);
      return this.update();
    }
    this.client.onEvent = (event) => void this.events.push(event);
    this.client.onCommandFailed = (failed) => void this.failed.push(failed);
    for (const component of this.watched) this.watch(component);
    this.timer = setInterval(() => this.update(), updateInterval);
  }

  private askForToken(world: string | null): Promise<Token | Access> {
    this.port.postMessage({ kind: "newToken", world }, []);
    return new Promise((resolve, reject) => {
      this.giveToken = (token) => (token === null ? reject(new Error("there is no token")) : resolve(token));
    });
  }

  /** Ends the client if the component is of another schema than the server's. */
  private watch(component: AnyComponent): void {
    const { client } = this;
    if (client === null) return;
    const name = typeof component === "string" ? component : component.key;
    const note = (kind: ChangeKind) => (entity: Entity) => void this.changes.push({ kind, component: name, entity });
    try {
      client.onSpawn(component, note("spawn"));
      client.onChange(component, note("change"));
      client.onDespawn(component, note("despawn"));
    } catch (error) {
      this.refused = endOf(error);
      client.close();
    }
  }

  /** Updates the client, and sends what has changed. */
  private update(): void {
    this.client?.update();
    const pools = this.copyNewPools();
    this.post(pools);
    this.changes = [];
    this.events = [];
    this.failed = [];
    if (this.client === null || this.client.end !== null) clearInterval(this.timer);
  }

  /** Copies the watched pools if the mirror has reached another tick since they were sent, or more are watched. */
  private copyNewPools(): SentPool[] {
    const mirror = this.client?.connection.mirror ?? null;
    if (mirror === null) return [];
    const { mirrors } = this;
    const [sentMirrors, sentTick, sentComponents] = this.newest;
    if (mirrors === sentMirrors && mirror.tick === sentTick && this.watched.length === sentComponents) return [];
    this.newest = [mirrors, mirror.tick, this.watched.length];
    return this.watched.flatMap((component) => {
      const name = typeof component === "string" ? component : component.key;
      const pool = mirror.world.findPool(name);
      return pool === null ? [] : copyPool(mirror, pool, name);
    });
  }

  private get mirrors(): number {
    return this.client === null ? 0 : this.client.connection.mirrors + this.client.zoneChanges;
  }

  private post(pools: SentPool[]): void {
    const { client, changes, events, failed } = this;
    this.port.postMessage(
      {
        kind: "update",
        state: this.refused !== null ? "closed" : (client?.state ?? "connecting"),
        end: this.refused ?? client?.end ?? null,
        at: now(),
        tick: client?.tick ?? 0,
        viewTick: client?.viewTick() ?? 0,
        serverTick: client?.serverTick() ?? 0,
        ticksPerSecond: client?.connection.ticksPerSecond ?? 0,
        mirrors: this.mirrors,
        player: client?.player ?? 0n,
        statistics: { ...(client?.statistics ?? noStatistics()) },
        pools,
        changes,
        events: events.map((event) => ({ ...event, bytes: event.bytes.slice() })), // not the message around them
        failed,
      },
      pools.flatMap(buffersOf),
    );
  }
}
