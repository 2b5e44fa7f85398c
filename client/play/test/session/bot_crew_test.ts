// The crew of bots with elements, a server and a worker that the test provides.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { BotCrew } from "../../src/session/bot_crew.js";
import type { BotReport } from "../../src/session/bots.js";

class FakeElement extends EventTarget {
  disabled = false;
  hidden = false;
  textContent = "";
}

class FakeWorker {
  static newest: FakeWorker | null = null;
  onmessage = (_event: { data: BotReport }): void => {};
  readonly orders: (string | { readonly tokens: readonly string[] })[] = [];

  constructor() {
    FakeWorker.newest = this;
  }

  postMessage(order: string | { readonly tokens: readonly string[] }): void {
    this.orders.push(order);
  }
}

interface Start {
  readonly controls: Record<"add" | "dismiss" | "state", FakeElement>;
  readonly failures: string[];
  press(which: "add" | "dismiss"): Promise<void>;
}

function start(t: TestContext, status: number): Start {
  FakeWorker.newest = null;
  const answer = async (): Promise<Response> => Response.json({ tokens: ["token"], ws: "ws://server" }, { status });
  const globals = { Worker: FakeWorker, location: { protocol: "http:" }, fetch: answer };
  const former = Object.fromEntries(Object.keys(globals).map((name) => [name, (globalThis as Record<string, unknown>)[name]]));
  Object.assign(globalThis, globals);
  t.after(() => void Object.assign(globalThis, former));
  const controls = { add: new FakeElement(), dismiss: new FakeElement(), state: new FakeElement() };
  const failures: string[] = [];
  new BotCrew(controls as unknown as ConstructorParameters<typeof BotCrew>[0], (why) => failures.push(why));
  const press = async (which: "add" | "dismiss"): Promise<void> => {
    controls[which].dispatchEvent(new Event("click"));
    await new Promise((resolve) => setTimeout(resolve));
  };
  return { controls, failures, press };
}

test("BotCrew.SendsEightTokensAndShowsHowManyBotsPlay", async (t) => {
  const { controls, press } = start(t, 200);
  await press("add");
  const worker = FakeWorker.newest!;
  assert.deepEqual(worker.orders, [{ url: "ws://server", tokens: Array(8).fill("token") }]);
  worker.onmessage({ data: { playing: 5, wanted: 8, ended: 0 } });
  assert.equal(controls.state.textContent, "5 of 8 play");
  assert.ok(!controls.dismiss.hidden);
  await press("dismiss");
  assert.equal(worker.orders.at(-1), "leave");
  assert.ok(controls.dismiss.hidden);
});

test("BotCrew.AddsNoMoreThan24BotsUntilOneEnds", async (t) => {
  const { controls, press } = start(t, 200);
  for (let crews = 0; crews < 3; ++crews) await press("add");
  assert.ok(controls.add.disabled);
  FakeWorker.newest!.onmessage({ data: { playing: 16, wanted: 16, ended: 8 } });
  assert.ok(!controls.add.disabled);
});

test("BotCrew.ARefusedTokenIsReportedAndStartsNoWorker", async (t) => {
  const { controls, failures, press } = start(t, 403);
  await press("add");
  assert.deepEqual(failures, ["This server gives no tokens to this page. Its operator decides who may play."]);
  assert.equal(FakeWorker.newest, null);
  assert.ok(!controls.add.disabled && controls.dismiss.hidden);
});
