// Bearer token of an admin port that requires one, kept until the tab is closed.
import {ask_for_text} from '../parts/dialog.js';

const key = 'mobula.token';
let pending = null;

export function token() {
  return sessionStorage.getItem(key);
}

// Asks the user once, however many requests were refused. Resolves when there is a new one.
export function demand_token(refused) {
  if (token() !== refused) return Promise.resolve();  // the user has entered another one meanwhile
  pending ??= prompt_for_token(refused).finally(() => {
    pending = null;
  });
  return pending;
}

async function prompt_for_token(refused) {
  let text = null;
  while (text === null) {
    text = await ask_for_text({
      title: 'This server requires its bearer token',
      text: refused ? 'The token was refused. It is in the server’s configuration.' : 'It is in the server’s configuration.',
      label: 'Token',
      type: 'password',
      maxlength: 256,
      action: 'Sign in',
      required: true,
    });
  }
  sessionStorage.setItem(key, text);
}
