import assert from "node:assert/strict";
import { test } from "node:test";
import { checkNames } from "../../src/prediction/prediction_config.js";
import { SetOf } from "../support/set_of.js";

const { set } = new SetOf();

test("PredictionConfig.NamesOfPredictedComponentsAreAccepted", () => {
  checkNames({}, set);
  checkNames({ smoothing: [{}, { component: "Body" }], position: { component: "Body" } }, set);
  checkNames({ position: { field: "x" } }, set);
});

test("PredictionConfig.OtherNamesAreRefused", () => {
  const refusal = (name: string) => ({ reason: "not predicted", message: new RegExp(`name ${name}`) });
  assert.throws(() => checkNames({ smoothing: [{}, { component: "Weather" }] }, set), refusal("Weather"));
  assert.throws(() => checkNames({ position: { component: "Bodi" } }, set), refusal("Bodi"));
  assert.throws(() => checkNames({ position: { component: "Surface" } }, set), refusal("Surface"));
});
