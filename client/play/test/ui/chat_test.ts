// Texts of the chat, cut to what the server accepts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chatText } from "../../src/ui/chat.js";

test("Chat.TextsAreCutToWhatTheServerAccepts", () => {
  assert.equal(chatText("  hello \n"), "hello");
  assert.equal(chatText("a\u0007b\u202ec"), "a b c");
  assert.equal(chatText(" \t\n "), "");
  const long = chatText("ü🙂".repeat(60));
  assert.equal(new TextEncoder().encode(long).length, 120);
  assert.ok(!long.includes("\ufffd"));
});
