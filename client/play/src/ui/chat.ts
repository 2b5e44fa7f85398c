// Chat: lines of all players, and the line that is typed.
import { element, make } from "./elements.js";

const linesMax = 6;
const shownTime = 25_000; // ms
const bytesMax = 120; // the server accepts no more
const encoder = new TextEncoder();

/** Returns a text as the server accepts it: without control characters, cut to its size. Empty if nothing is left. */
export function chatText(text: string): string {
  const points = [...text.replace(/[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu, " ").trim()];
  while (encoder.encode(points.join("")).length > bytesMax) points.pop();
  return points.join("").trim();
}

export class Chat {
  private readonly log = element("chat-log");
  private readonly form = element<HTMLFormElement>("chat-form");
  private readonly input = element<HTMLInputElement>("chat-text");

  constructor(
    private readonly onText: (text: string) => void,
    private readonly onClosed: () => void,
  ) {
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = chatText(this.input.value);
      if (text !== "") this.onText(text);
      this.close();
    });
  }

  get isOpen(): boolean {
    return !this.form.hidden;
  }

  open(): void {
    this.form.hidden = false;
    this.input.focus();
  }

  close(): void {
    if (!this.isOpen) return;
    this.form.hidden = true;
    this.input.value = "";
    this.onClosed();
  }

  add(name: string, text: string): void {
    const line = make("li");
    line.append(make("span", "who", name), document.createTextNode(text));
    this.log.append(line);
    setTimeout(() => line.remove(), shownTime);
    while (this.log.childElementCount > linesMax) this.log.firstElementChild!.remove();
  }
}
