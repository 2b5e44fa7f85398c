// Commands that had no effect, by feedback and by the server's refusals, in either order.
import assert from "node:assert/strict";
import { test } from "node:test";
import { CommandLog } from "../../src/connection/command_log.js";
import { FailedCommands } from "../../src/connection/failed_commands.js";
import { Refusal } from "../../src/core/refusal.js";

const bytes = (...values: number[]): Uint8Array => Uint8Array.of(...values);

/** A log of three commands, of the bytes 1, 2 and 3. */
function threeCommands() {
  const commands = new CommandLog();
  for (const number of [1, 2, 3]) commands.add(bytes(number), 100 + number, 95, 0);
  return { commands, failed: new FailedCommands() };
}

/** Feedback for all commands up to `done`; the late by which each ran, newest first: 0 if it had no effect. */
const feedback = (done: number, ...outcomes: number[]) => ({ done, held: 0, margin: 0, outcomes });

test("FailedCommands.ACommandThatRanIsNone", () => {
  const { commands, failed } = threeCommands();
  commands.onFeedback(feedback(3, -1, 4, -1));
  assert.deepEqual(failed.take(commands), []);
});

test("FailedCommands.ADroppedCommandIsTooLate", () => {
  const { commands, failed } = threeCommands();
  commands.onFeedback(feedback(3, -1, 0, -1));
  assert.deepEqual(failed.take(commands), [{ command: bytes(2), reason: "too late" }]);
  assert.deepEqual(failed.take(commands), []);
});

test("FailedCommands.ARefusedCommandHasTheReasonOfTheServerOnce", () => {
  const { commands, failed } = threeCommands();
  failed.onRefused(3, "bad text: empty", commands);
  assert.deepEqual(failed.take(commands), []);
  commands.onFeedback(feedback(3, 0, -1, -1));
  assert.deepEqual(failed.take(commands), [{ command: bytes(3), reason: "bad text: empty" }]);
  failed.onRefused(3, "bad text: empty", commands);
  assert.deepEqual(failed.take(commands), []);
});

test("FailedCommands.RefusalsOfCommandsThatAreNotGivenAreNotKept", () => {
  const { commands, failed } = threeCommands();
  for (let number = 4; number < 1000; ++number) failed.onRefused(number, "x", commands);
  for (let i = 4; i <= 10; ++i) commands.add(bytes(i), 110, 95, 0);
  commands.onFeedback(feedback(10, 0, ...Array(9).fill(-1)));
  assert.deepEqual(failed.take(commands), [{ command: bytes(10), reason: "too late" }]);
});

test("FailedCommands.ACommandThatCouldNotBeSentHasTheClientsReason", () => {
  const { commands, failed } = threeCommands();
  failed.onUnsent(bytes(9), new Refusal("too many commands", "64 commands wait for the server"));
  assert.deepEqual(failed.take(commands), [
    { command: bytes(9), reason: "too many commands: 64 commands wait for the server" },
  ]);
});
