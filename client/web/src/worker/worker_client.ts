// A page's side of a client that runs in a worker: the calls of a Client, on copies of its values.
import type { AnyComponent, ClientState } from "../connection/client.js";
import type { Component } from "../connection/component.js";
import type { ReceivedEvent } from "../connection/event_queue.js";
import type { FailedCommand } from "../connection/failed_commands.js";
import type { Access, Token } from "../connection/moved_server.js";
import { type Statistics, noStatistics } from "../connection/statistics.js";
import type { Entity } from "../core/entity.js";
import type { End } from "../core/refusal.js";
import type { Values } from "../mirror/values.js";
import type { ComponentObject } from "../mirror/values_object.js";
import {
  type ChangeKind,
  type Port,
  type SentUpdate,
  type ToPage,
  type ToWorker,
  type WorkerOptions,
  now,
} from "./messages.js";
import { Snapshots } from "./snapshots.js";

const aheadMax = 500; // ms for which ticks go on without a message
const checkInterval = 1000; // ms
/** Checks in a row without a message, after which the worker counts as ended. It sends one with each of its updates. */
const silentChecksMax = 10;

export interface WorkerConnectOptions extends WorkerOptions {
  readonly newToken?: () => Promise<Token | Access>;
  /** Gives a connect token of a world to which the server has sent the player. */
  readonly worldToken?: (world: string) => Promise<Token | Access>;
  /** Calls update() with each message. Default: true. */
  readonly timer?: boolean;
}

type Callback = (entity: Entity) => void;

const nameOf = (component: AnyComponent): string => (typeof component === "string" ? component : component.key);

export class WorkerClient {
  /** Why the client is closed. */
  end: End | null = null;
  /** Called once, when the client will not reconnect by itself. */
  onClosed: ((end: End) => void) | null = null;
  /** Called with each event of a tick that the mirror has reached. */
  onEvent: ((event: ReceivedEvent) => void) | null = null;
  /** Called with each command that had no effect. */
  onCommandFailed: ((failed: FailedCommand) => void) | null = null;
  private readonly waiting: SentUpdate[] = [];
  private latest: SentUpdate | null = null;
  private readonly pools = new Map<string, Snapshots>(); // by name, of those that the page has used
  private readonly callbacks = new Map<string, Record<ChangeKind, Callback[]>>();
  private readonly present = new Map<string, Set<Entity>>(); // entities that have spawned, by component
  private checks: ReturnType<typeof setInterval> | null = null; // since the first message
  private silentChecks = 0;

  constructor(
    private readonly port: Port<ToWorker>,
    { newToken, worldToken, timer = true, ...options }: WorkerConnectOptions,
  ) {
    port.onmessage = ({ data }) => {
      if (this.end !== null) return;
      this.beginChecks();
      this.silentChecks = 0;
      const message = data as ToPage;
      if (message.kind === "newToken") {
        const { world } = message;
        return void this.giveToken(world === null ? newToken! : () => worldToken!(world));
      }
      this.waiting.push(message);
      if (timer) this.update();
    };
    port.onerror = ({ message }) => {
      // Later errors may be those of other code in the worker.
      if (this.checks === null) this.finish({ reason: "no answer", text: `the worker's script has failed: ${message}` });
    };
    port.onmessageerror = () => this.finish({ reason: "protocol error", text: "a message of the worker is unreadable" });
    const [givesTokens, givesWorldTokens] = [newToken !== undefined, worldToken !== undefined];
    this.post({ kind: "connect", options, givesTokens, givesWorldTokens });
  }

  private post(message: ToWorker): void {
    this.port.postMessage(message, []);
  }

  private async giveToken(newToken: () => Promise<Token | Access>): Promise<void> {
    let token: Token | Access | null = null;
    try {
      token = await newToken();
    } catch {
      // The worker asks again.
    }
    this.post({ kind: "token", token });
  }

  private beginChecks(): void {
    this.checks ??= setInterval(() => this.check(), checkInterval);
  }

  /** Checks are counted instead of time, because a page that was stopped has received nothing meanwhile. */
  private check(): void {
    if (this.waiting.length > 0 || ++this.silentChecks < silentChecksMax) return;
    this.finish({ reason: "no answer", text: "the worker has ended, or is blocked" });
  }

  private finish(end: End): void {
    if (this.end !== null) return;
    this.end = end;
    if (this.checks !== null) clearInterval(this.checks);
    this.onClosed?.(end);
  }

  /** Takes up what the worker has sent, and calls back. */
  update(): void {
    for (let next = this.waiting.shift(); next !== undefined; next = this.waiting.shift()) this.apply(next);
  }

  private apply(update: SentUpdate): void {
    if (update.mirrors !== this.latest?.mirrors)
      for (const name of this.pools.keys()) this.pools.set(name, new Snapshots());
    this.latest = update;
    for (const pool of update.pools) this.pools.get(pool.component)?.add(pool, update.viewTick);
    for (const { kind, component, entity } of update.changes) {
      if (kind === "spawn") this.present.get(component)!.add(entity);
      if (kind === "despawn") this.present.get(component)!.delete(entity);
      for (const callback of this.callbacks.get(component)![kind]) callback(entity);
    }
    for (const event of update.events) this.onEvent?.(event);
    for (const failed of update.failed) this.onCommandFailed?.(failed);
    if (update.end !== null) this.finish(update.end);
  }

  /** Returns what the worker has sent of a component. Its first use asks for it. */
  private watch(component: AnyComponent): Snapshots {
    const name = nameOf(component);
    const known = this.pools.get(name);
    if (known !== undefined) return known;
    const pool = new Snapshots();
    this.pools.set(name, pool);
    this.callbacks.set(name, { spawn: [], change: [], despawn: [] });
    this.present.set(name, new Set());
    this.post({ kind: "watch", component });
    return pool;
  }

  // Changes ---------------------------------------------------------------------------------------------------------

  private on(kind: ChangeKind, component: AnyComponent, callback: Callback): void {
    this.watch(component);
    this.callbacks.get(nameOf(component))![kind].push(callback);
  }

  /** Calls back when an entity with the component comes into view, or gains it. A component is given by its name. */
  onSpawn(component: AnyComponent, callback: Callback): void {
    this.on("spawn", component, callback);
    for (const entity of this.present.get(nameOf(component))!) callback(entity);
  }

  /** Calls back when the component of an entity in view has another value. */
  onChange(component: AnyComponent, callback: Callback): void {
    this.on("change", component, callback);
  }

  /** Calls back when an entity with the component goes out of view, is destroyed, or loses it. */
  onDespawn(component: AnyComponent, callback: Callback): void {
    this.on("despawn", component, callback);
  }

  // The world -------------------------------------------------------------------------------------------------------

  /** Returns the entities that have a component. */
  entities(component: AnyComponent): Entity[] {
    return this.watch(component).entities();
  }

  /** Returns the indices of the entities that have a component, in the order of its columns. */
  indices(component: AnyComponent): Uint32Array {
    return this.watch(component).newest()?.indices ?? new Uint32Array(0);
  }

  /** Returns the values of a field of all entities that have the component, as Client.column() does. */
  column(component: AnyComponent, field: string): Values | null {
    const columns = this.watch(component).newest()?.columns;
    return columns?.find(({ layout }) => layout.field.path === field)?.values ?? null;
  }

  /** Returns the newest value of a component; null if the entity does not have it, or is not in the mirror. */
  get(entity: Entity, component: string): ComponentObject | null;
  get<T>(entity: Entity, component: Component<T>): T | null;
  get(entity: Entity, component: AnyComponent): ComponentObject | null {
    return this.watch(component).get(entity);
  }

  /** Returns a component at a moment that was received or lies between two received states. */
  sample(entity: Entity, component: string, viewTick?: number): ComponentObject | null;
  sample<T>(entity: Entity, component: Component<T>, viewTick?: number): T | null;
  sample(entity: Entity, component: AnyComponent, viewTick = this.viewTick()): ComponentObject | null {
    return this.watch(component).sample(entity, viewTick);
  }

  /** Returns whether an entity has one of the components that the page has named. */
  has(entity: Entity): boolean {
    return [...this.pools.values()].some((pool) => pool.has(entity));
  }

  /** Returns the player's own entity; 0n for none. */
  get player(): Entity {
    return this.latest?.player ?? 0n;
  }

  get state(): ClientState {
    return this.end !== null ? "closed" : (this.latest?.state ?? "connecting");
  }

  get statistics(): Readonly<Statistics> {
    return this.latest?.statistics ?? noStatistics();
  }

  /** Returns the tick of the newest delta. */
  get tick(): number {
    return this.latest?.tick ?? 0;
  }

  /** Returns a tick of the latest message now. */
  private advanced(tick: number): number {
    const { at, ticksPerSecond } = this.latest!;
    return tick + (Math.min(Math.max(now() - at, 0), aheadMax) * ticksPerSecond) / 1000;
  }

  /** Returns the moment to show: slightly in the past, so that there is a state after it. */
  viewTick(): number {
    return this.latest === null ? 0 : this.advanced(this.latest.viewTick);
  }

  /** Returns the tick at which the server should be. */
  serverTick(): number {
    return this.latest === null ? 0 : this.advanced(this.latest.serverTick);
  }

  /** Gives a command, as Client.send() does. Returns false once the client is closed. */
  send(command: Uint8Array): boolean {
    if (this.end !== null) return false;
    this.post({ kind: "send", command });
    return true;
  }

  /** Leaves the game. The worker goes on to run. */
  close(): void {
    if (this.end !== null) return;
    this.post({ kind: "close" });
    this.beginChecks();
  }
}
