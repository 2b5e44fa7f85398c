// Components by name, or as mobula-schema-gen --typescript describes them.
import { equalBytes, fromHex } from "../core/bytes.js";
import { refuse } from "../core/refusal.js";
import { type Schema, loadSchema } from "../reflect/schema.js";
import type { MessageOf } from "../wire/messages.js";

/** Identifies a schema that a program was made for. */
export interface SchemaIdentity {
  readonly name: string;
  /** BLAKE2b-256 of its binary form, as hex digits. */
  readonly fingerprint: string;
}

/** A component whose values have the type `T`. */
export interface Component<T> {
  /** "Type/instance". */
  readonly key: string;
  readonly schema: SchemaIdentity;
  /** For the compiler alone. */
  readonly value?: T;
}

/** Returns a component that entities have under another instance name than that of its type. */
export function named<T>({ key, schema }: Component<T>, instance: string): Component<T> {
  return { key: `${key.slice(0, key.indexOf("/"))}/${instance}`, schema };
}

/** Returns the name of a component: "Body" for the default instance, which is "Body/Body". */
export function nameOf(component: string | Component<unknown>): string {
  return typeof component === "string" ? component : component.key.replace(/^(.+)\/\1$/, "$1");
}

/** The schema that the program was made for, if any: a server with another one is refused. */
export class ExpectedSchema {
  /** The schema itself, if the program has given it. */
  readonly known: Schema | null;
  private identity: SchemaIdentity | null;
  private server: Uint8Array | null = null; // fingerprint of the server's

  constructor(given: Uint8Array | SchemaIdentity | undefined) {
    this.known = given instanceof Uint8Array ? loadSchema(given) : null;
    this.identity = given === undefined || given instanceof Uint8Array ? null : given;
  }

  /** Expects a schema from now on. Throws a Refusal with the reason "other schema" if the server has another one. */
  expect(identity: SchemaIdentity): void {
    if (identity === this.identity) return;
    this.identity = identity;
    if (this.server !== null) this.check(this.server);
  }

  /**
   * Returns the server's schema: the one that it sent, or one that the client named. Throws a Refusal with the reason
   * "other schema" if another one is expected.
   */
  ofServer({ fingerprint, schema: bytes }: MessageOf<"welcome">, named: readonly Schema[]): Schema {
    this.check(fingerprint);
    this.server = fingerprint;
    const known = this.known === null ? named : [this.known, ...named];
    const schema = bytes !== null ? loadSchema(bytes) : known.find((each) => equalBytes(each.fingerprint, fingerprint));
    if (schema === undefined || !equalBytes(schema.fingerprint, fingerprint))
      refuse("other schema", "the schema that the server sent has another fingerprint than announced");
    return schema;
  }

  private check(fingerprint: Uint8Array): void {
    const { identity, known } = this;
    const isOther =
      (known !== null && !equalBytes(known.fingerprint, fingerprint)) ||
      (identity !== null && !equalBytes(fromHex(identity.fingerprint), fingerprint));
    if (isOther)
      refuse(
        "other schema",
        `the server has another schema than this client: ${identity?.name ?? "that of its .bfbs"}`,
      );
  }
}
