// Joins the server, and shows the player what the page waits for or why the session has ended.
import { Client, type End, type LevelStore, Refusal, openWebSocket } from "@mobula/client";
import { keepLevels } from "@mobula/client/level-cache";
import { schema } from "../../../web/demo/components.js";
import { type Admission, Refused, admit } from "./admission.js";
import { type Words, wordsOf } from "./ends.js";
import { ServerReturn } from "./server_return.js";
import { type Conditions, type Counts, slowed } from "./slow_network.js";

const attemptsMax = 4; // in a row that end soon, before their end is shown
const retryTime = 700; // ms
const slowJoin = 1500; // ms without the player's avatar, after which the page shows what it waits for

/** Messages to the player, one at a time. */
export interface Messages {
  /** Whether the message has a button. */
  readonly hasButton: boolean;
  /** Shows what the page waits for. */
  wait(title: string, text: string): void;
  /** Shows a message with a button, which calls `act`. */
  ask(title: string, text: string, detail: string, button: string, act: () => void): void;
  hide(): void;
}

export class Entrance {
  private levels: LevelStore | null = null; // those of former visits, and what is received
  private client: Client | null = null;
  private turn = 0; // changes with each join, so that one that is under way gives up
  private began = 0;
  private attempts = 0; // in a row, without having played
  private name = "";
  private readonly serverReturn = new ServerReturn(admit, (admission) => void this.join(this.name, admission));

  constructor(
    private readonly messages: Messages,
    private readonly conditions: Conditions,
    private readonly counts: Counts,
    private readonly onClient: (client: Client) => void,
  ) {}

  /** Ends the session, and a join that is under way. */
  leave(): void {
    ++this.turn;
    this.serverReturn.stop();
    const { client } = this;
    this.client = null; // before its end, which is shown otherwise
    client?.close();
  }

  /** Joins under a name. Without an admission the server is asked for one. */
  async join(name: string, admission?: Admission): Promise<void> {
    this.leave();
    const { turn } = this;
    this.name = name;
    this.began = performance.now();
    try {
      const levels = (this.levels ??= await keepLevels());
      const { token, url } = admission ?? (await admit());
      if (turn !== this.turn) return;
      const open = slowed(openWebSocket, this.conditions, this.counts);
      const client = new Client({ url, token, name, schema, levels, newToken: admit }, { "ws:": open, "wss:": open });
      this.client = client;
      client.onClosed = (end) => this.client === client && this.onClosed(client, end);
      this.onClient(client);
    } catch (error) {
      if (turn === this.turn) this.fail(error);
    }
  }

  private onClosed(client: Client, end: End): void {
    const hasPlayed = client.connection.mirrors > 0;
    if (hasPlayed) {
      this.attempts = 0;
      this.serverReturn.reset();
    }
    const isUnanswered = !hasPlayed && end.reason === "pipe lost" && !client.connection.isAnswered;
    const words = wordsOf(isUnanswered ? { ...end, reason: "no answer" } : end);
    const isShort = performance.now() - this.began < slowJoin;
    if (!hasPlayed && words.returns && isShort && ++this.attempts < attemptsMax) return this.retry();
    this.ask(words, end.text);
  }

  /** Joins again soon, without a message. */
  private retry(): void {
    const { turn } = this;
    this.client = null;
    setTimeout(() => {
      if (turn === this.turn) void this.join(this.name);
    }, retryTime);
  }

  private ask({ title, text, button, returns = false }: Words, detail: string): void {
    const again = (): void => void this.join(this.name);
    const all = returns ? `${text} The page tries again by itself.` : text;
    this.messages.ask(title, all, detail, button, () => (button.startsWith("Load") ? location.reload() : again()));
    if (returns) this.serverReturn.start();
  }

  private fail(error: unknown): void {
    const button = "Try again";
    if (error instanceof Refused) return this.ask({ title: error.title, text: error.message, button, returns: error.returns }, "");
    const detail = error instanceof Refusal ? error.reason : error instanceof Error ? error.message : String(error);
    this.ask({ title: "The page could not join", text: "The server's answer does not lead on.", button }, detail);
  }

  /** Shows what the page waits for. Called with each frame. */
  watch(now: number): void {
    const { client } = this;
    if (client?.state === "playing" && client.has(client.player) && client.connection.closing === null) return this.messages.hide();
    if (this.messages.hasButton) return;
    if (client === null) return now - this.began > slowJoin ? this.messages.wait("Asking for a place …", "The server gives this page a token.") : undefined;
    if (client.state === "closed") return;
    if (client.state === "reconnecting")
      return this.messages.wait("Connecting again …", "The connection was lost. A server that still runs keeps your avatar for a while.");
    const { closing } = client.connection;
    if (closing !== null)
      return this.messages.wait("The server stops soon", `${closing.reason}. The page reconnects when it is back.`);
    if (now - this.began < slowJoin) return this.messages.hide();
    const entities = client.indices("Transform").length;
    this.messages.wait("Walking to the village …", entities === 0 ? "The handshake is under way." : `${entities} entities are here.`);
  }
}
