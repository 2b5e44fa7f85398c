// Tokens that the server gave, by which a client takes up its session again.
import { readToken } from "../session/token.js";
import type { MessageOf } from "../wire/messages.js";

const lifetimeMax = 24 * 3600; // seconds

export class RejoinTokens {
  /** Time in ms for which the server keeps a player that is disconnected. */
  grace = 0;
  private tokens: Uint8Array[] = [];
  private taken: Uint8Array | null = null; // by the latest attempt to rejoin
  private end = 0; // when the first of them expires

  set({ tokens, graceSeconds }: MessageOf<"rejoinTokens">, now: number): void {
    const lifetimes = tokens.map((token) => readToken(token).lifetime);
    this.clear();
    this.tokens = [...tokens];
    this.grace = 1000 * graceSeconds;
    this.end = now + 1000 * Math.min(...lifetimes, lifetimeMax);
  }

  clear(): void {
    this.tokens = [];
    this.taken = null;
  }

  has(now: number): boolean {
    return this.tokens.length > 0 && now < this.end;
  }

  take(): Uint8Array | undefined {
    const token = this.tokens.pop();
    this.taken = token ?? null;
    return token;
  }

  /** Gives back the token that was taken last, because no datagram with it has left. Returns false without one. */
  giveBack(): boolean {
    if (this.taken === null) return false;
    this.tokens.push(this.taken);
    this.taken = null;
    return true;
  }
}
