// A certificate of this machine that no authority has signed, as docs/operations.md shows it.
import { execFileSync } from "node:child_process";
import { X509Certificate, createHash } from "node:crypto";
import { readFileSync } from "node:fs";

export interface Certificate {
  readonly file: string;
  readonly key: string;
  /** Hash of its public key, by which Chromium accepts it: --ignore-certificate-errors-spki-list. */
  readonly fingerprint: string;
}

/** Makes the files for a name of this machine. Throws without openssl. */
export function makeCertificate(file: string, key: string): Certificate {
  const names = "subjectAltName=DNS:localhost,IP:127.0.0.1";
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const options = ["req", "-x509", ...curve, "-days", "1", "-subj", "/CN=localhost", "-addext", names];
  execFileSync("openssl", [...options, "-keyout", key, "-out", file], { stdio: "ignore" });
  const spki = new X509Certificate(readFileSync(file)).publicKey.export({ type: "spki", format: "der" });
  return { file, key, fingerprint: createHash("sha256").update(spki).digest("base64") };
}
