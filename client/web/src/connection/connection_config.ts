import type { SchemaIdentity } from "./component.js";
import type { LevelStore } from "./level_store.js";

export interface ConnectionConfig {
  readonly token: Uint8Array;
  readonly name?: string;
  /** The schema that the program was made for: its .bfbs, or the identity in generated types. Others are refused. */
  readonly schema?: Uint8Array | SchemaIdentity;
  /** Asks the server for hashes, and verifies the mirror. Default: true. */
  readonly verify?: boolean;
  readonly spectate?: boolean;
  /** Asks the server for Connection.follow, if the player goes to another zone. Without it the server ends the session. */
  readonly follows?: boolean;
  /** The server welcomes the client once its player has arrived from another zone. */
  readonly awaitsPlayer?: boolean;
  /** The pipe leads to one server. The token's further addresses are not tried. */
  readonly hasOneServer?: boolean;
  readonly levels?: LevelStore;
  /** Time in ms that an update spends on loading a level. Default: 8. */
  readonly loadBudget?: number;
  /** Measures that time. Without it a level is loaded at once. */
  readonly clock?: () => number;
  /** For replays, which send no datagrams. Acknowledgements of bodies that were never sent are accepted. */
  readonly isReplay?: boolean;
}
