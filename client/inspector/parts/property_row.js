// One property of a component, editable if allowed. While a field has the focus or an edit, updates do not change it or
// its selection; the new value is shown beside it. Enter writes, Escape drops the edit.
import {h, newId, setAttribute, setText} from '../core/dom.js';
import {course_text} from './courses.js';
import {form_of, is_list} from './property_forms.js';

export class PropertyRow {
  #property;
  #write;
  #sending = false;

  // write(path, JSON text) resolves to the current value, or throws the server's error.
  constructor(property, write) {
    this.#property = property;
    this.#write = write;
    this.control = this.#make_control();
    this.message = h('p', {class: 'message', id: newId('message'), role: 'status'});
    this.save = h('button', {type: 'button', class: 'primary', hidden: true, onclick: () => this.#commit()}, 'Write');
    this.course = h('p', {class: 'course'});
    const name = h('label', {for: this.control.id}, property.path);
    this.element = h('div', {class: 'property'}, name,
      h('div', {class: 'value'}, this.control, this.save), h('span', {class: 'type', title: property.type}, property.type), this.course, this.message);
    setAttribute(this.control, 'aria-describedby', this.message.id);
    this.#show_course();
    this.#show(property.value);
  }

  update(property) {
    this.#property = property;
    this.#show_course();
    if (this.#sending) return;
    if (this.#is_edited() || this.#is_in_use()) this.#show_newer();
    else this.#show_news();
  }

  #show_news() {
    if (this.#shown() !== this.#form_text(this.#property.value)) this.#show(this.#property.value);
  }

  // The value that clients compute, beside the true one.
  #show_course() {
    const {course} = this.#property;
    setText(this.course, course ? course_text(course) : '');
    setAttribute(this.course, 'title', course ? `Clients differ from the true value by at most ${course.tolerance}, and half a step.` : null);
  }

  #make_control() {
    const {kind, values, read_only, path} = this.#property;
    const id = newId('property');
    if (read_only) return h('output', {id, class: 'mono'});
    const edits = {id, oninput: () => this.#edited(), onkeydown: (event) => this.#key(event), onblur: () => this.#left()};
    // Arrow keys change the choice repeatedly, so it is written by the button or Enter, as text is.
    if (values && !is_list(this.#property)) return h('select', edits, values.map((each) => h('option', {value: each}, each)));
    if (kind === 'boolean' && !is_list(this.#property)) return h('input', {id, type: 'checkbox', onchange: () => this.#commit()});
    return h('input', {...edits, type: 'text', class: 'mono', autocomplete: 'off', spellcheck: 'false', 'data-path': path});
  }

  #form_text(value) {
    if (this.control.type === 'checkbox') return String(value);
    if (this.control.tagName === 'SELECT') return String(value);
    return form_of(this.#property).write(value);
  }

  #shown() {
    if (this.control.type === 'checkbox') return String(this.control.checked);
    return this.control.value;
  }

  #show(value) {
    const text = this.#form_text(value);
    this.base = text;
    if (this.control.type === 'checkbox') this.control.checked = value === true;
    else this.control.value = text;
    if (this.control.tagName === 'SELECT' && this.control.value !== text) this.#add_choice(text);
    this.#show_message('');
    this.save.hidden = true;
  }

  // A number without a name in the enum.
  #add_choice(text) {
    this.control.append(h('option', {value: text}, text));
    this.control.value = text;
  }

  #is_edited() {
    return !this.#property.read_only && this.#shown() !== this.base;
  }

  // A click changes a checkbox, so it has no intermediate state.
  #is_in_use() {
    return this.control === document.activeElement && this.control.type !== 'checkbox';
  }

  #edited() {
    this.save.hidden = !this.#is_edited();
    this.#show_message('');
    this.#show_newer();
  }

  #left() {
    if (!this.#sending && !this.#is_edited()) this.#show_news();
  }

  #show_newer() {
    if (this.control.getAttribute('aria-invalid') === 'true') return;
    const now = this.#form_text(this.#property.value);
    const words = [this.#is_edited() && 'Enter writes, Esc drops', now !== this.base && `it is ${now} now`].filter(Boolean);
    if (words.length > 0 || !this.message.classList.contains('good')) this.#show_message(words.join('; '));
  }

  #key(event) {
    if (event.key === 'Enter') {
      event.preventDefault();
      this.#commit();
    } else if (event.key === 'Escape' && this.#is_edited()) {
      event.preventDefault();
      this.#show(this.#property.value);
    }
  }

  #typed() {
    if (this.control.type === 'checkbox') return String(this.control.checked);
    if (this.control.tagName === 'SELECT') return JSON.stringify(this.control.value);
    return form_of(this.#property).read(this.control.value);
  }

  async #commit() {
    if (this.#sending || !this.#is_edited()) return;
    this.#sending = true;
    this.element.setAttribute('aria-busy', 'true');
    try {
      const value = await this.#write(this.#property.path, this.#typed());
      this.#property.value = value;  // the newest frame may have arrived during the write, without it
      this.#show(value);
      this.#show_message('written', 'good');
    } catch (error) {
      this.#refuse(error.message);
    }
    this.#sending = false;
    this.element.removeAttribute('aria-busy');
  }

  // A choice is reset to the current value. Text stays, so that it can be corrected.
  #refuse(message) {
    if (this.control.type !== 'text') this.#show(this.#property.value);
    this.#show_message(message, 'bad');
  }

  #show_message(text, kind = '') {
    setText(this.message, text);
    this.message.className = `message ${kind}`;
    setAttribute(this.control, 'aria-invalid', kind === 'bad' ? 'true' : null);
  }
}
