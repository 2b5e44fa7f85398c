// Short messages that vanish by themselves, and the flash of a hit.
import { element, make } from "./elements.js";

const shownTime = 2200; // ms
const toastsMax = 4;

export class Toasts {
  private readonly list = element("toasts");
  private readonly flashBox = element("flash");

  show(text: string, kind: "" | "good" | "bad" = ""): void {
    const toast = make("p", `toast ${kind}`, text);
    this.list.append(toast);
    while (this.list.childElementCount > toastsMax) this.list.firstElementChild!.remove();
    setTimeout(() => toast.remove(), shownTime);
  }

  flash(): void {
    this.flashBox.classList.remove("on");
    void this.flashBox.offsetWidth; // begins the animation anew
    this.flashBox.classList.add("on");
  }
}
