// Mouse, fingers and keys on the map: drag moves, wheel and pinch zoom, a click chooses.

const click_pixels = 5;
const key_pan_pixels = 60;

// on: {pan(left, top), zoom(factor, left, top), choose(left, top), fit()}; CSS pixels from the element's corner.
export function listen(element, on, signal) {
  const pointers = new Map();
  let travelled = 0;
  const corner = (event) => {
    const {left, top} = element.getBoundingClientRect();
    return {left: event.clientX - left, top: event.clientY - top};
  };

  element.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    element.setPointerCapture(event.pointerId);
    if (pointers.size === 0) travelled = 0;
    pointers.set(event.pointerId, corner(event));
  }, {signal});

  element.addEventListener('pointermove', (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const now = corner(event);
    const others = [...pointers].filter(([id]) => id !== event.pointerId).map(([, each]) => each);
    pointers.set(event.pointerId, now);
    travelled += Math.abs(now.left - before.left) + Math.abs(now.top - before.top);
    if (others.length === 0) {
      if (travelled > click_pixels) on.pan(now.left - before.left, now.top - before.top);
      return;
    }
    const other = others[0];
    const factor = distance(now, other) / Math.max(1, distance(before, other));
    on.pan((now.left - before.left) / 2, (now.top - before.top) / 2);
    on.zoom(factor, (now.left + other.left) / 2, (now.top + other.top) / 2);
  }, {signal});

  const release = (event) => {
    if (!pointers.delete(event.pointerId)) return;
    const {left, top} = corner(event);
    if (event.type === 'pointerup' && pointers.size === 0 && travelled <= click_pixels) on.choose(left, top);
  };
  element.addEventListener('pointerup', release, {signal});
  element.addEventListener('pointercancel', release, {signal});

  element.addEventListener('wheel', (event) => {
    event.preventDefault();
    const {left, top} = corner(event);
    const pixels = event.deltaMode === 1 ? event.deltaY * 30 : event.deltaY;
    on.zoom(Math.exp(-pixels * 0.002), left, top);
  }, {passive: false, signal});

  element.addEventListener('keydown', (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const action = key_action(event.key, on);
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }, {signal});
}

function key_action(key, on) {
  switch (key) {
    case 'ArrowLeft': return () => on.pan(key_pan_pixels, 0);
    case 'ArrowRight': return () => on.pan(-key_pan_pixels, 0);
    case 'ArrowUp': return () => on.pan(0, key_pan_pixels);
    case 'ArrowDown': return () => on.pan(0, -key_pan_pixels);
    case '+': case '=': return () => on.zoom(1.3);
    case '-': return () => on.zoom(1 / 1.3);
    case '0': return () => on.fit();
    default: return null;
  }
}

function distance(a, b) {
  return Math.hypot(a.left - b.left, a.top - b.top);
}
