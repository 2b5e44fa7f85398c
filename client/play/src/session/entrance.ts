// Joins the server, and shows the player what the page waits for or why the session has ended.
import { Client, type LevelStore, Refusal, openWebSocket } from "@mobula/client";
import { keepLevels } from "@mobula/client/level-cache";
import { Refused, admit } from "./admission.js";
import { wordsOf } from "./ends.js";
import { type Conditions, type Counts, slowed } from "./slow_network.js";

// Ends of sessions that have not begun, after which another attempt may help.
const passing: readonly string[] = ["pipe lost", "no answer", "timed out", "handshake timed out"];
const attemptsMax = 4;
const retryTime = 700; // ms
const slowJoin = 1500; // ms without the player's avatar, after which the page shows what it waits for

/** Messages to the player, one at a time. */
export interface Messages {
  /** Whether the message has a button. Only the player removes it. */
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

  constructor(
    private readonly messages: Messages,
    private readonly conditions: Conditions,
    private readonly counts: Counts,
    private readonly onClient: (client: Client) => void,
  ) {}

  /** Ends the session, and a join that is under way. */
  leave(): void {
    ++this.turn;
    const { client } = this;
    this.client = null; // before its end, which is shown otherwise
    client?.close();
  }

  async join(name: string): Promise<void> {
    this.leave();
    const { turn } = this;
    this.began = performance.now();
    const open = slowed(openWebSocket, this.conditions, this.counts);
    try {
      const levels = (this.levels ??= await keepLevels());
      const { token, url } = await admit();
      if (turn !== this.turn) return;
      const client = new Client(
        { url, token, name, levels, newToken: async () => (await admit()).token },
        { "ws:": open, "wss:": open },
      );
      this.client = client;
      client.onClosed = (end) => {
        if (this.client !== client) return;
        if (client.connection.mirrors > 0) this.attempts = 0;
        else if (passing.includes(end.reason) && ++this.attempts < attemptsMax) {
          this.client = null;
          return void setTimeout(() => {
            if (turn === this.turn) void this.join(name);
          }, retryTime);
        }
        const { title, text, button } = wordsOf(end);
        this.messages.ask(title, text, end.text, button, () => (button.startsWith("Load") ? location.reload() : void this.join(name)));
      };
      this.onClient(client);
    } catch (error) {
      if (turn === this.turn) this.fail(error, name);
    }
  }

  private fail(error: unknown, name: string): void {
    const again = (): void => void this.join(name);
    if (error instanceof Refused) return this.messages.ask(error.title, error.message, "", "Try again", again);
    const detail = error instanceof Refusal ? error.reason : error instanceof Error ? error.message : String(error);
    this.messages.ask("The page could not join", "The server's answer does not lead on.", detail, "Try again", again);
  }

  /** Shows what the page waits for. Called with each frame. */
  watch(now: number): void {
    if (this.messages.hasButton) return;
    const { client } = this;
    if (client === null) return now - this.began > slowJoin ? this.messages.wait("Asking for a place …", "The server gives this page a token.") : undefined;
    if (client.state === "closed") return;
    if (client.state === "reconnecting")
      return this.messages.wait("Connecting again …", "The connection was lost. The server keeps your avatar meanwhile.");
    const { closing } = client.connection;
    if (closing !== null)
      return this.messages.wait("The server stops soon", `${closing.reason}. The page reconnects when it is back.`);
    if (client.has(client.player) || now - this.began < slowJoin) return this.messages.hide();
    const entities = client.indices("Transform").length;
    this.messages.wait("Walking to the village …", entities === 0 ? "The handshake is under way." : `${entities} entities are here.`);
  }
}
