// The virtual stick of touch screens.
import type { Controls } from "./controls.js";

export function attachStick(stick: HTMLElement, knob: HTMLElement, controls: Controls): void {
  let finger: number | null = null;
  const set = (right: number, up: number): void => {
    controls.setStick(right, up);
    knob.style.transform = `translate(${right * 36}px, ${-up * 36}px)`;
  };
  const follow = (event: PointerEvent): void => {
    if (event.pointerId !== finger) return;
    const { left, top, width, height } = stick.getBoundingClientRect();
    const right = (2 * (event.clientX - left)) / width - 1;
    const up = 1 - (2 * (event.clientY - top)) / height;
    const length = Math.max(1, Math.hypot(right, up));
    set(right / length, up / length);
  };
  const release = (event: PointerEvent): void => {
    if (event.pointerId !== finger) return;
    finger = null;
    set(0, 0);
  };
  stick.addEventListener("pointerdown", (event) => {
    finger = event.pointerId;
    stick.setPointerCapture(event.pointerId);
    follow(event);
  });
  stick.addEventListener("pointermove", follow);
  stick.addEventListener("pointerup", release);
  stick.addEventListener("pointercancel", release);
}
