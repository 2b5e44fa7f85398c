// Keyboard, mouse and touch, as wishes of the player: where to go, how to turn the view, what to do.

export interface Actions {
  /** Acts at a point of the screen, or straight ahead without one. */
  throw(at: Point | null): void;
  tag(at: Point | null): void;
  turn(yaw: number, pitch: number): void;
  zoom(factor: number): void;
  /** A key that opens or closes something: "chat", "panel", "help", "ghost", "close". */
  toggle(what: string): void;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

const walking: Readonly<Record<string, readonly [right: number, up: number]>> = {
  KeyW: [0, 1],
  ArrowUp: [0, 1],
  KeyS: [0, -1],
  ArrowDown: [0, -1],
  KeyA: [-1, 0],
  ArrowLeft: [-1, 0],
  KeyD: [1, 0],
  ArrowRight: [1, 0],
};
const turning: Readonly<Record<string, number>> = { KeyQ: 1, KeyE: -1 };
const zooming: Readonly<Record<string, number>> = { Equal: 0.9, NumpadAdd: 0.9, Minus: 1.11, NumpadSubtract: 1.11 };
const toggling: Readonly<Record<string, string>> = { Enter: "chat", KeyN: "panel", KeyH: "help", KeyG: "ghost", Escape: "close" };
const turnSpeed = 2; // radians per second
const dragged = 6; // pixels, from which a press is no click
const radiansPerPixel = 0.006;
const holdTime = 200; // ms after the first frame of a press of the mouse, from which it is no click but moves the avatar

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLInputElement && target.type !== "checkbox" && target.type !== "range";
/** A button or slider that has the focus uses these keys itself. */
const isOperated = (target: EventTarget | null, code: string): boolean =>
  (target instanceof HTMLButtonElement && (code === "Space" || code === "Enter")) ||
  (target instanceof HTMLInputElement && (code === "Space" || code.startsWith("Arrow")));

interface Pointer {
  readonly from: Point;
  last: Point;
  readonly button: number;
  readonly canWalk: boolean;
  isDrag: boolean;
  begun: number | null; // ms; when a frame has first seen it
  isHeld: boolean;
}

export class Controls {
  private readonly keys = new Set<string>();
  private readonly stick = { right: 0, up: 0 };
  private readonly pointers = new Map<number, Pointer>();

  constructor(
    private readonly view: HTMLElement,
    private readonly actions: Actions,
  ) {
    addEventListener("keydown", (event) => this.onKey(event));
    addEventListener("keyup", ({ code }) => void this.keys.delete(code));
    addEventListener("blur", () => this.release());
    document.addEventListener("visibilitychange", () => this.release());
    view.addEventListener("pointerdown", (event) => this.onDown(event));
    view.addEventListener("pointermove", (event) => this.onMove(event));
    view.addEventListener("pointerup", (event) => this.onUp(event));
    view.addEventListener("pointercancel", ({ pointerId }) => void this.pointers.delete(pointerId));
    view.addEventListener("contextmenu", (event) => event.preventDefault());
    view.addEventListener("wheel", ({ deltaY }) => actions.zoom(deltaY > 0 ? 1.08 : 0.926), { passive: true });
  }

  /** A page without the focus receives no releases of keys. */
  private release(): void {
    this.keys.clear();
    this.pointers.clear();
  }

  private onKey(event: KeyboardEvent): void {
    const { code, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping(target) && code !== "Escape") return;
    if (isOperated(target, code)) return;
    const toggled = toggling[code];
    if (toggled !== undefined) {
      event.preventDefault();
      if (!event.repeat) this.actions.toggle(toggled);
    } else if (code in walking || code in turning) {
      event.preventDefault();
      this.keys.add(code);
    } else if (code in zooming) this.actions.zoom(zooming[code]!);
    else if (code === "Space" || code === "KeyF") {
      event.preventDefault();
      if (!event.repeat) this.actions[code === "Space" ? "throw" : "tag"](null);
    }
  }

  private onDown(event: PointerEvent): void {
    this.view.focus({ preventScroll: true });
    this.view.setPointerCapture(event.pointerId);
    const at = { x: event.clientX, y: event.clientY };
    const canWalk = event.pointerType === "mouse" && event.button === 0;
    this.pointers.set(event.pointerId, { from: at, last: at, button: event.button, canWalk, isDrag: false, begun: null, isHeld: false });
  }

  private onMove(event: PointerEvent): void {
    const pointer = this.pointers.get(event.pointerId);
    if (pointer === undefined) return;
    const at = { x: event.clientX, y: event.clientY };
    pointer.isDrag ||= !pointer.isHeld && Math.hypot(at.x - pointer.from.x, at.y - pointer.from.y) > dragged;
    if (pointer.isDrag)
      this.actions.turn(-(at.x - pointer.last.x) * radiansPerPixel, (at.y - pointer.last.y) * radiansPerPixel);
    pointer.last = at;
  }

  private onUp(event: PointerEvent): void {
    const pointer = this.pointers.get(event.pointerId);
    this.pointers.delete(event.pointerId);
    if (pointer === undefined || pointer.isDrag || pointer.isHeld) return;
    this.actions[pointer.button === 2 ? "tag" : "throw"]({ x: event.clientX, y: event.clientY });
  }

  /** Sets the virtual stick: right and up, each -1 to 1. */
  setStick(right: number, up: number): void {
    Object.assign(this.stick, { right, up });
  }

  /** Turns the view by the keys that are held, and notes whether the mouse is. */
  update(seconds: number, now: number): void {
    for (const pointer of this.pointers.values()) {
      pointer.begun ??= now; // a slow machine sees a short click in one frame only
      pointer.isHeld ||= pointer.canWalk && !pointer.isDrag && now - pointer.begun >= holdTime;
    }
    let turn = 0;
    for (const key of this.keys) turn += turning[key] ?? 0;
    if (turn !== 0) this.actions.turn(turn * turnSpeed * seconds, 0);
  }

  /** Returns the point of the screen to which a held mouse moves the avatar; null without one. */
  walkPoint(): Point | null {
    for (const { isHeld, last } of this.pointers.values()) if (isHeld) return last;
    return null;
  }

  /** Returns the direction on the screen that the player wants to go in, at most of length 1. */
  walk(): { right: number; up: number } {
    let { right, up } = this.stick;
    for (const key of this.keys) {
      right += walking[key]?.[0] ?? 0;
      up += walking[key]?.[1] ?? 0;
    }
    const length = Math.hypot(right, up);
    return length > 1 ? { right: right / length, up: up / length } : { right, up };
  }
}
