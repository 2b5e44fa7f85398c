// Prototypes as a tree by base. A prototype without entities and with a single child is merged with that child, so
// chains become one line.

// prototypes: as the server lists them. Returns the roots, {key, ids, label, count, faint, children}.
export function prototype_tree(prototypes) {
  const children = new Map();
  for (const prototype of prototypes) {
    if (!children.has(prototype.base)) children.set(prototype.base, []);
    children.get(prototype.base).push(prototype);
  }
  const empty = prototypes.find((each) => each.base === null);
  const roots = (children.get(empty?.id) ?? []).map((each) => node(each, children));
  if (empty?.entities > 0) roots.unshift(leaf(empty, [empty.id], ['no components'], []));
  return roots;
}

function node(prototype, children) {
  const ids = [];
  const names = [];
  let at = prototype;
  for (;;) {
    ids.push(at.id);
    names.push(at.component);
    const next = children.get(at.id) ?? [];
    if (at.entities > 0 || next.length !== 1) return leaf(at, ids, names, next.map((each) => node(each, children)));
    at = next[0];
  }
}

function leaf(prototype, ids, names, children) {
  return {key: String(prototype.id), ids, label: names.join(' › '), entities: prototype.entities, children};
}

export function find_node(roots, id) {
  for (const each of roots) {
    const found = each.ids.includes(id) ? each : find_node(each.children, id);
    if (found) return found;
  }
  return null;
}

export function entities_below(prototypes, id) {
  const below = new Set([id]);
  let total = 0;
  for (const each of prototypes) {  // a base has a smaller number
    if (below.has(each.base)) below.add(each.id);
    if (below.has(each.id)) total += each.entities;
  }
  return total;
}
