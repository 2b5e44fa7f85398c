// The message in the middle: what the page waits for, and why a session has ended.
import { element, setText } from "./elements.js";

export class Notice {
  private readonly box = element("notice");
  private readonly title = element("notice-title");
  private readonly text = element("notice-text");
  private readonly detail = element("notice-detail");
  private readonly button = element("notice-button");
  private onButton: (() => void) | null = null;

  constructor() {
    this.button.addEventListener("click", () => {
      const act = this.onButton;
      this.hide();
      act?.();
    });
  }

  /** Shows a message that the page removes by itself. */
  wait(title: string, text: string): void {
    this.onButton = null;
    this.put(title, text, "");
    this.button.hidden = true;
  }

  /** Shows a message with a button, which has the focus. */
  ask(title: string, text: string, detail: string, button: string, act: () => void): void {
    this.onButton = act;
    this.put(title, text, detail);
    setText(this.button, button);
    this.button.hidden = false;
    this.button.focus();
  }

  private put(title: string, text: string, detail: string): void {
    setText(this.title, title);
    setText(this.text, text);
    setText(this.detail, detail);
    this.detail.hidden = detail === "";
    this.box.hidden = false;
  }

  /** Returns whether a message with a button is shown. */
  get hasButton(): boolean {
    return this.onButton !== null;
  }

  hide(): void {
    if (this.box.hidden) return;
    this.onButton = null;
    this.box.hidden = true;
  }
}
