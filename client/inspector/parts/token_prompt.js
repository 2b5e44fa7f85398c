// Asks for the bearer token of an admin port.
import {ask_for_text} from './dialog.js';

// Resolves to the token that the user enters. refused: the token before, or null.
export async function prompt_for_token(refused) {
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
  return text;
}
