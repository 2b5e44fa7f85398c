// Requests over HTTP. A response is JSON. A refusal throws ApiError with the server's message.
import {demand_token, token} from './token.js';

let root = 'api/';

// Sets the path of the API below that of the page.
export function set_api_root(path) {
  root = path;
}

export class ApiError extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

// Whole numbers beyond 2^53 stay exact as BigInt, if the browser supports it.
function exact(_, value, context) {
  const inexact = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
  return inexact && context?.source ? BigInt(context.source) : value;
}

export function parse_exactly(text) {
  return JSON.parse(text, exact);
}

async function send(path, method, body, signal) {
  const bearer = token();
  const headers = bearer ? {Authorization: `Bearer ${bearer}`} : {};
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  let response;
  try {
    response = await fetch(path, {method, headers, body, signal});
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new ApiError(0, 'unreachable', 'The server does not answer.');
  }
  const text = await response.text();
  if (response.status === 401) {
    await demand_token(bearer);
    return send(path, method, body, signal);
  }
  if (response.ok) return parse_exactly(text);
  throw refusal(response.status, text);
}

function refusal(status, text) {
  try {
    const {code, message} = JSON.parse(text).error;
    return new ApiError(status, code, message);
  } catch {
    return new ApiError(status, 'unknown', `The server answered with status ${status}.`);
  }
}

// path: parts, percent-encoded here. query: null and empty values are omitted.
export function url(parts, query = {}) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== '') search.set(name, value);
  }
  const text = search.toString();
  return `${root}${parts.map((part) => encodeURIComponent(part)).join('/')}${text ? `?${text}` : ''}`;
}

export function get(parts, query, signal) {
  return send(url(parts, query), 'GET', undefined, signal);
}

export function post(parts, query, body) {
  return send(url(parts, query), 'POST', body === undefined ? undefined : JSON.stringify(body));
}

// The body is JSON text, so that a number is sent with all digits of the input.
export function put(parts, query, body) {
  return send(url(parts, query), 'PUT', body);
}

// Requests all pages of a list, until the last or enough.
// parameter: the name of the parameter that has the place of the next page.
export async function get_all(parts, query, key, signal, enough = Infinity, parameter = 'cursor') {
  const all = [];
  let cursor = null;
  let page;
  do {
    page = await get(parts, {...query, [parameter]: cursor}, signal);
    all.push(...page[key]);
    cursor = page.next;
  } while (cursor !== null && all.length < enough);
  return {...page, [key]: all};
}
