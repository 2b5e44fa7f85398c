// Generated from kitchen.fbs: do not edit.
import type * as mobula from "@mobula/client";

export const schema: mobula.SchemaIdentity = {
  name: "kitchen",
  fingerprint: "489c706634e2533ff261b7503a01d2d005fdd4dc3b3a7794b4591bd9e87692a7",
};

export const Only = {
  zero: 0,
} as const;
export type Only = keyof typeof Only;

export const Small = {
  minus: -5,
  zero: 0,
  plus: 7,
  most: 127,
} as const;
export type Small = keyof typeof Small;

export const Wide = {
  huge: 18446744073709551615n,
  zero: 0n,
  one: 1n,
} as const;
export type Wide = keyof typeof Wide;

export interface Flags {
  readonly seen: number;
  readonly own: number;
  readonly guessed: number;
  readonly fresh: number;
}
export const Flags: mobula.Component<Flags> = { key: "Flags/Flags", schema };

export interface Inner {
  readonly weight: number;
  readonly flag: boolean;
  readonly angle: number;
}

export interface Cuts {
  readonly count: number;
}
export const Cuts: mobula.Component<Cuts> = { key: "Cuts/Cuts", schema };

export interface Quat {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly w: number;
}

export interface SpawnKey {
  readonly tick: number;
  readonly player: number;
  readonly command: number;
  readonly ordinal: number;
}
export const SpawnKey: mobula.Component<SpawnKey> = { key: "SpawnKey/SpawnKey", schema };

export interface Vec3 {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

export interface Nested {
  readonly one: Inner;
  readonly as_is: Inner;
  readonly several: readonly Inner[];
  readonly texts_count: number;
  readonly several_count: number;
  readonly colors: readonly Small[];
}
export const Nested: mobula.Component<Nested> = { key: "Nested/Nested", schema };

export interface Plain {
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
  readonly a_quaternion: Quat;
  readonly an_entity: mobula.Entity;
  readonly a_text: string;
  readonly a_name: number;
  readonly shorts: readonly number[];
  readonly entities: readonly mobula.Entity[];
}
export const Plain: mobula.Component<Plain> = { key: "Plain/Plain", schema };

export interface Ranged {
  readonly an_int8: number;
  readonly a_uint8: number;
  readonly an_int16: number;
  readonly a_uint16: number;
  readonly an_int32: number;
  readonly a_uint32: number;
  readonly an_int64: bigint;
  readonly a_uint64: bigint;
  readonly fine: number;
  readonly odd: number;
  readonly by_bits: number;
  readonly a_double: number;
  readonly small: Small;
  readonly wide: Wide;
  readonly only: Only;
  readonly coarse: Quat;
  readonly rotation: Quat;
  readonly exact: Quat;
}
export const Ranged: mobula.Component<Ranged> = { key: "Ranged/Ranged", schema };

export interface Parent {
  readonly entity: mobula.Entity;
}
export const Parent: mobula.Component<Parent> = { key: "Parent/Parent", schema };

export interface Transform {
  readonly position: Vec3;
  readonly rotation: Quat;
}
export const Transform: mobula.Component<Transform> = { key: "Transform/Transform", schema };
