// A client: a connection with its pipe, which is opened anew when it is lost, and callbacks by component.
import { fromBase64 } from "../core/bytes.js";
import { type Entity, entityOf, generationOf, indexOf } from "../core/entity.js";
import { type End, refuse } from "../core/refusal.js";
import { changeKind } from "../mirror/changes.js";
import { sample } from "../mirror/interpolation.js";
import type { Mirror } from "../mirror/mirror.js";
import type { Pool } from "../mirror/pool.js";
import type { Values } from "../mirror/values.js";
import { type ComponentObject, toObject } from "../mirror/values_object.js";
import type { Pipes } from "../pipe/pipe.js";
import type { Follow } from "../wire/messages.js";
import type { Component } from "./component.js";
import { Connection } from "./connection.js";
import type { ConnectionConfig } from "./connection_config.js";
import type { ReceivedEvent } from "./event_queue.js";
import type { FailedCommand } from "./failed_commands.js";
import { type Access, MovedServer, type Token, hasUrl } from "./moved_server.js";
import { type Network, PipedConnection } from "./piped_connection.js";
import type { Statistics } from "./statistics.js";
import { Watches } from "./watches.js";
import { ZoneFollower, addressLike } from "./zone_follower.js";

const retryInterval = 1000; // ms between attempts to reconnect
// Rejoins in vain after which a server counts as one that does not answer. A WebSocket may end before that is noticed.
const rejoinsMax = 2;
const answerTime = 2000; // ms within which a server answers a rejoin token that it knows
const retryTime = 60_000; // ms of attempts, if the server does not keep the player for longer
const timerInterval = 16; // ms
const timerLate = 250; // ms without an update

export interface ConnectOptions extends Omit<ConnectionConfig, "token" | "isReplay" | "clock" | "hasOneServer"> {
  /** "wss://game.example/path"; in Node also "udp://host:port", or "udp:" for the address out of the token. */
  readonly url: string;
  /** A connect token of 2,048 bytes, or as base64. */
  readonly token: Token;
  /** Gives a new connect token when the server does not take the client back by itself. With a URL it is for that server. */
  readonly newToken?: () => Promise<Token | Access>;
  /** Gives a connect token of a world of the cluster to which the server has sent the player. Without it that is the end. */
  readonly worldToken?: (world: string) => Promise<Token | Access>;
  /** Calls update() by a timer. Default: true. */
  readonly timer?: boolean;
  /** Time in ms that never goes back. Default: that of the platform. */
  readonly now?: () => number;
}

export type ClientState = "connecting" | "playing" | "reconnecting" | "closed";

function bytesOf(token: Token): Uint8Array {
  if (typeof token !== "string") return token;
  try {
    return fromBase64(token);
  } catch {
    refuse("invalid token", "it is not base64");
  }
}

function urlOf(text: string, pipes: Pipes): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    refuse("bad address", `"${text}" is not a URL`);
  }
  if (pipes[url.protocol] === undefined) refuse("bad address", `no way to reach ${url.protocol} from here`);
  return url;
}

/** A component: the name of its instance, "Type/instance", or what mobula-schema-gen --typescript has made. */
export type AnyComponent = string | Component<unknown>;

export class Client {
  /** Number of times that the player was followed to another zone of its world. */
  zoneChanges = 0;
  /** Why the client is closed. */
  end: End | null = null;
  /** Called once, when the client will not reconnect by itself. */
  onClosed: ((end: End) => void) | null = null;
  /** Called with each event of a tick that the mirror has reached. */
  onEvent: ((event: ReceivedEvent) => void) | null = null;
  /** Called with each command that had no effect. */
  onCommandFailed: ((failed: FailedCommand) => void) | null = null;
  /** Called in each update with its time, before the callbacks of what has changed. A prediction is updated in it. */
  onUpdate: ((now: number) => void) | null = null;
  private present: PipedConnection;
  private readonly network: Network;
  private readonly zones: ZoneFollower;
  private readonly watches = new Watches();
  private readonly now: () => number;
  private timer: ReturnType<typeof setInterval> | null = null;
  private lostAt = -1;
  private retryAt = 0;
  private triedAt = 0; // when the last attempt began
  private updatedAt: number;
  private rejoins = 0; // since the client was lost
  private usedNewToken = false; // in the last attempt
  private isRequesting = false; // a new token
  private mirror: Mirror | null = null; // its changes were handed out
  private mirrors = 0;
  private world: string | null = null; // to which the player was sent; null before that
  private readonly movedServer = new MovedServer(() => this.askForToken());

  constructor(
    private readonly options: ConnectOptions,
    pipes: Pipes,
  ) {
    this.now = options.now ?? (() => performance.now());
    this.updatedAt = this.now();
    this.network = { pipes, now: this.now, onInput: () => this.wake() };
    const url = urlOf(options.url, pipes);
    const config = { ...this.configOf(options.token), hasOneServer: url.hostname !== "" };
    this.present = new PipedConnection(new Connection(config, this.now()), url, this.network);
    this.zones = new ZoneFollower((zone) => this.openSecond(zone));
    if (options.timer ?? true) this.timer = setInterval(() => this.update(), timerInterval);
  }

  /** The connection beneath, with the mirror and all its states, for programs that need more than this class offers. */
  get connection(): Connection {
    return this.present.connection;
  }

  // The session -----------------------------------------------------------------------------------------------------

  private configOf(token: Token): ConnectionConfig {
    return { clock: this.now, follows: true, ...this.options, token: bytesOf(token) };
  }

  private openSecond({ addresses, token }: Follow): PipedConnection {
    const url = addressLike(this.present.url, addresses) ?? refuse("bad address", "no address has the kind of pipe");
    const config = { ...this.configOf(token), hasOneServer: true, awaitsPlayer: true };
    return new PipedConnection(new Connection(config, this.now(), this.connection), url, this.network);
  }

  /** Opens a pipe for a new session, and sends its first datagram without waiting for the timer. */
  private begin(url?: URL): void {
    this.triedAt = this.now();
    this.present.begin(url);
    if (this.timer !== null) this.update();
  }

  /** Updates after a datagram if the timer is late, as those of hidden pages are, and in each step of a handshake. */
  private wake(): void {
    const isLate = this.connection.state !== "playing" || this.now() - this.updatedAt > timerLate;
    if (this.timer !== null && isLate) this.update();
  }

  /** Hands out changes and events, and sends what is due. Call it with each frame, or leave it to the timer. */
  update(now = this.now()): void {
    if (this.end !== null) return;
    this.updatedAt = now;
    this.goOnInZone();
    this.present.update(now);
    this.zones.update(this.present, now);
    const { state } = this.connection;
    try {
      this.onUpdate?.(now);
    } finally {
      this.dispatch();
    }
    if (this.end !== null) return; // a callback has closed the client
    if (state === "closed") this.onSessionEnded(now);
    else if (state === "playing") {
      this.lostAt = -1;
      this.rejoins = 0;
    }
  }

  /** Goes on with the connection to another zone, once it shows all that the player sees. */
  private goOnInZone(): void {
    const complete = this.zones.takeComplete();
    if (complete === null) return;
    const { connection } = this;
    this.present.close();
    this.present = complete.second;
    connection.continueAs(this.present.connection);
    this.present.connection = connection;
    this.world = complete.zone.world;
    ++this.zoneChanges;
  }

  private onSessionEnded(now: number): void {
    const world = this.connection.movedTo();
    if (world !== null) this.zones.onMoved(world);
    if (!this.zones.isOnTheWay) this.resume(now);
  }

  private resume(now: number): void {
    if (this.lostAt < 0) {
      this.lostAt = now;
      this.retryAt = now;
    }
    const { connection } = this;
    this.present.drop();
    const world = connection.movedTo();
    if (world !== null) this.world = world;
    let hasMoved = false;
    const { hasSent } = this.present;
    if (hasSent) this.movedServer.reset();
    else if (connection.rejoinTokens.giveBack()) {
      --this.rejoins;
      hasMoved = this.hasTokens && this.movedServer.onUnopened(this.present.url);
    }
    const isTooLong = now - this.lostAt > Math.max(retryTime, connection.rejoinTokens.grace);
    // A world of a cluster whose node ends goes on at another one.
    const goesOn = this.options.worldToken !== undefined && connection.end?.reason === "shutting down";
    const canRequest = this.hasTokens && (connection.canReconnect() || world !== null || goesOn);
    const canRejoin = connection.canRejoin();
    if (isTooLong || (!canRejoin && !canRequest))
      return this.finish(connection.end ?? { reason: "timed out", text: "" });
    if (hasMoved) return void this.requestToken();
    if (now < this.retryAt || this.isRequesting) return;
    this.retryAt = now + retryInterval;
    // A restarted server does not answer the tokens of its former run. One that cannot be reached does not answer
    // either, and then no new token can be had: so attempts with new tokens and with rejoin tokens alternate.
    const isUnanswered = hasSent && (connection.end?.reason === "no answer" || this.isRejoinInVain());
    this.usedNewToken = !canRejoin || (canRequest && isUnanswered && !this.usedNewToken);
    if (this.usedNewToken) return void this.requestToken();
    ++this.rejoins;
    connection.rejoin(now);
    this.begin();
  }

  /** Returns whether rejoin tokens are of no use. A socket that closes at once proves less than one without an answer. */
  private isRejoinInVain(): boolean {
    const isSilent = !this.connection.isAnswered && this.now() - this.triedAt >= answerTime;
    return this.rejoins >= rejoinsMax || (this.rejoins > 0 && isSilent);
  }

  /** Whether there are new tokens of the world in which the player is. */
  private get hasTokens(): boolean {
    return (this.world === null ? this.options.newToken : this.options.worldToken) !== undefined;
  }

  private askForToken(): Promise<Token | Access> {
    const { newToken, worldToken } = this.options;
    return this.world === null ? newToken!() : worldToken!(this.world);
  }

  private async requestToken(): Promise<void> {
    this.isRequesting = true;
    try {
      const given = await this.askForToken();
      if (this.end === null && this.connection.state === "closed") this.reconnect(given);
    } catch {
      // Tried again after the interval.
    } finally {
      this.isRequesting = false;
    }
  }

  /** Begins a new session with a connect token. Throws a Refusal for one that is malformed. */
  private reconnect(given: Token | Access): void {
    const url = hasUrl(given) ? urlOf(given.url, this.network.pipes) : this.present.url;
    this.connection.reconnect(bytesOf(hasUrl(given) ? given.token : given), this.now());
    this.begin(url);
  }

  /** Leaves the game. */
  close(): void {
    if (this.end !== null) return;
    this.zones.close();
    this.present.close();
    this.finish({ reason: "left", text: "" });
  }

  private finish(end: End): void {
    this.end = end;
    if (this.timer !== null) clearInterval(this.timer);
    this.zones.drop();
    this.present.drop();
    this.onClosed?.(end);
  }

  get state(): ClientState {
    if (this.end !== null) return "closed";
    if (this.connection.state === "playing") return "playing";
    return this.connection.mirrors > 0 ? "reconnecting" : "connecting";
  }

  get statistics(): Readonly<Statistics> {
    return this.connection.statistics;
  }

  /** Returns the estimates of the path: round trip and its variation in ms, and the datagrams sent and lost. */
  get link(): { readonly rtt: number; readonly variation: number; readonly sent: number; readonly lost: number } {
    return this.connection.link;
  }

  // Changes ---------------------------------------------------------------------------------------------------------

  private dispatch(): void {
    const { mirror, mirrors, events, failed } = this.connection;
    for (const command of failed) if (this.end === null) this.onCommandFailed?.(command);
    if (mirror === null) return;
    if (this.mirrors !== mirrors) this.watches.begin(mirror);
    else if (this.mirror !== mirror) this.watches.continueWith(mirror);
    this.mirrors = mirrors;
    this.mirror = mirror;
    const { list } = mirror.changes;
    for (let i = 0; i < list.count && this.end === null; ++i) {
      const [index, generation] = [list.indices[i]!, list.generations[i]!];
      if (list.kinds[i] === changeKind.changed) this.watches.onChanged(list.pools[i]!, index, generation);
      else this.watches.onEntity(index, generation);
    }
    for (const event of events) if (this.end === null) this.onEvent?.(event);
  }

  /** Calls back when an entity with the component comes into view, or gains it. A component is given by its name. */
  onSpawn(component: AnyComponent, callback: (entity: Entity) => void): void {
    this.watches.add("spawn", this.keyOf(component), (index, generation) => callback(entityOf(index, generation)));
  }

  /** Calls back when the component of an entity in view has another value. */
  onChange(component: AnyComponent, callback: (entity: Entity) => void): void {
    this.watches.add("change", this.keyOf(component), (index, generation) => callback(entityOf(index, generation)));
  }

  /** Calls back when an entity with the component goes out of view, is destroyed, or loses it. */
  onDespawn(component: AnyComponent, callback: (entity: Entity) => void): void {
    this.watches.add("despawn", this.keyOf(component), (index, generation) => callback(entityOf(index, generation)));
  }

  // The world -------------------------------------------------------------------------------------------------------

  /** Throws a Refusal with the reason "other schema" if the server has not the schema of a typed component. */
  private keyOf(component: AnyComponent): string {
    if (typeof component === "string") return component;
    this.connection.schema.expect(component.schema);
    return component.key;
  }

  private pool(component: AnyComponent): Pool | null {
    const key = this.keyOf(component);
    return this.connection.mirror?.world.findPool(key) ?? null;
  }

  /** Returns the entities that have a component, or all of the mirror. */
  entities(component?: AnyComponent): Entity[] {
    const { mirror } = this.connection;
    if (mirror === null) return [];
    const { generations } = mirror.world;
    if (component !== undefined) {
      const pool = this.pool(component);
      return pool === null
        ? []
        : Array.from(pool.indices.subarray(0, pool.count), (index) => entityOf(index, generations[index]!));
    }
    const all: Entity[] = [];
    generations.forEach((generation, index) => {
      if (generation !== 0) all.push(entityOf(index, generation));
    });
    return all;
  }

  /** Returns the indices of the entities that have a component, in the order of its columns. Valid until the next update. */
  indices(component: AnyComponent): Uint32Array {
    const pool = this.pool(component);
    return pool === null ? new Uint32Array(0) : pool.indices.subarray(0, pool.count);
  }

  /**
   * Returns the values of a field, such as ("Transform", "position.x"), of all entities that have the component. Valid until
   * the next update. A rotation has four elements, an entity two, a text and an array as many as they have.
   */
  column(component: AnyComponent, field: string): Values | null {
    const pool = this.pool(component);
    const column = pool?.columns.find(({ layout }) => layout.field.path === field);
    return column === undefined ? null : column.values.subarray(0, pool!.count * column.layout.size);
  }

  /** Returns the newest value of a component; null if the entity does not have it, or is not in the mirror. */
  get(entity: Entity, component: string): ComponentObject | null;
  get<T>(entity: Entity, component: Component<T>): T | null;
  get(entity: Entity, component: AnyComponent): ComponentObject | null {
    const pool = this.pool(component);
    const index = indexOf(entity);
    const place = pool?.find(index) ?? -1;
    if (pool === null || place < 0 || !this.has(entity)) return null;
    return toObject(
      pool.columns,
      (column) => pool.columns[column]!.values,
      ({ layout }) => place * layout.size,
    );
  }

  /** Returns a component at a moment that was received or lies between two received states. */
  sample(entity: Entity, component: string, viewTick?: number): ComponentObject | null;
  sample<T>(entity: Entity, component: Component<T>, viewTick?: number): T | null;
  sample(entity: Entity, component: AnyComponent, viewTick = this.viewTick()): ComponentObject | null {
    const pool = this.pool(component);
    return pool === null
      ? null
      : sample(this.connection.mirror!, pool, indexOf(entity), generationOf(entity), viewTick);
  }

  /** Returns whether the mirror has an entity. */
  has(entity: Entity): boolean {
    return this.connection.mirror?.world.has(indexOf(entity), generationOf(entity)) ?? false;
  }

  /** Returns whether an entity is out of view: its values are the last seen, or continue their courses for a while. */
  isStale(entity: Entity): boolean {
    return this.connection.mirror?.isStale(indexOf(entity), generationOf(entity)) ?? false;
  }

  /** Returns the player's own entity; 0n for none. It may come into view some ticks later. */
  get player(): Entity {
    return entityOf(this.connection.player.index, this.connection.player.generation);
  }

  /** Returns the tick of the newest delta. */
  get tick(): number {
    return this.connection.mirror?.tick ?? 0;
  }

  /** Returns the moment to show: slightly in the past, so that there is a state after it. */
  viewTick(now = this.now()): number {
    return this.connection.clock?.viewTick(now) ?? 0;
  }

  /** Returns the tick at which the server should be. */
  serverTick(now = this.now()): number {
    return this.connection.clock?.serverTick(now) ?? 0;
  }

  /**
   * Gives a command. The next update sends it, and later ones repeat it until the server has it. A second one before that
   * update replaces it. While the client does not play the newest one waits; a session with a new token begins without it.
   * Returns false once the client is closed: nothing is sent.
   */
  send(command: Uint8Array): boolean {
    if (this.end !== null) return false;
    this.connection.setCommand(command);
    return true;
  }
}
