// One client's conversation with a server: hello, welcome, prototypes, deltas, acknowledgements, commands.
//
// It has no pipe, clock or timers: datagrams and the time go in, datagrams come out. When the connection is lost, the
// same player can resume with a token that the server gave: rejoin(). reconnect() takes a new connect token.
//
//   connecting --> joining --> playing --> closed
//       ^    handshake   Welcome      |       |
//       +------------ rejoin, reconnect ------+
import { equalBytes } from "../core/bytes.js";
import { type End, Refusal, endOf, isLoss, refuse } from "../core/refusal.js";
import type { Presence } from "../mirror/known.js";
import { continueMirror } from "../mirror/continued.js";
import { Mirror } from "../mirror/mirror.js";
import { Endpoint, type Send } from "../session/endpoint.js";
import type { Link } from "../session/link.js";
import { type ConnectToken, type ServerAddress, readToken } from "../session/token.js";
import { type WireEvent, decodeEventBatch, eventBatchKind } from "../wire/event_batch.js";
import {
  type Follow,
  type MessageOf,
  type ServerMessage,
  decodeMessage,
  encodeHello,
  encodeMirrorDifference,
} from "../wire/messages.js";
import type { ConnectionConfig } from "./connection_config.js";
import { CommandLog } from "./command_log.js";
import { ExpectedSchema } from "./component.js";
import { DeltaProgress } from "./delta_progress.js";
import { DeltaReceiver } from "./delta_receiver.js";
import { EventQueue, type ReceivedEvent } from "./event_queue.js";
import { type FailedCommand, FailedCommands } from "./failed_commands.js";
import { InputWriter } from "./input_writer.js";
import { LevelLoading } from "./level_loading.js";
import { ResourceFetch } from "./level_store.js";
import type { OfferedLevels } from "./offered_levels.js";
import { RejoinTokens } from "./rejoin_tokens.js";
import { ServerClock } from "./server_clock.js";
import { addStatistics, noStatistics } from "./statistics.js";
import { WelcomeWait } from "./welcome_wait.js";

const commandTicksMax = 0xffff_ffff;

export type State = "connecting" | "joining" | "playing" | "closed";
export class Connection {
  state: State = "connecting";
  end: End | null = null;
  /** Null before the first Welcome, and while a level is loaded. */
  mirror: Mirror | null = null;
  /** Number of mirrors that the connection has had. */
  mirrors = 0;
  clock: ServerClock | null = null;
  commands = new CommandLog();
  events: readonly ReceivedEvent[] = [];
  /** Commands that have had no effect, of the newest update. */
  failed: readonly FailedCommand[] = [];
  /** The player's own entity; generation 0 for none. */
  player = { index: 0, generation: 0 };
  playerNumber = 0; // which commands of a prediction have
  ticksPerSecond = 0;
  predictionSeed = 0n;
  /** The server's announced shutdown. */
  closing: { readonly seconds: number; readonly reason: string } | null = null;
  readonly rejoinTokens = new RejoinTokens();
  readonly statistics = noStatistics();
  /** The zone that the server has sent the client to, or where it may look; null if it has not. To be set to null. */
  follow: Follow | null = null;
  private token: ConnectToken;
  private endpoint: Endpoint;
  readonly schema: ExpectedSchema;
  private readonly loading: LevelLoading;
  private readonly resources: ResourceFetch;
  private command: Uint8Array | null = null;
  private inputs = new InputWriter();
  private deltas: DeltaReceiver | null = null; // null before the first Welcome
  private progress = new DeltaProgress();
  private eventQueue = new EventQueue();
  private failedCommands = new FailedCommands();
  private failure: End | null = null;
  private now: number;
  private isRejoining = false;
  private welcomeWait = new WelcomeWait(0);
  private firstServers: readonly ServerAddress[];
  private awaitsPlayer: boolean;
  private isSecond: boolean;

  /** `first` is the connection that goes on as this one later, by continueAs(). Until then this one hands out nothing. */
  constructor(
    private readonly config: ConnectionConfig,
    now: number,
    first: Connection | null = null,
  ) {
    this.token = readToken(config.token);
    this.firstServers = this.token.servers;
    this.awaitsPlayer = config.awaitsPlayer ?? false;
    this.isSecond = first !== null;
    this.schema = first?.schema ?? new ExpectedSchema(config.schema);
    this.loading = new LevelLoading(config);
    this.resources = new ResourceFetch(config.levels ?? null);
    this.endpoint = this.newEndpoint(now);
    this.now = now;
  }

  private newEndpoint(now: number): Endpoint {
    const servers = this.config.hasOneServer === true ? 1 : this.firstServers.length;
    return new Endpoint(this.token, servers, now, this.config.isReplay ?? false);
  }

  /** Returns the address that datagrams go to. The first token's count: the server may know itself by others. */
  server(): ServerAddress {
    return this.firstServers[this.endpoint.server]!;
  }

  /** Returns whether a server has answered the token of this session. */
  get isAnswered(): boolean {
    return this.endpoint.isAnswered;
  }

  /** Returns the estimates of the path to the server. */
  get link(): Readonly<Link> {
    return this.endpoint.session.link;
  }

  /** Returns the levels that the server has offered to the player, and those that the client has of them. */
  get levels(): OfferedLevels {
    return this.resources.levels;
  }

  private get isWelcomed(): boolean {
    return this.clock !== null;
  }

  /** Returns whether the mirror lacks nothing of its tick. */
  isComplete(): boolean {
    return this.progress.isComplete;
  }

  /** Returns the number of the newest acknowledgement; 0 before the first. */
  acknowledgement(): number {
    return this.progress.ack;
  }

  // Inputs ----------------------------------------------------------------------------------------------------------

  receive(datagram: Uint8Array, now: number): void {
    this.now = now;
    this.statistics.bytesReceived += datagram.length;
    this.guard(() => {
      this.endpoint.receive(datagram, now);
      this.readInbox(now);
    });
  }

  /** Hands out changes and events, and sends what is due. Call it at least once per tick of the server. */
  update(now: number, send: Send): void {
    this.now = now;
    this.load();
    if (!this.isSecond) this.handOut();
    else if (this.player.generation === 0) this.eventQueue = new EventQueue(); // they are for those in the other zone
    this.resources.handOut();
    if (this.state === "closed") return;
    const counted: Send = (datagram) => {
      this.statistics.bytesSent += datagram.length;
      send(datagram);
    };
    if (this.state === "connecting" && this.endpoint.step === "connected") this.sendHello(now);
    if (this.failure !== null) this.endpoint.close(this.failure, counted);
    if (this.state === "playing" && this.endpoint.step === "connected") this.updatePlaying(now);
    const over = this.state === "joining" ? this.welcomeWait.check(this.endpoint.session, now) : null;
    if (over !== null) this.endpoint.close({ reason: "handshake timed out", text: over }, counted);
    this.endpoint.update(now, counted);
    if (this.endpoint.step !== "closed") return;
    this.state = "closed";
    this.end = this.endpoint.end;
  }

  private handOut(): void {
    this.events = this.eventQueue.takeDue(this.progress.tick, (event) => this.presenceOf(event));
    this.statistics.events += this.events.length;
    this.failed = this.failedCommands.take(this.commands);
    this.mirror?.changes.handOut();
  }

  /** Gives the command that the next update sends. */
  setCommand(bytes: Uint8Array): void {
    this.command = bytes.slice();
  }

  /** Sends a report of a prediction. Returns false while the client does not play. */
  sendReport(message: Uint8Array): boolean {
    if (this.state === "playing") this.endpoint.session.sendReliable(message);
    return this.state === "playing";
  }

  pipeClosed(why: string, now: number): void {
    this.endpoint.pipeClosed(why, now);
  }

  /** Leaves. With the reason "pipe lost" the server keeps the player. */
  close(send: Send, end: End = { reason: "left", text: "" }): void {
    if (this.state === "closed") return;
    this.endpoint.close(end, send);
    this.isRejoining = false;
    this.state = "closed";
    this.end = this.endpoint.end;
  }

  /** Returns whether the connection was lost after the server had accepted the client. */
  isLost(): boolean {
    return this.state === "closed" && this.isWelcomed && isLoss(this.end);
  }

  canRejoin(): boolean {
    return this.isLost() && this.rejoinTokens.has(this.now);
  }

  /** Returns whether a new connect token leads on: it was lost, or the server refused a rejoin, even without its reason. */
  canReconnect(): boolean {
    const isEnded = this.end?.reason === "refused" || this.end?.reason === "left";
    return this.isLost() || (this.state === "closed" && this.isRejoining && isEnded);
  }

  /** Returns the world to which the server has sent the player, where a token of that world leads on; null if it has not. */
  movedTo(): string | null {
    return this.state === "closed" && this.end?.reason === "moved" ? this.end.text : null;
  }

  /** Begins a new session with a token that the server gave. Requires canRejoin(). */
  rejoin(now: number): void {
    const token = this.rejoinTokens.take();
    if (token === undefined) refuse("no token", "there is no rejoin token");
    this.token = readToken(token);
    this.isRejoining = true;
    this.beginSession(now);
  }

  /** Begins a new session with a connect token. In another world the addresses are those of the token. */
  reconnect(token: Uint8Array, now: number): void {
    this.token = readToken(token);
    // Else it would play as a new player until its own arrives. If that takes long, the server lets the session time out.
    this.awaitsPlayer = this.movedTo() !== null || (this.awaitsPlayer && this.end?.reason !== "timed out");
    if (this.awaitsPlayer) this.firstServers = this.token.servers;
    this.rejoinTokens.clear();
    this.isRejoining = false;
    this.command = null; // it was meant for the former session
    this.beginSession(now);
  }

  private beginSession(now: number): void {
    // Messages behind a refused one are dropped. The server knows that the others have arrived: it does not repeat them.
    if (this.failure !== null) this.loading.waiting.length = 0;
    else if (this.loading.isBusy) this.loading.waiting.push(...this.endpoint.session.drainReliable());
    this.endpoint = this.newEndpoint(now);
    this.state = "connecting";
    this.end = this.failure = this.closing = this.follow = null;
    this.progress.isComplete = false;
    this.resources.endSession();
    this.inputs = new InputWriter();
    ++this.statistics.rejoins;
  }

  /**
   * Goes on as a second connection of the player, to another zone: with its session and mirror, whose changes list what
   * differs, and with the commands that the former zone has not carried out. Ticks are those of the other zone.
   */
  continueAs(second: Connection): void {
    const { mirror, mirrors, clock, commands, command, failedCommands, statistics, now } = this;
    const continues = mirror !== null && second.mirror !== null && continueMirror(second.mirror, mirror);
    const areKnown = clock?.isKnown === true && second.clock?.isKnown === true;
    const [tick, former] = areKnown ? [second.clock!.targetTick(now), clock.targetTick(now)] : [0, 0];
    second.commands.continueFrom(commands, Math.round(tick - former), tick, second.progress.arrivals.count);
    addStatistics(second.statistics, statistics);
    Object.assign(this, second, { command, failedCommands, mirrors: continues ? mirrors : mirrors + 1 });
    this.isSecond = false;
  }

  // Sending ---------------------------------------------------------------------------------------------------------

  private sendHello(now: number): void {
    const known = this.resources.announce();
    this.endpoint.session.sendReliable(
      encodeHello({
        fingerprint: this.schema.known?.fingerprint ?? null,
        name: this.config.name ?? "",
        verify: this.config.verify ?? true,
        resources: known.map((file) => file.identity),
        schemas: known.map((file) => file.schema.fingerprint),
        resume: this.isWelcomed,
        spectate: this.config.spectate ?? false,
        follows: this.config.follows ?? false,
        awaitsPlayer: this.awaitsPlayer,
        commandsContinue: this.isSecond,
      }),
    );
    this.state = "joining";
    this.welcomeWait = new WelcomeWait(now);
  }

  private updatePlaying(now: number): void {
    const request = this.resources.nextRequest();
    if (request !== null) this.endpoint.session.sendReliable(request);
    if (this.loading.isBusy) return;
    this.clock!.onLink(this.endpoint.session.link, now);
    this.addCommand(now);
    const input = this.inputs.next(this.commands, this.progress, 1000 / this.ticksPerSecond, now);
    if (input !== null) {
      this.mirror!.acknowledged(this.progress.ack);
      this.endpoint.session.sendUnreliable(input);
    }
    const part = this.deltas!.verification.check.next(this.mirror!, now);
    if (part !== null) this.endpoint.session.sendOptional(part);
  }

  private addCommand(now: number): void {
    if (this.command === null || !this.clock!.isKnown) return;
    const tick = Math.floor(Math.max(0, Math.min(this.clock!.targetTick(now), commandTicksMax)));
    try {
      this.commands.add(this.command, tick, this.clock!.viewTick(now), this.progress.arrivals.count);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      ++this.statistics.refusedCommands;
      this.failedCommands.onUnsent(this.command, error);
    }
    this.command = null;
  }

  // Receiving -------------------------------------------------------------------------------------------------------

  /** Ends the session if bytes of the server are refused, or lead to an error that nothing has foreseen. */
  private guard(handle: () => void): void {
    try {
      handle();
    } catch (error) {
      this.failure ??= endOf(error);
    }
  }

  private readInbox(now: number): void {
    const { loading } = this;
    if (this.failure !== null || loading.isBusy) return;
    // Reliable messages first: deltas refer to what they announced.
    loading.waiting.push(...this.endpoint.session.drainReliable());
    while (loading.waiting.length > 0) {
      this.handle(decodeMessage(loading.waiting.shift()!));
      if (loading.isBusy) return;
    }
    for (const message of this.endpoint.session.drainUnreliable()) {
      if (message[0] === eventBatchKind) this.eventQueue.addUnreliable(decodeEventBatch(message));
      else if (this.deltas !== null) this.deltas.receive(message, this.mirror!, now);
      else refuse("out of turn", "the server sent a delta before Welcome");
    }
  }

  private handle(message: ServerMessage): void {
    if (message.kind === "welcome") return this.onWelcome(message);
    if (!this.isWelcomed) refuse("out of turn", `the server sent ${message.kind} before Welcome`);
    const mirror = this.mirror!;
    switch (message.kind) {
      case "names":
        return message.texts.forEach((text) => mirror.world.addName(text));
      case "prototypes":
        return mirror.addPrototypes(message.prototypes);
      case "playerEntity":
        return void (this.player = { index: message.index, generation: message.generation });
      case "rejoinTokens":
        return this.rejoinTokens.set(message, this.now);
      case "resourcePart":
        return this.resources.onPart(message);
      case "resourceOffer":
        return this.resources.onOffered(message.resources);
      case "events":
        return this.eventQueue.addReliable(message.events);
      case "level":
        return this.onLevel(message);
      case "correction":
        return this.onCorrection(message);
      case "closing":
        return void (this.closing = { seconds: message.seconds, reason: message.reason });
      case "commandRefused":
        ++this.statistics.refusedCommands;
        return this.failedCommands.onRefused(message.number, message.reason, this.commands);
      case "deltaBody":
        return mirror.addBody(message);
      case "follow":
        readToken(message.token);
        return void (this.follow = message);
    }
  }

  private onWelcome(message: MessageOf<"welcome">): void {
    if (this.state !== "joining") refuse("out of turn", "the server sent a second Welcome");
    if (message.resumed && !this.isWelcomed)
      refuse("out of turn", "the server resumed a session that this client never had");
    if (!message.resumed) this.beginPlayer(message);
    this.predictionSeed = message.predictionSeed;
    this.playerNumber = message.session;
    this.isRejoining = this.awaitsPlayer = false;
    this.state = "playing";
    this.resources.onOffered(message.resources);
  }

  private beginPlayer(message: MessageOf<"welcome">): void {
    const known = this.resources.announced.map((file) => file.schema);
    this.mirror = new Mirror(this.schema.ofServer(message, known), message.indexLimit);
    this.loading.cancel();
    this.levels.clear();
    ++this.mirrors;
    this.progress = new DeltaProgress();
    this.commands = new CommandLog();
    this.eventQueue = new EventQueue();
    this.failedCommands = new FailedCommands();
    this.player = { index: 0, generation: 0 };
    this.ticksPerSecond = message.ticksPerSecond;
    this.clock = new ServerClock(1000 / message.ticksPerSecond);
    this.deltas = new DeltaReceiver(this.clock, this.commands, this.progress, this.statistics);
  }

  private onLevel(message: MessageOf<"level">): void {
    const file =
      this.resources.announced.find((each) => equalBytes(each.identity, message.identity)) ??
      refuse("other level", "the server sent a level that this client did not name");
    this.loading.begin(this.config.levels!.load(this.mirror!, file, message));
    this.mirror = this.config.clock === undefined ? this.loading.advance(() => false) : null;
  }

  /** Loads levels, and reads those that were received, for as long as an update may. */
  private load(): void {
    if (this.failure !== null) return;
    this.guard(() => {
      const isOver = this.loading.beginSlice();
      this.resources.advance(isOver);
      this.mirror ??= this.loading.advance(isOver);
      this.readInbox(this.now);
    });
  }

  private onCorrection(message: MessageOf<"correction">): void {
    ++this.statistics.corrections;
    for (const difference of this.deltas!.verification.check.onCorrection(this.mirror!, message))
      this.endpoint.session.sendOptional(encodeMirrorDifference(difference));
  }

  private presenceOf(event: WireEvent): Presence | null {
    if (this.mirror === null) return "unknown";
    const presence = this.mirror.presence(event.index, event.generation, event.tick);
    if (presence !== "unknown") return presence;
    // A complete mirror lacks nothing that is in view, so the entity is no longer.
    return this.isComplete() ? "removed" : null;
  }
}
