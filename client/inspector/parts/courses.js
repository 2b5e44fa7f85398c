// Courses of fields with dead reckoning: of one property, and of all components of a pool.
import {h, setText} from '../core/dom.js';
import {count, percent, plural} from '../core/format.js';
import {Table} from './table.js';

// Returns what clients compute for a property with dead reckoning.
export function course_text({value, velocity, age, tolerance}) {
  const digits = Math.max(0, Math.min(6, 1 - Math.floor(Math.log10(tolerance))));
  const shown = (number) => number?.toFixed(digits) ?? '–';
  const at = Array.isArray(value) ? `[${value.map(shown).join(', ')}]` : shown(value);
  if (age === null) return `clients: ${at}, at rest`;
  return `clients: ${at} · ${speed_text(velocity, shown)} · course ${plural(age, 'tick')} old`;
}

// A turn has an axis, whose length is its radians per second.
function speed_text(velocity, shown) {
  if (!Array.isArray(velocity)) return `${shown(velocity)}/s`;
  return `turns ${(Math.hypot(...velocity) * 180 / Math.PI).toFixed(1)}°/s`;
}

// Returns the new courses per second of all fields, empty if no field has dead reckoning.
export function new_courses_text(courses) {
  if (courses.length === 0) return '';
  return `${new_courses_rate(courses).toFixed(1)}/s`;
}

export function new_courses_rate(courses) {
  return courses.reduce((sum, each) => sum + (each.new_courses_per_second ?? 0), 0);
}

// A table of the fields of a pool. Hidden while there are none.
export class CourseTable {
  constructor(parent) {
    this.measured = h('p', {class: 'note'});
    this.element = h('div', {hidden: true}, h('h3', {class: 'spaced'}, 'Dead reckoning'), this.measured);
    this.table = new Table(this.element, columns, {label: 'Courses by field', key: (row) => row.field, rest_ms: 0});
    parent.append(this.element);
  }

  update(courses) {
    this.element.hidden = courses.length === 0;
    if (courses.length === 0) return;
    setText(this.measured, `Measured for ${courses[0].seconds.toFixed(0)} s, while this page is open. A new course is sent when the value leaves the tolerance. The share is that of the ticks of moving components.`);
    this.table.update(courses);
  }
}

const columns = [
  {key: 'field', label: 'Field', text: (row) => row.field},
  {key: 'tolerance', label: 'Tolerance', number: true, text: (row) => String(row.tolerance)},
  {key: 'under_way', label: 'Under way', number: true, title: 'Components that follow a course now', text: (row) => count(row.under_way)},
  {key: 'rate', label: 'New courses', number: true, text: (row) => (row.new_courses_per_second === null ? '–' : `${row.new_courses_per_second.toFixed(1)}/s`)},
  {key: 'share', label: 'Share', number: true, title: 'Part of the ticks of moving components that needed a new course', text: (row) => percent(row.share)},
  {key: 'new_courses', label: 'Since start', number: true, text: (row) => count(row.new_courses)},
];
