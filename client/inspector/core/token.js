// Bearer token of an admin port that requires one, kept until the tab is closed.
const key = 'mobula.token';
let ask_for_token = null;
let pending = null;

// Sets how the user is asked: ask(refused) resolves to a token. refused: the token before, or null.
export function set_token_prompt(ask) {
  ask_for_token = ask;
}

export function token() {
  return sessionStorage.getItem(key);
}

// Asks the user once, however many requests were refused. Resolves when there is a new one.
export function demand_token(refused) {
  if (token() !== refused) return Promise.resolve();  // the user has entered another one meanwhile
  pending ??= replace_token(refused).finally(() => {
    pending = null;
  });
  return pending;
}

async function replace_token(refused) {
  sessionStorage.setItem(key, await ask_for_token(refused));
}
