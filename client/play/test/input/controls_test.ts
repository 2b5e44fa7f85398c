// Controls with a view, a window and pointers that the test provides.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Actions, Controls } from "../../src/input/controls.js";

class FakeView extends EventTarget {
  focus(): void {}
  setPointerCapture(): void {}
}

interface Start {
  readonly controls: Controls;
  readonly done: string[];
  send(kind: "down" | "move" | "up", x: number, more?: { pointerType?: string; button?: number }): void;
}

function start(t: TestContext): Start {
  const globals = { addEventListener: () => {}, document: new EventTarget() };
  const former = Object.fromEntries(Object.keys(globals).map((name) => [name, (globalThis as Record<string, unknown>)[name]]));
  Object.assign(globalThis, globals);
  t.after(() => void Object.assign(globalThis, former));
  const done: string[] = [];
  const view = new FakeView();
  const names = ["throw", "tag", "turn", "zoom", "toggle"] as const;
  const actions = Object.fromEntries(names.map((name) => [name, () => void done.push(name)])) as unknown as Actions;
  const controls = new Controls(view as unknown as HTMLElement, actions);
  const send: Start["send"] = (kind, x, more = {}) =>
    void view.dispatchEvent(
      Object.assign(new Event(`pointer${kind}`), { pointerId: 1, clientX: x, clientY: 50, pointerType: "mouse", button: 0, ...more }),
    );
  return { controls, done, send };
}

test("Controls.AHeldMouseWalksToThePointerUntilItIsReleased", (t) => {
  const { controls, done, send } = start(t);
  send("down", 100);
  assert.equal(controls.walkPoint(), null);
  controls.update(0.016, 1000);
  assert.equal(controls.walkPoint(), null);
  controls.update(0.016, 1300);
  assert.deepEqual(controls.walkPoint(), { x: 100, y: 50 });
  send("move", 180);
  assert.deepEqual(controls.walkPoint(), { x: 180, y: 50 });
  send("up", 180);
  assert.equal(controls.walkPoint(), null);
  assert.deepEqual(done, [], "it neither turns nor throws");
});

test("Controls.AClickThrowsAndTheRightButtonTags", (t) => {
  const { controls, done, send } = start(t);
  for (const button of [0, 2]) {
    send("down", 100, { button });
    for (const now of [1000, 1100]) controls.update(0.016, now);
    send("up", 100, { button });
  }
  assert.deepEqual(done, ["throw", "tag"]);
});

test("Controls.ADragTurnsAndNeverWalks", (t) => {
  const { controls, done, send } = start(t);
  send("down", 100);
  send("move", 130);
  for (const now of [1000, 2000]) controls.update(0.016, now);
  send("move", 140);
  assert.equal(controls.walkPoint(), null);
  send("up", 140);
  assert.deepEqual(done, ["turn", "turn"]);
});

test("Controls.NeitherAFingerNorTheRightButtonWalks", (t) => {
  for (const more of [{ pointerType: "touch" }, { button: 2 }]) {
    const { controls, send } = start(t);
    send("down", 100, more);
    for (const now of [1000, 2000]) controls.update(0.016, now);
    assert.equal(controls.walkPoint(), null);
  }
});
