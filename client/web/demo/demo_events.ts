// Generated from demo_events.fbs: do not edit.
import * as mobula from "@mobula/client/messages";

export interface Handle {
  readonly index: number;
  readonly generation: number;
}
export const Handle: mobula.InlineType<Handle> = /* @__PURE__ */ mobula.struct(8, 4, () => ({
  index: [0, mobula.uint32],
  generation: [4, mobula.uint32],
}));

export interface Place {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}
export const Place: mobula.InlineType<Place> = /* @__PURE__ */ mobula.struct(12, 4, () => ({
  x: [0, mobula.float32],
  y: [4, mobula.float32],
  z: [8, mobula.float32],
}));

export type Body =
  | { readonly kind: "PickupTaken"; readonly value: PickupTaken }
  | { readonly kind: "StoneThrown"; readonly value: StoneThrown }
  | { readonly kind: "StoneHit"; readonly value: StoneHit }
  | { readonly kind: "Tagged"; readonly value: Tagged }
  | { readonly kind: "ChatMessage"; readonly value: ChatMessage };

export interface ChatMessage {
  readonly by: Handle;
  readonly name: string;
  readonly text: string;
}
export const ChatMessage: mobula.Message<ChatMessage, "by" | "name" | "text"> = /* @__PURE__ */ mobula.variant("ChatMessage", () => Event, "body", "ChatMessage", () => ({
  by: mobula.required(mobula.optional(0, Handle)),
  name: mobula.required(mobula.text(1)),
  text: mobula.required(mobula.text(2)),
}));

export interface Event {
  readonly body: Body;
}
export const Event: mobula.Message<Event, "body"> = /* @__PURE__ */ mobula.table("Event", () => ({
  body: mobula.required(mobula.union(1, () => ({ PickupTaken: [1, PickupTaken], StoneThrown: [2, StoneThrown], StoneHit: [3, StoneHit], Tagged: [4, Tagged], ChatMessage: [5, ChatMessage] }))),
}));

/** Sent to all players that saw the pickup: an avatar has it now. */
export interface PickupTaken {
  readonly by: Handle;
  readonly kind: number;
  readonly amount: number;
}
export const PickupTaken: mobula.Message<PickupTaken, "by"> = /* @__PURE__ */ mobula.variant("PickupTaken", () => Event, "body", "PickupTaken", () => ({
  by: mobula.required(mobula.optional(0, Handle)),
  kind: mobula.scalar(1, mobula.uint8, 0),
  amount: mobula.scalar(2, mobula.uint16, 0),
}));

/** Sent to all players that see the stone: it has hit the ground or an obstacle. */
export interface StoneHit {
  readonly stone: Handle;
  readonly at: Place;
}
export const StoneHit: mobula.Message<StoneHit, "stone" | "at"> = /* @__PURE__ */ mobula.variant("StoneHit", () => Event, "body", "StoneHit", () => ({
  stone: mobula.required(mobula.optional(0, Handle)),
  at: mobula.required(mobula.optional(1, Place)),
}));

/** Sent to all players that see the avatar: it has thrown a stone. */
export interface StoneThrown {
  readonly by: Handle;
}
export const StoneThrown: mobula.Message<StoneThrown, "by"> = /* @__PURE__ */ mobula.variant("StoneThrown", () => Event, "body", "StoneThrown", () => ({
  by: mobula.required(mobula.optional(0, Handle)),
}));

/** Sent to all players that see the tagged avatar. */
export interface Tagged {
  readonly by: Handle;
  readonly avatar: Handle;
}
export const Tagged: mobula.Message<Tagged, "by" | "avatar"> = /* @__PURE__ */ mobula.variant("Tagged", () => Event, "body", "Tagged", () => ({
  by: mobula.required(mobula.optional(0, Handle)),
  avatar: mobula.required(mobula.optional(1, Handle)),
}));
