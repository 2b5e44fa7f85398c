// Generated from demo_commands.fbs: do not edit.
import * as mobula from "@mobula/client/messages";

export type Body =
  | { readonly kind: "Move"; readonly value: Move }
  | { readonly kind: "WalkTo"; readonly value: WalkTo }
  | { readonly kind: "Throw"; readonly value: Throw }
  | { readonly kind: "Tag"; readonly value: Tag }
  | { readonly kind: "Chat"; readonly value: Chat };

export interface Chat {
  readonly text: string;
}
export const Chat: mobula.Message<Chat, "text"> = /* @__PURE__ */ mobula.variant("Chat", () => Command, "body", "Chat", () => ({
  text: mobula.required(mobula.text(0)),
}));

export interface Command {
  readonly body: Body;
}
export const Command: mobula.Message<Command, "body"> = /* @__PURE__ */ mobula.table("Command", () => ({
  body: mobula.required(mobula.union(1, () => ({ Move: [1, Move], WalkTo: [2, WalkTo], Throw: [3, Throw], Tag: [4, Tag], Chat: [5, Chat] }))),
}));

/** Moves the avatar in this direction on the ground until the next command. Its length is at most 1; 0 stops. */
export interface Move {
  readonly x: number;
  readonly z: number;
}
export const Move: mobula.Message<Move> = /* @__PURE__ */ mobula.variant("Move", () => Command, "body", "Move", () => ({
  x: mobula.scalar(0, mobula.float32, 0),
  z: mobula.scalar(1, mobula.float32, 0),
}));

/** Tags the first avatar in this direction, as the player saw it. Its length is more than 0 and at most 1. */
export interface Tag {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}
export const Tag: mobula.Message<Tag> = /* @__PURE__ */ mobula.variant("Tag", () => Command, "body", "Tag", () => ({
  x: mobula.scalar(0, mobula.float32, 0),
  y: mobula.scalar(1, mobula.float32, 0),
  z: mobula.scalar(2, mobula.float32, 0),
}));

/** Throws a stone in this direction. Its length is more than 0 and at most 1. Ignored while the avatar rests. */
export interface Throw {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}
export const Throw: mobula.Message<Throw> = /* @__PURE__ */ mobula.variant("Throw", () => Command, "body", "Throw", () => ({
  x: mobula.scalar(0, mobula.float32, 0),
  y: mobula.scalar(1, mobula.float32, 0),
  z: mobula.scalar(2, mobula.float32, 0),
}));

/**
 * Moves the avatar straight to this place on the ground, along what is in the way. It stops there, or where it is
 * blocked.
 */
export interface WalkTo {
  readonly x: number;
  readonly z: number;
}
export const WalkTo: mobula.Message<WalkTo> = /* @__PURE__ */ mobula.variant("WalkTo", () => Command, "body", "WalkTo", () => ({
  x: mobula.scalar(0, mobula.float32, 0),
  z: mobula.scalar(1, mobula.float32, 0),
}));
