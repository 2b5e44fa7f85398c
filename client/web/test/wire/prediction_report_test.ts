import assert from "node:assert/strict";
import { test } from "node:test";
import { FlatTable } from "../../src/core/flat_table.js";
import { encodePredictionReport } from "../../src/wire/prediction_report.js";
import { readText } from "../support/repository.js";

test("PredictionReport.HasItsFieldsInTheOrderOfTheSchema", () => {
  const schema = readText("schema/wire.fbs");
  const union = /union Body \{([^}]*)\}/.exec(schema)![1]!.match(/\w+/g)!;
  const names = [.../table PredictionReport \{([^}]*)\}/.exec(schema)![1]!.matchAll(/(\w+):u\w+;/g)].map(
    ([, name]) => name!,
  );
  const report = {
    ticks: 1,
    ticksReplayed: 2,
    rollbacks: 3,
    lateMispredictions: 4,
    remoteMispredictions: 5,
    stalls: 6,
    corrections: 7,
    correctionsMm: 8,
    greatestCorrectionMm: 9,
    inputDelay: 10,
    levelMispredictions: 11,
  };
  const root = FlatTable.root(encodePredictionReport(report));
  assert.equal(root.u8(0), union.indexOf("PredictionReport") + 1);
  const table = root.table(1)!;
  names.forEach((name, field) => {
    const key = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()) as keyof typeof report;
    assert.equal(key === "inputDelay" ? table.u16(field) : table.u32(field), report[key], name);
  });
  assert.equal(names.length, 11);
});
