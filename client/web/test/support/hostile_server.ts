// A server that sends a client what an input of tests/fuzz/fuzz_connection.cpp describes, and a recording of that client.
import { u16 } from "../../src/core/bytes.js";
import { Connection } from "../../src/connection/connection.js";
import { LevelStore } from "../../src/connection/level_store.js";
import { readLevelFile } from "../../src/resource/level_file.js";
import {
  FakeServer,
  fakeToken,
  rejoinTokensMessage,
  resourceOfferMessage,
  resourcePartMessage,
  welcomeWith,
} from "./fake_server.js";
import { RecordingWriter } from "./recording.js";

const tick = 50; // ms
const stepsMax = 400;
const helloTicks = 20; // within which a client sends its Hello
const levelTicks = 100; // within which it requests a level and receives it
const step = { message: 0, unreliable: 1, command: 3, lost: 4, count: 5 } as const;

/** Reads an input piece by piece. At its end there is nothing, or zero. */
class Input {
  private at = 0;

  constructor(private readonly rest: Uint8Array) {}

  get isEmpty(): boolean {
    return this.at >= this.rest.length;
  }

  byte(): number {
    return this.rest[this.at++] ?? 0;
  }

  /** Returns the bytes that follow a length of two bytes. */
  bytes(): Uint8Array {
    const size = u16(Uint8Array.of(this.byte(), this.byte()), 0);
    const bytes = this.rest.slice(this.at, this.at + size);
    this.at += size;
    return bytes;
  }
}

export class HostileServer {
  readonly connection: Connection;
  private readonly levels = new LevelStore();
  private readonly recording: RecordingWriter;
  private server = new FakeServer();
  private now = 0;

  /** The client has this schema. With a level, it receives that in a session of its own before the input. */
  constructor(
    private readonly schema: Uint8Array,
    private readonly level: Uint8Array | null = null,
  ) {
    const token = fakeToken();
    this.connection = new Connection({ token, schema, levels: this.levels }, 0);
    this.recording = new RecordingWriter(token, schema, true);
  }

  /** Plays all steps of an input. Returns the recording of the client. */
  play(bytes: Uint8Array): Uint8Array {
    const input = new Input(bytes);
    input.byte(); // which levels a client of C++ has, and whether in memory or in a folder
    this.connect();
    if (this.level !== null) this.giveLevel(this.level);
    for (let steps = 0; steps < stepsMax && !input.isEmpty; ++steps) this.step(input);
    this.tick();
    this.tick();
    return this.recording.finish();
  }

  private step(input: Input): void {
    const { session, isConnected } = this.server;
    const kind = input.byte() % step.count;
    if (kind === step.message || kind === step.unreliable) {
      const bytes = input.bytes();
      if (isConnected) session[kind === step.message ? "sendOptional" : "sendUnreliable"](bytes);
      return;
    }
    if (kind === step.lost) return this.loseAndRejoin();
    if (kind === step.command) {
      this.connection.setCommand(new Uint8Array(9));
      this.recording.add("command", this.now, new Uint8Array(9));
    }
    this.tick();
  }

  /** Ticks until the client has sent a message. */
  private connect(): void {
    for (let ticks = 0; ticks < helloTicks && !this.server.hasHello; ++ticks) this.tick();
  }

  /** Gives the client a level that the Hello of its next session names. A replay begins with an empty store, so it is sent. */
  private giveLevel(level: Uint8Array): void {
    const { session } = this.server;
    const { identity } = readLevelFile(level);
    session.sendReliable(welcomeWith(this.schema));
    session.sendReliable(rejoinTokensMessage(30, fakeToken()));
    session.sendReliable(resourceOfferMessage(identity, level.length, 1));
    for (let ticks = 0; ticks < 3; ++ticks) this.tick(); // until the client has requested it
    session.sendReliable(resourcePartMessage(identity, level));
    for (let ticks = 0; ticks < levelTicks && this.levels.find(identity) === null; ++ticks) this.tick();
    this.loseAndRejoin();
  }

  private loseAndRejoin(): void {
    const { connection, recording } = this;
    connection.pipeClosed("lost", this.now);
    recording.add("pipe_closed", this.now, new TextEncoder().encode("lost"));
    this.tick();
    if (connection.canRejoin()) {
      this.server = new FakeServer(this.rejoin());
      recording.add("rejoin", this.now);
    }
    this.connect();
  }

  /** Returns the token with which the connection begins its next session. */
  private rejoin(): Uint8Array {
    const { rejoinTokens } = this.connection;
    const take = rejoinTokens.take.bind(rejoinTokens);
    let token: Uint8Array | undefined;
    rejoinTokens.take = () => (token = take());
    this.connection.rejoin(this.now);
    rejoinTokens.take = take;
    return token!;
  }

  /** Updates the client, and delivers what it and the server send. */
  private tick(): void {
    const { connection, recording, server, now } = this;
    recording.add("update", now);
    connection.update(now, (datagram) => server.receive(datagram, now));
    server.flush(now, (datagram) => {
      recording.add("datagram", now, datagram);
      connection.receive(datagram, now);
    });
    this.now += tick;
  }
}
