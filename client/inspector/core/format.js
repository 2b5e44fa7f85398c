// Numbers for people. The unit stays the same while a value varies, so that columns do not jump.

const whole = new Intl.NumberFormat('en', {maximumFractionDigits: 0});
const missing = '–';

const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);

export function count(value) {
  return isNumber(value) || typeof value === 'bigint' ? whole.format(value) : missing;
}

export function plural(number, one, many = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : many}`;
}

export function milliseconds(seconds, digits = 2) {
  return isNumber(seconds) ? `${(seconds * 1000).toFixed(digits)} ms` : missing;
}

export function centimetres(metres, digits = 1) {
  return isNumber(metres) ? `${(metres * 100).toFixed(digits)} cm` : missing;
}

export function percent(share, digits = 1) {
  return isNumber(share) ? `${(share * 100).toFixed(digits)}%` : missing;
}

export function bytes(value) {
  if (!isNumber(value)) return missing;
  if (value < 1000) return `${whole.format(value)} B`;
  if (value < 1e6) return `${(value / 1e3).toFixed(1)} KB`;
  if (value < 1e9) return `${(value / 1e6).toFixed(1)} MB`;
  return `${(value / 1e9).toFixed(2)} GB`;
}

export function rate(bytesPerSecond) {
  return isNumber(bytesPerSecond) ? `${(bytesPerSecond / 1000).toFixed(1)} KB/s` : missing;
}

export function duration(seconds) {
  if (!isNumber(seconds)) return missing;
  const s = Math.floor(seconds);
  const two = (n) => String(n).padStart(2, '0');
  const clock = `${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`;
  if (s < 3600) return clock;
  if (s < 86400) return `${Math.floor(s / 3600)}:${clock}`;
  return `${plural(Math.floor(s / 86400), 'day')} ${Math.floor(s / 3600) % 24}:${clock}`;
}

export function position(value) {
  return value ? value.map((each) => each?.toFixed(1) ?? missing).join(', ') : missing;
}

// JSON notation of a value, including text and whole numbers of 64 bits.
export function json(value) {
  return JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? String(each) : each));
}

// Quantile of an unordered list. share: 0.99 for p99.
export function quantile(values, share) {
  if (values.length === 0) return null;
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

export function mean(values) {
  return values.length === 0 ? null : values.reduce((sum, each) => sum + each, 0) / values.length;
}
