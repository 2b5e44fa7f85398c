// Words about ends: each reason of the protocol has its own.
import assert from "node:assert/strict";
import { test } from "node:test";
import { endReasons } from "../../../web/src/core/refusal.js";
import { wordsOf } from "../../src/session/ends.js";

test("Ends.EachReasonHasWordsOfItsOwn", () => {
  const titles = endReasons
    .filter((reason) => reason !== "none")
    .map((reason) => wordsOf({ reason, text: "" }).title);
  assert.ok(!titles.includes("The session has ended"));
  assert.equal(new Set(titles).size, titles.length);
});

test("Ends.AnotherSchemaIsAnotherGame", () => {
  const { title } = wordsOf({ reason: "protocol error", text: "other schema: the server has another schema" });
  assert.equal(title, "The server runs another game");
});
