import assert from "node:assert/strict";
import { test } from "node:test";
import { u32 } from "../../src/core/bytes.js";
import { CommandLog } from "../../src/connection/command_log.js";
import { DeltaProgress } from "../../src/connection/delta_progress.js";
import { InputWriter } from "../../src/connection/input_writer.js";
import { readDeltaHeader } from "../../src/wire/delta_header.js";

const tickLength = 50; // ms

/** An input writer that is called each eighth of a tick. */
class Writing {
  readonly commands = new CommandLog();
  readonly progress = new DeltaProgress();
  private readonly inputs = new InputWriter();
  private now = 1000;

  /** Returns the inputs of some ticks. */
  run(ticks: number): Uint8Array[] {
    const all = Array.from({ length: 8 * ticks }, () => {
      this.now += tickLength / 8;
      return this.inputs.next(this.commands, this.progress, tickLength, this.now);
    });
    return all.filter((input) => input !== null);
  }
}

test("InputWriter.WritesOneInputPerTickWithoutNews", () => {
  assert.equal(new Writing().run(20).length, 20);
});

test("InputWriter.RepeatsACommandFourTimesPerTick", () => {
  const writing = new Writing();
  writing.commands.add(Uint8Array.of(7), 3, 2, 0);
  const inputs = writing.run(20);
  assert.equal(inputs.length, 80);
  assert.ok(inputs.every((input) => input[9] === 1 && input.at(-1) === 7));
});

test("InputWriter.AcknowledgesADeltaBeforeTheTickIsOver", () => {
  const writing = new Writing();
  writing.run(1);
  assert.equal(writing.run(1).length, 1);
  writing.progress.onReceived(readDeltaHeader(Uint8Array.of(2, 5, 0, 9, 0, 0, 0), writing.progress.known()));
  const inputs = writing.run(1);
  assert.equal(inputs.length, 1);
  assert.deepEqual([u32(inputs[0]!, 0), u32(inputs[0]!, 4)], [3, 5]);
  assert.equal(writing.progress.ack, 3);
});
