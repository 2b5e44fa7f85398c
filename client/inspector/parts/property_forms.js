// Input of values: write() returns the text of a value, read() the JSON text of the input with all its digits. It
// throws an error for the user if the input is invalid. The server checks the range.
import {json} from '../core/format.js';

const number_pattern = /^(-?)(\d*)(\.\d*)?(e[-+]?\d+)?$/i;

const as_number = {write: json, read: number_text};
const as_json = {write: json, read: json_text};
const as_text = {write: (value) => (typeof value === 'string' ? value : json(value)), read: (text) => JSON.stringify(text)};
const as_entity = {
  write: (value) => value ?? '',
  read: (text) => (text.trim() === '' ? 'null' : JSON.stringify(text.trim())),
};
// Hash of a name, or the name if it is known.
const as_name = {write: as_text.write, read: (text) => (/^\d+$/.test(text) ? text : JSON.stringify(text))};

const forms = {unit_quaternion: as_json, entity: as_entity, fixed_string: as_text, string_id: as_name};

export function is_list({kind, value, elements}) {
  return kind !== 'fixed_string' && (Array.isArray(value) || elements !== undefined);
}

export function form_of(property) {
  return is_list(property) ? as_json : forms[property.kind] ?? as_number;
}

// JSON does not allow .5, 5. and 007.
function number_text(text) {
  const [, sign, whole, fraction = '', exponent = ''] = number_pattern.exec(text.trim()) ?? [];
  const digits = `${whole ?? ''}${fraction.slice(1)}`;
  if (!digits) throw new Error('This is not a number.');
  return `${sign}${whole.replace(/^0+(?=\d)/, '') || '0'}${fraction.length > 1 ? fraction : ''}${exponent}`;
}

function json_text(text) {
  try {
    JSON.parse(text);
  } catch {
    throw new Error('This is not JSON, such as [1, 2, 3].');
  }
  return text.trim();
}
