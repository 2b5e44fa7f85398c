// Builds and changes elements. Text becomes only text nodes and attributes, so that text of servers and players cannot
// become markup.

// h('a', {class: 'x', href: '#', onclick: f, hidden: true}, 'text', child, null)
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else setAttribute(element, name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

// False and null remove an attribute. Unchanged values are not written.
export function setAttribute(element, name, value) {
  if (value === false || value === null || value === undefined) {
    if (element.hasAttribute(name)) element.removeAttribute(name);
    return;
  }
  const text = value === true ? '' : String(value);
  if (element.getAttribute(name) !== text) element.setAttribute(name, text);
}

export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export function setClass(element, name, wanted) {
  if (element.classList.contains(name) !== wanted) element.classList.toggle(name, wanted);
}

let ids = 0;

export function newId(prefix) {
  return `${prefix}-${++ids}`;
}
