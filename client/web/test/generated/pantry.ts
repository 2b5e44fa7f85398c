// Generated from pantry.fbs: do not edit.
import * as mobula from "@mobula/client/messages";

export const Big = {
  most: 18446744073709551615n,
  zero: 0n,
} as const;
export type Big = keyof typeof Big;

/** Order of a shelf. */
export const Order = {
  lost: -3,
  first: 0,
  last: 700,
} as const;
export type Order = keyof typeof Order;

export interface Spot {
  readonly shelf: number;
  readonly depth: number;
  readonly order: Order;
}
export const Spot: mobula.InlineType<Spot> = /* @__PURE__ */ mobula.struct(24, 8, () => ({
  shelf: [0, mobula.uint8],
  depth: [8, mobula.float64],
  order: [16, mobula.enumOf(mobula.int16, Order)],
}));

/** Ends with *\/ on purpose. */
export interface Box {
  readonly spots: readonly Spot[];
  readonly sizes: readonly number[];
  readonly full: boolean;
}
export const Box: mobula.InlineType<Box> = /* @__PURE__ */ mobula.struct(56, 8, () => ({
  spots: [0, mobula.array(Spot, 2)],
  sizes: [48, mobula.array(mobula.uint16, 3)],
  full: [54, mobula.bool],
}));

export type Content =
  | { readonly kind: "Scalars"; readonly value: Scalars }
  | { readonly kind: "Lists"; readonly value: Lists }
  | { readonly kind: "Jar"; readonly value: Jar }
  | { readonly kind: "Again"; readonly value: Jar }
  | { readonly kind: "default"; readonly value: default_ };

export interface Jar {
  /** Text on its front. */
  readonly label: string;
  readonly grams: number;
  /**
   * Jars behind it,
   * the next one first.
   */
  readonly behind: readonly Jar[];
}
export const Jar: mobula.Message<Jar, "label"> = /* @__PURE__ */ mobula.table("Jar", () => ({
  label: mobula.required(mobula.text(0)),
  grams: mobula.scalar(1, mobula.uint16, 250),
  behind: mobula.tables(2, () => Jar),
}));

export interface Lists {
  readonly raw: Uint8Array;
  readonly bytes: readonly number[];
  readonly bools: readonly boolean[];
  readonly bigs: readonly bigint[];
  readonly orders: readonly Order[];
  readonly texts: readonly string[];
  readonly spots: readonly Spot[];
  readonly boxes: readonly Box[];
  readonly jar: Jar | null;
  readonly box: Box | null;
  readonly spot: Spot;
}
export const Lists: mobula.Message<Lists, "spot"> = /* @__PURE__ */ mobula.variant("Lists", () => Message, "content", "Lists", () => ({
  raw: mobula.bytes(0),
  bytes: mobula.list(1, mobula.int8),
  bools: mobula.list(2, mobula.bool),
  bigs: mobula.list(3, mobula.int64),
  orders: mobula.list(4, mobula.enumOf(mobula.int16, Order)),
  texts: mobula.texts(5),
  spots: mobula.list(6, Spot),
  boxes: mobula.list(7, Box),
  jar: mobula.child(8, () => Jar),
  box: mobula.optional(9, Box),
  spot: mobula.required(mobula.optional(10, Spot)),
}));

export interface Message {
  readonly number: number;
  readonly content: Content;
}
export const Message: mobula.Message<Message, "content"> = /* @__PURE__ */ mobula.table("Message", () => ({
  number: mobula.scalar(0, mobula.uint32, 0),
  content: mobula.required(mobula.union(2, () => ({ Scalars: [1, Scalars], Lists: [2, Lists], Jar: [3, Jar], Again: [4, Jar], default: [5, default_] }))),
}));

export interface Scalars {
  readonly a_bool: boolean;
  readonly an_int8: number;
  readonly a_uint8: number;
  readonly an_int16: number;
  readonly a_uint16: number;
  readonly an_int32: number;
  readonly a_uint32: number;
  readonly an_int64: bigint;
  readonly a_uint64: bigint;
  readonly a_float: number;
  readonly a_double: number;
  readonly order: Order;
  readonly big: Big;
  readonly maybe: number | null;
  readonly maybe_not: boolean | null;
}
export const Scalars: mobula.Message<Scalars> = /* @__PURE__ */ mobula.variant("Scalars", () => Message, "content", "Scalars", () => ({
  a_bool: mobula.scalar(0, mobula.bool, true),
  an_int8: mobula.scalar(1, mobula.int8, -7),
  a_uint8: mobula.scalar(2, mobula.uint8, 0),
  an_int16: mobula.scalar(3, mobula.int16, 0),
  a_uint16: mobula.scalar(4, mobula.uint16, 65535),
  an_int32: mobula.scalar(5, mobula.int32, -2147483648),
  a_uint32: mobula.scalar(6, mobula.uint32, 4294967295),
  an_int64: mobula.scalar(7, mobula.int64, -9223372036854775808n),
  a_uint64: mobula.scalar(8, mobula.uint64, 9223372036854775807n),
  a_float: mobula.scalar(9, mobula.float32, 0.5),
  a_double: mobula.scalar(10, mobula.float64, -0.1),
  order: mobula.scalar(11, mobula.enumOf(mobula.int16, Order), "last"),
  big: mobula.scalar(12, mobula.enumOf(mobula.uint64, Big), "zero"),
  maybe: mobula.optional(14, mobula.int32),
  maybe_not: mobula.optional(15, mobula.bool),
}));

export interface default_ {
  readonly class: number;
}
export const default_: mobula.Message<default_> = /* @__PURE__ */ mobula.variant("default", () => Message, "content", "default", () => ({
  class: mobula.scalar(0, mobula.int32, 0),
}));
