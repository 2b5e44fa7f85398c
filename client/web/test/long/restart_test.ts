import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "../../src/node.js";
import { DemoServer, hasPrograms, until } from "../support/demo_server.js";

const options = { skip: hasPrograms ? false : "PROGRAMS names no programs", timeout: 120_000 };

test("Live.ARestartedServerIsJoinedWithANewToken", options, async (t) => {
  const own = new DemoServer();
  t.after(() => own.remove());
  await own.start();
  const client = connect({ url: own.url("ws"), token: await own.token(), newToken: () => own.token() });
  t.after(() => client.close());
  await until("it plays", () => client.statistics.verifiedTicks > 30);
  // Killed: a server that ends in good order sends a disconnect reason.
  await own.kill();
  await own.start();
  await until("it has joined anew", () => client.connection.mirrors === 2 && client.state === "playing");
  const { verifiedTicks } = client.statistics;
  await until("it verifies", () => client.statistics.verifiedTicks > verifiedTicks + 30);
  assert.equal(client.statistics.mismatchedTicks, 0);
});
