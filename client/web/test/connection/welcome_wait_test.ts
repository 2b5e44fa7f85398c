import assert from "node:assert/strict";
import { test } from "node:test";
import { WelcomeWait } from "../../src/connection/welcome_wait.js";

/** Counts of a session, and a wait that is checked each 100 ms. */
class Waiting {
  bodies = 0;
  contentBytes = 0;
  hello = true; // whether the server has it
  private now = 1000;
  private readonly wait = new WelcomeWait(this.now);

  isDelivered(): boolean {
    return this.hello;
  }

  /** Returns why waiting is over within `seconds`; null if it goes on. */
  run(seconds: number, each: () => void = () => {}, step = 100): string | null {
    for (const end = this.now + seconds * 1000; this.now < end; ) {
      each();
      const over = this.wait.check(this, (this.now += step));
      if (over !== null) return over;
    }
    return null;
  }
}

test("WelcomeWait.WaitsAMinuteForABusyServer", () => {
  const waiting = new Waiting();
  const keepAlive = (): void => void ++waiting.bodies;
  assert.equal(waiting.run(59, keepAlive), null);
  assert.match(waiting.run(2, keepAlive)!, /it is overloaded; try again later/);
});

test("WelcomeWait.EndsAfter20SecondsIfHelloIsNotAcknowledged", () => {
  const waiting = new Waiting();
  waiting.hello = false;
  const keepAlive = (): void => void ++waiting.bodies;
  assert.equal(waiting.run(19, keepAlive), null);
  assert.match(waiting.run(2, keepAlive)!, /large datagrams do not arrive/);
});

test("WelcomeWait.EndsAfter8SecondsOfSilence", () => {
  const waiting = new Waiting();
  assert.equal(waiting.run(7), null);
  assert.match(waiting.run(2)!, /no Welcome arrives/);
});

test("WelcomeWait.WaitsAsLongAsPartsArrive", () => {
  const waiting = new Waiting();
  assert.equal(waiting.run(120, () => void ((waiting.contentBytes += 50), ++waiting.bodies)), null);
});

test("WelcomeWait.DoesNotTakeItsOwnPausesForAWait", () => {
  const waiting = new Waiting();
  assert.equal(waiting.run(60, () => {}, 5000), null); // each counts half a second
  assert.notEqual(waiting.run(3), null);
});
