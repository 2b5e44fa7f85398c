// Asks the server that serves this page for a connect token, and where its WebSocket is.

export interface Admission {
  readonly token: string;
  readonly url: string;
}

/** The server does not let the player in. `title` and `message` are for the player; `returns` as in the words of an end. */
export class Refused extends Error {
  constructor(
    readonly title: string,
    message: string,
    readonly returns = false,
  ) {
    super(message);
  }
}

interface Answer {
  readonly tokens?: readonly unknown[];
  readonly ws?: string;
  readonly wss?: string;
}

/** Throws Refused. Tokens are in no address and in no log. */
export async function admit(): Promise<Admission> {
  let response: Response;
  try {
    response = await fetch("token", { cache: "no-store" });
  } catch {
    throw new Refused("The server does not answer", "It may be restarting.", true);
  }
  if ([401, 403, 404].includes(response.status))
    throw new Refused("No entry", "This server gives no tokens to this page. Its operator decides who may play.");
  if (!response.ok) throw new Refused("No token", `The server has refused a token (HTTP ${response.status}).`, response.status >= 500);
  const { tokens, ws, wss } = await answerOf(response);
  const token = tokens[0];
  if (typeof token !== "string") throw new Refused("No token", "The server's answer has no token for this page.");
  const url = location.protocol === "https:" ? wss : (ws ?? wss);
  if (url === undefined) throw new Refused("No way in", "The server has no WebSocket address for this page.");
  return { token, url };
}

async function answerOf(response: Response): Promise<Answer & { readonly tokens: readonly unknown[] }> {
  try {
    const answer = (await response.json()) as Answer;
    if (Array.isArray(answer.tokens)) return { ...answer, tokens: answer.tokens };
  } catch {
    // Not JSON, or no object: shown in the same words.
  }
  throw new Refused("The answer has no token", `${response.url} answers, but not as a server of this game does.`);
}
