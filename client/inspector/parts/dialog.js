// Modal questions. Escape and a click outside dismiss them.
import {h, newId} from '../core/dom.js';

// Resolves to the value of the button, or '' if the dialog was dismissed.
function show(dialog) {
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue);
    }, {once: true});
    document.body.append(dialog);
    dialog.showModal();
  });
}

export async function show_text(title, ...content) {
  const heading = h('h2', {id: newId('dialog')}, title);
  const dialog = h('dialog', {'aria-labelledby': heading.id}, h('form', {method: 'dialog'},
    heading, ...content, h('div', {class: 'buttons'}, h('button', {class: 'primary', value: ''}, 'Close'))));
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close(''));
  await show(dialog);
}

// Resolves to whether the action was chosen.
export async function ask_whether({title, text, action, danger = false}) {
  const heading = h('h2', {id: newId('dialog')}, title);
  const dialog = h('dialog', {'aria-labelledby': heading.id}, h('form', {method: 'dialog'}, heading, h('p', {}, text),
    h('div', {class: 'buttons'}, h('button', {value: ''}, 'Cancel'), h('button', {class: danger ? 'danger' : 'primary', value: 'yes'}, action))));
  return await show(dialog) === 'yes';
}

// Resolves to the text, or to null if it was dismissed. With `required` it cannot be dismissed.
export async function ask_for_text({title, text, label, value = '', type = 'text', action, danger = false,
                                    required = false, maxlength = 200}) {
  const heading = h('h2', {id: newId('dialog')}, title);
  const input = h('input', {id: newId('input'), type, value, maxlength, required: true, autocomplete: 'off',
                            spellcheck: 'false'});
  const cancel = required ? null : h('button', {value: '', formnovalidate: true}, 'Cancel');
  const dialog = h('dialog', {'aria-labelledby': heading.id}, h('form', {method: 'dialog'},
    heading, text ? h('p', {}, text) : null,
    h('label', {for: input.id}, label), input,
    h('div', {class: 'buttons'}, cancel, h('button', {class: danger ? 'danger' : 'primary', value: 'yes'}, action))));
  // Enter triggers the action, not the first button.
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    if (input.reportValidity()) dialog.close('yes');
  });
  if (required) dialog.addEventListener('cancel', (event) => event.preventDefault());
  const answer = await show(dialog);
  return answer === 'yes' ? input.value : null;
}
