import assert from "node:assert/strict";
import { type TestContext, mock, test } from "node:test";
import type { Admission } from "../../src/session/admission.js";
import { ServerReturn } from "../../src/session/server_return.js";

const admission = { token: "", url: "ws://server" };

interface Start {
  readonly serverReturn: ServerReturn;
  /** Times of the questions, in ms. */
  readonly asked: number[];
  readonly given: Admission[];
  isBack: boolean;
  /** Lets time pass. */
  pass(ms: number): Promise<void>;
}

function start(t: TestContext): Start {
  mock.timers.enable({ apis: ["setTimeout"] });
  t.after(() => mock.timers.reset());
  let now = 0;
  const admit = async (): Promise<Admission> => {
    all.asked.push(now);
    if (!all.isBack) throw new Error("there is no server");
    return admission;
  };
  const all: Start = {
    serverReturn: new ServerReturn(admit, (each) => void all.given.push(each)),
    asked: [],
    given: [],
    isBack: false,
    async pass(ms) {
      for (const end = now + ms; now < end;) {
        now += 100;
        mock.timers.tick(100);
        for (let i = 0; i < 4; ++i) await null;
      }
    },
  };
  return all;
}

const intervals = (times: number[]): number[] => times.map((time, i) => time - (times[i - 1] ?? 0));

test("ServerReturn.AsksMoreAndMoreSeldomUpToALimit", async (t) => {
  const { serverReturn, asked, pass } = start(t);
  serverReturn.start();
  await pass(200_000);
  const all = intervals(asked);
  assert.equal(all[0], 1000);
  assert.ok(all.every((each, i) => i === 0 || each >= all[i - 1]!), all.join());
  assert.equal(all.at(-1), 15_000);
});

test("ServerReturn.GivesOneAdmissionOfAServerThatIsBack", async (t) => {
  const all = start(t);
  all.serverReturn.start();
  await all.pass(5000);
  all.isBack = true;
  await all.pass(60_000);
  assert.deepEqual(all.given, [admission]);
});

test("ServerReturn.KeepsItsIntervalUntilItIsReset", async (t) => {
  const { serverReturn, asked, pass } = start(t);
  serverReturn.start();
  await pass(1000);
  serverReturn.start();
  await pass(2200);
  assert.equal(asked.length, 1);
  serverReturn.reset();
  serverReturn.start();
  await pass(1000);
  assert.equal(asked.length, 2);
});

test("ServerReturn.AStopDropsAQuestionThatIsUnderWay", async (t) => {
  const all = start(t);
  all.isBack = true;
  all.serverReturn.start();
  mock.timers.tick(1000);
  assert.equal(all.asked.length, 1);
  all.serverReturn.stop();
  await all.pass(60_000);
  assert.deepEqual(all.given, []);
});
