import assert from "node:assert/strict";
import { test } from "node:test";
import { encode } from "@mobula/client/messages";
import { Chat, Move, Tag, Throw } from "../../../web/demo/demo_commands.js";
import { failureText } from "../../src/session/failed.js";

test("FailureText.NamesWhatHadNoEffectAndWhy", () => {
  const aim = { x: 1, y: 0, z: 0 };
  assert.equal(
    failureText({ command: encode(Chat, { text: "hello" }), reason: "too late" }),
    "“hello” was not sent: it reached the server too late",
  );
  assert.equal(failureText({ command: encode(Throw, aim), reason: "why" }), "Your throw did not count: why");
  assert.equal(failureText({ command: encode(Tag, aim), reason: "why" }), "Your tag did not count: why");
});

test("FailureText.IsNotShownForADirection", () => {
  assert.equal(failureText({ command: encode(Move, { x: 1, z: 0 }), reason: "too late" }), null);
});
