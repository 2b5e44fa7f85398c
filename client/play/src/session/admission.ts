// Asks the server that serves this page for a connect token, and where its WebSocket is.

export interface Admission {
  readonly token: string;
  readonly url: string;
}

/** The server does not let the player in. `title` and `message` are for the player. */
export class Refused extends Error {
  constructor(
    readonly title: string,
    message: string,
  ) {
    super(message);
  }
}

interface Answer {
  readonly tokens?: readonly string[];
  readonly ws?: string;
  readonly wss?: string;
}

/** Throws Refused. Tokens are in no address and in no log. */
export async function admit(): Promise<Admission> {
  let response: Response;
  try {
    response = await fetch("token", { cache: "no-store" });
  } catch {
    throw new Refused("The server does not answer", "It may be restarting. The page tries again when you ask it to.");
  }
  if ([401, 403, 404].includes(response.status))
    throw new Refused("No entry", "This server gives no tokens to this page. Its operator decides who may play.");
  if (!response.ok) throw new Refused("No token", `The server has refused a token (HTTP ${response.status}).`);
  const { tokens, ws, wss } = (await response.json()) as Answer;
  const url = location.protocol === "https:" ? wss : (ws ?? wss);
  if (tokens?.[0] === undefined || url === undefined)
    throw new Refused("No way in", "The server has no WebSocket address for this page.");
  return { token: tokens[0], url };
}
