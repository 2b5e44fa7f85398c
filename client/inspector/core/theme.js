// Theme: light, dark or the system's. Style sheets use light-dark(), painting code calls colour().
const key = 'mobula.theme';
const order = ['auto', 'light', 'dark'];
const probe = document.createElement('span');
const known = new Map();

export const themes = new EventTarget();

export function theme() {
  const kept = localStorage.getItem(key);
  return order.includes(kept) ? kept : 'auto';
}

export function apply_theme() {
  document.documentElement.dataset.theme = theme();
  known.clear();
  themes.dispatchEvent(new Event('change'));
}

export function next_theme() {
  localStorage.setItem(key, order[(order.indexOf(theme()) + 1) % order.length]);
  apply_theme();
}

// Returns the current value of a custom property such as '--accent'.
export function colour(name) {
  if (known.has(name)) return known.get(name);
  if (!probe.isConnected) {
    probe.hidden = true;
    document.body.append(probe);
  }
  probe.style.color = `var(${name})`;
  known.set(name, getComputedStyle(probe).color);
  return known.get(name);
}

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', apply_theme);
