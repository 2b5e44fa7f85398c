// Messages between a page and the worker in which its client runs.
import type { ConnectOptions, ClientState } from "../connection/client.js";
import type { Component } from "../connection/component.js";
import type { ReceivedEvent } from "../connection/event_queue.js";
import type { FailedCommand } from "../connection/failed_commands.js";
import type { Access, Token } from "../connection/moved_server.js";
import type { Statistics } from "../connection/statistics.js";
import type { Entity } from "../core/entity.js";
import type { End } from "../core/refusal.js";
import type { Values } from "../mirror/values.js";
import type { Field } from "../reflect/schema.js";

/** Options that can be sent to a worker. Levels are an option of the worker. */
export type WorkerOptions = Omit<ConnectOptions, "levels" | "newToken" | "worldToken" | "timer" | "now">;

export type ToWorker =
  | {
      readonly kind: "connect";
      readonly options: WorkerOptions;
      readonly givesTokens: boolean;
      readonly givesWorldTokens: boolean;
    }
  | { readonly kind: "watch"; readonly component: string | Component<unknown> }
  | { readonly kind: "send"; readonly command: Uint8Array }
  | { readonly kind: "token"; readonly token: Token | Access | null }
  | { readonly kind: "close" };

/** A field of a component, as far as values are read from it. */
export interface SentLayout {
  readonly field: Field;
  readonly width: number;
  readonly size: number;
}

/** Values of all entities that have a component. */
export interface SentPool {
  readonly component: string;
  readonly tick: number;
  readonly indices: Uint32Array;
  readonly generations: Uint32Array;
  /** By place: the tick of the value. */
  readonly ticks: Uint32Array;
  /** By place: the tick of the value before it. Values of ticks between two messages are not sent. */
  readonly formerTicks: Uint32Array;
  /** By place: a number that differs between two values if no motion leads from one to the other. */
  readonly motions: Uint32Array;
  readonly columns: readonly { readonly layout: SentLayout; readonly values: Values }[];
}

export const changeKinds = ["spawn", "change", "despawn"] as const;
export type ChangeKind = (typeof changeKinds)[number];

export interface SentChange {
  readonly kind: ChangeKind;
  readonly component: string;
  readonly entity: Entity;
}

/** Changes that an update of the client has made. */
export interface SentUpdate {
  readonly kind: "update";
  readonly state: ClientState;
  readonly end: End | null;
  /** When the update was made, in ms since the epoch, and the ticks at that moment. */
  readonly at: number;
  readonly tick: number;
  readonly viewTick: number;
  readonly serverTick: number;
  readonly ticksPerSecond: number;
  /** Number of mirrors that the client has had: values of a former one do not count. Each zone has one. */
  readonly mirrors: number;
  readonly player: Entity;
  readonly statistics: Statistics;
  readonly pools: readonly SentPool[];
  readonly changes: readonly SentChange[];
  readonly events: readonly ReceivedEvent[];
  readonly failed: readonly FailedCommand[];
}

/** Asks for a token, of another world if that is named. */
export interface TokenQuestion {
  readonly kind: "newToken";
  readonly world: string | null;
}

export type ToPage = SentUpdate | TokenQuestion;

/** One side of a channel: a Worker, the global scope of one, or a MessagePort. */
export interface Port<Sent> {
  postMessage(message: Sent, transfer: Transferable[]): void;
  onmessage: ((event: MessageEvent) => unknown) | null;
  /** Called if the script of a worker cannot be loaded, and for its errors. */
  onerror?: ((event: ErrorEvent) => unknown) | null;
  /** Called for a message that cannot be read. */
  onmessageerror?: ((event: MessageEvent) => unknown) | null;
}

export const now = (): number => performance.timeOrigin + performance.now();
