// Finds a server that was started again at another address. Its former address does not open then, and the client gets
// the present one from newToken. The server has moved only if the former address stays shut: else the network was down.

export type Token = Uint8Array | string;

/** A connect token, and the URL of its server. */
export interface Access {
  readonly token: Token;
  readonly url: string;
}

export const hasUrl = (given: Token | Access): given is Access => typeof given === "object" && "url" in given;

const unopenedMax = 2; // attempts in a row whose pipe has not opened, before a query of newToken

export class MovedServer {
  private hasOther = false; // another address than the one that does not open
  private unopened = 0;
  private isQuerying = false;
  private givesUrls = true;

  constructor(private readonly newToken: () => Promise<Token | Access>) {}

  /** Forgets former attempts, because a pipe has opened. */
  reset(): void {
    this.hasOther = false;
    this.unopened = 0;
  }

  /** Notes an attempt whose pipe to `url` has not opened. Returns whether the server has moved. */
  onUnopened(url: URL): boolean {
    if (++this.unopened < unopenedMax) return false;
    const { hasOther } = this;
    this.reset();
    if (!hasOther && this.givesUrls && !this.isQuerying) void this.query(url);
    return hasOther;
  }

  private async query(former: URL): Promise<void> {
    this.isQuerying = true;
    try {
      const given = await this.newToken();
      this.givesUrls = hasUrl(given);
      if (!hasUrl(given) || new URL(given.url).href === former.href) return;
      this.hasOther = true;
      this.unopened = unopenedMax - 1; // the next attempt decides
    } catch {
      // Queried again after further attempts.
    } finally {
      this.isQuerying = false;
    }
  }
}
