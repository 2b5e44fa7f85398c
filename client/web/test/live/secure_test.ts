// wss with the server's own certificate, in Node. A Node accepts it if it is started with NODE_EXTRA_CA_CERTS.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { toHex } from "../../src/core/bytes.js";
import { makeCertificate } from "../support/certificate.js";
import { DemoServer, hasPrograms } from "../support/demo_server.js";
import { root } from "../support/repository.js";

interface Report {
  readonly state: string;
  readonly verified: number;
  readonly mismatched: number;
}

const script = `
const { connect } = await import(process.argv[1]);
const token = Uint8Array.from(process.argv[3].match(/../g), (hex) => parseInt(hex, 16));
const client = connect({ url: process.argv[2], token });
const timer = setInterval(() => {
  const { verifiedTicks: verified, mismatchedTicks: mismatched } = client.statistics;
  if (verified < 60 && client.state === "connecting" && performance.now() < 20_000) return;
  if (verified < 60 && client.state === "playing") return;
  console.log(JSON.stringify({ state: client.state, verified, mismatched }));
  clearInterval(timer);
  client.close();
}, 50);
`;

async function play(url: string, token: Uint8Array, trusted: string): Promise<Report> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "-e", script, join(root, "build/web/src/node.js"), url, toHex(token)],
    { env: { ...process.env, NODE_EXTRA_CA_CERTS: trusted } },
  );
  return JSON.parse(stdout) as Report;
}

const options = { skip: hasPrograms ? false : "PROGRAMS names no programs", timeout: 120_000 };

test("Secure.MirrorsAWorldOverWss", options, async (t) => {
  const server = new DemoServer();
  t.after(() => server.remove());
  const { file, key } = makeCertificate(server.file("game.pem"), server.file("game.key"));
  await server.start({ more: ["--certificate", file, "--certificate-key", key] });
  const url = server.url("wss").replace("127.0.0.1", "localhost");
  const { state, verified, mismatched } = await play(url, await server.token(), file);
  assert.deepEqual({ state, mismatched }, { state: "playing", mismatched: 0 });
  assert.ok(verified >= 60);
  const refused = await play(url, await server.token(), "");
  assert.notEqual(refused.state, "playing", "a certificate that nobody trusts is refused");
  assert.equal(refused.verified, 0);
});
