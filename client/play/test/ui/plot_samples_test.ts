// The plot's samples: by time, not by frames.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PlotSamples, sampleTime, samples } from "../../src/ui/plot_samples.js";

const begin = 100_000;
/** Returns how many samples ago rollbacks were noted, the newest first. */
function agesOf(plot: PlotSamples): number[] {
  const places = Array.from({ length: samples }, (_, i) => samples - 1 - i);
  return places.filter((place) => plot.at(place).rollbacks > 0).map((place) => samples - 1 - place);
}

test("PlotSamples.AMarkMovesByTimeAtAnyFrameRate", () => {
  for (const frame of [10, 16, 50, 400, 2000]) {
    const plot = new PlotSamples();
    plot.note(begin, 40, 3, 1);
    for (let now = begin + frame; now <= begin + 6000; now += frame) plot.note(now, 40, 0, 0);
    const last = begin + Math.floor(6000 / frame) * frame;
    assert.deepEqual(agesOf(plot), [Math.floor(last / sampleTime) - begin / sampleTime], `${frame} ms per frame`);
  }
});

test("PlotSamples.AMarkLeavesAfterTwelveSeconds", () => {
  const plot = new PlotSamples();
  plot.note(begin, 40, 3, 1);
  plot.note(begin + samples * sampleTime - 1, 40, 0, 0);
  assert.deepEqual(agesOf(plot), [samples - 1]);
  plot.note(begin + samples * sampleTime, 40, 0, 0);
  assert.deepEqual(agesOf(plot), []);
});

test("PlotSamples.ASampleOfManyFramesHasTheirSumAndGreatest", () => {
  const plot = new PlotSamples();
  for (const [correction, rollbacks] of [[2, 1], [7, 0], [3, 2]] as const) plot.note(begin, 40, correction, rollbacks);
  assert.deepEqual(plot.at(samples - 1), { rtt: 40, correction: 7, rollbacks: 3 });
});

test("PlotSamples.SamplesWithoutAFrameKeepTheRoundTrip", () => {
  const plot = new PlotSamples();
  plot.note(begin, 40, 5, 0);
  plot.note(begin + 4 * sampleTime, 90, 0, 0);
  assert.deepEqual([4, 3, 2, 1, 0].map((age) => plot.at(samples - 1 - age).rtt), [40, 40, 40, 40, 90]);
});
