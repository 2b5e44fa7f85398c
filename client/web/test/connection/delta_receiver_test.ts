// Deltas of headers alone, and a mirror whose answers the test chooses.
import assert from "node:assert/strict";
import { test } from "node:test";
import { putU16 } from "../../src/core/bytes.js";
import { Refusal, refuse } from "../../src/core/refusal.js";
import { CommandLog } from "../../src/connection/command_log.js";
import { DeltaProgress } from "../../src/connection/delta_progress.js";
import { DeltaReceiver } from "../../src/connection/delta_receiver.js";
import { ServerClock } from "../../src/connection/server_clock.js";
import { noStatistics } from "../../src/connection/statistics.js";
import type { Mirror } from "../../src/mirror/mirror.js";
import { type DeltaHeader, flag } from "../../src/wire/delta_header.js";

class Receiving {
  readonly statistics = noStatistics();
  readonly progress = new DeltaProgress();
  readonly commands = new CommandLog();
  readonly clock = new ServerClock(50);
  /** Sequences of the deltas that the mirror was given. */
  readonly applied: number[] = [];
  /** Reason for which the mirror refuses deltas. */
  refusal = "";
  hasRightHash = true;
  private readonly deltas = new DeltaReceiver(this.clock, this.commands, this.progress, this.statistics);
  private readonly mirror = {
    apply: ({ sequence }: DeltaHeader): void => {
      if (this.refusal !== "") refuse(this.refusal, "a delta is refused");
      this.applied.push(sequence);
    },
    verify: ({ flags }: DeltaHeader): boolean | null => ((flags & flag.hash) === 0 ? null : this.hasRightHash),
  } as unknown as Mirror;

  /** Receives a delta of the tick 10 * sequence. `rest` is what the header has by its flags. */
  receive(sequence: number, flags = 0, ack = 0, rest: readonly number[] = []): void {
    const bytes = new Uint8Array(7 + rest.length);
    bytes[0] = flags;
    putU16(bytes, 1, sequence);
    putU16(bytes, 3, 10 * sequence);
    putU16(bytes, 5, ack);
    bytes.set(rest, 7);
    this.deltas.receive(bytes, this.mirror, 500 * sequence);
  }
}

const hash = [1, 2, 3, 4, 5, 6, 7, 8];

test("DeltaReceiver.AppliesALateDeltaAndCountsIt", () => {
  const receiving = new Receiving();
  for (const sequence of [1, 3, 2]) receiving.receive(sequence);
  const { deltas, lateDeltas, ticks } = receiving.statistics;
  assert.deepEqual(receiving.applied, [1, 3, 2]);
  assert.deepEqual({ deltas, lateDeltas, ticks }, { deltas: 3, lateDeltas: 1, ticks: 2 });
  assert.equal(receiving.progress.newest, 3);
});

test("DeltaReceiver.AppliesADuplicateOnce", () => {
  const receiving = new Receiving();
  for (const sequence of [1, 2, 2, 1]) receiving.receive(sequence);
  assert.deepEqual(receiving.applied, [1, 2]);
  assert.equal(receiving.statistics.deltas, 2);
});

test("DeltaReceiver.GivesFeedbackToTheCommands", () => {
  const receiving = new Receiving();
  receiving.commands.add(Uint8Array.of(1), 5, 5, 0);
  assert.ok(receiving.commands.hasUnacknowledged());
  receiving.receive(1, flag.feedback, 0, [1, 0, 0, 0, 0, 0]);
  assert.ok(!receiving.commands.hasUnacknowledged());
  assert.equal(receiving.commands.firstWaiting(), 2);
});

test("DeltaReceiver.TreatsADeltaThatIsTooLateForTheMirrorAsLost", () => {
  const receiving = new Receiving();
  receiving.receive(1);
  receiving.refusal = "too late";
  receiving.receive(2);
  assert.deepEqual([receiving.progress.newest, receiving.statistics.deltas], [1, 1]);
});

test("DeltaReceiver.CountsShortNumbersBehindLongOnesAsLate", () => {
  const receiving = new Receiving();
  receiving.receive(3);
  receiving.progress.onReceived({ flags: flag.long, sequence: 5, tick: 50, ack: 0 } as DeltaHeader);
  receiving.receive(4);
  assert.deepEqual(receiving.applied, [3]);
  assert.equal(receiving.statistics.lateDeltas, 1);
});

test("DeltaReceiver.ThrowsTheRefusalOfADeltaWithoutHash", () => {
  const receiving = new Receiving();
  receiving.refusal = "malformed delta";
  assert.throws(() => receiving.receive(1), Refusal);
  assert.equal(receiving.statistics.unreadableDeltas, 0);
});

test("DeltaReceiver.SkipsAnUnreadableDeltaOfAVerifiedMirror", () => {
  const receiving = new Receiving();
  receiving.receive(1);
  receiving.refusal = "malformed delta";
  receiving.receive(2, flag.hash, 1, hash);
  assert.deepEqual([receiving.progress.newest, receiving.statistics.unreadableDeltas], [1, 1]);
});

test("DeltaReceiver.CountsVerifiedAndMismatchedTicks", () => {
  const receiving = new Receiving();
  receiving.receive(1, flag.hash, 1, hash);
  receiving.hasRightHash = false;
  receiving.receive(2, flag.hash, 2, hash);
  const { verifiedTicks, mismatchedTicks } = receiving.statistics;
  assert.deepEqual([verifiedTicks, mismatchedTicks], [1, 1]);
});
