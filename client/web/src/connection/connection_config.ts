import type { LevelStore } from "./level_store.js";

export interface ConnectionConfig {
  readonly token: Uint8Array;
  readonly name?: string;
  /** The .bfbs that the program was made for. A server with another one is refused. */
  readonly schema?: Uint8Array;
  /** Asks the server for hashes, and verifies the mirror. Default: true. */
  readonly verify?: boolean;
  readonly spectate?: boolean;
  readonly levels?: LevelStore;
  /** For replays, which send no datagrams. Acknowledgements of bodies that were never sent are accepted. */
  readonly isReplay?: boolean;
}
