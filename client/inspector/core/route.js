// The current place, as the address after '#': #/entities/8.1?world=main. Every view, entity and session has its own
// address, which can be shared, and which the browser's Back restores.

// {view, argument, query}; view is empty without one
export function parse_route(hash) {
  const [path, search = ''] = hash.replace(/^#\/?/, '').split('?');
  const slash = path.indexOf('/');
  const view = slash < 0 ? path : path.slice(0, slash);
  const argument = slash < 0 ? null : decode(path.slice(slash + 1));
  return {view, argument: argument || null, query: new URLSearchParams(search)};
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function route_to(view, argument = null, query = {}) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== '') search.set(name, value);
  }
  const text = search.toString();
  return `#/${view}${argument === null ? '' : `/${encodeURIComponent(argument)}`}${text ? `?${text}` : ''}`;
}
