import assert from "node:assert/strict";
import { test } from "node:test";
import type { Connection } from "../../src/connection/connection.js";
import { FlatTable } from "../../src/core/flat_table.js";
import { noPredictionStatistics } from "../../src/prediction/prediction_config.js";
import { PredictionReporter } from "../../src/prediction/prediction_reporter.js";

class Server {
  readonly reports: FlatTable[] = [];
  accepts = true;

  connection(): Connection {
    const sendReport = (message: Uint8Array): boolean => {
      if (this.accepts) this.reports.push(FlatTable.root(message).table(1)!);
      return this.accepts;
    };
    return { sendReport } as unknown as Connection;
  }
}

test("PredictionReporter.ReportsWhatIsNewOncePerSecond", () => {
  const server = new Server();
  const reporter = new PredictionReporter();
  const statistics = noPredictionStatistics();
  const update = (now: number): void => reporter.update(statistics, server.connection(), now);
  update(0);
  assert.equal(server.reports.length, 0, "there is nothing to report");
  statistics.ticks = 20;
  update(10);
  statistics.ticks = 30;
  update(500);
  assert.equal(server.reports.length, 1);
  update(1010);
  assert.deepEqual(
    server.reports.map((report) => report.u32(0)),
    [20, 10],
  );
  update(3000);
  assert.equal(server.reports.length, 2);
});

test("PredictionReporter.RepeatsWhatCouldNotBeSent", () => {
  const server = new Server();
  const reporter = new PredictionReporter();
  const statistics = noPredictionStatistics();
  server.accepts = false;
  statistics.mispredictions.late = 3;
  Object.assign(statistics.correctionMetres, { last: 0.25, most: 0.25, sum: 0.5 });
  statistics.corrections = 2;
  reporter.update(statistics, server.connection(), 0);
  server.accepts = true;
  statistics.mispredictions.remote = 2 ** 30;
  statistics.inputDelayTicks = 1.5;
  reporter.update(statistics, server.connection(), 10);
  const [report] = server.reports;
  assert.deepEqual(
    [3, 4, 6, 7, 8].map((field) => report!.u32(field)),
    [3, 2 ** 24, 2, 500, 250],
  );
  assert.equal(report!.u16(9), 24);
});
