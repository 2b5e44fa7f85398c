// Generated from components.fbs: do not edit.
import type * as mobula from "@mobula/client";

export const schema: mobula.SchemaIdentity = {
  name: "components",
  fingerprint: "5f1295ab9e153b0b808134692a1269deea3f1ae34e2180ead911f87bde1e449f",
};

export const PickupKind = {
  coin: 0,
  medkit: 1,
  key: 2,
} as const;
export type PickupKind = keyof typeof PickupKind;

export const TeamColor = {
  neutral: 0,
  red: 1,
  blue: 2,
  green: 3,
} as const;
export type TeamColor = keyof typeof TeamColor;

export interface Avatar {
  readonly player: number;
  readonly score: number;
  /** Avatars that its player has tagged. */
  readonly tags: number;
}
export const Avatar: mobula.Component<Avatar> = { key: "Avatar/Avatar", schema };

export interface Health {
  readonly current: number;
  readonly maximum: number;
}
export const Health: mobula.Component<Health> = { key: "Health/Health", schema };

export interface Inventory {
  readonly items: readonly number[];
  readonly item_count: number;
}
export const Inventory: mobula.Component<Inventory> = { key: "Inventory/Inventory", schema };

export interface Name {
  readonly text: string;
}
export const Name: mobula.Component<Name> = { key: "Name/Name", schema };

export interface Pickup {
  readonly kind: PickupKind;
  readonly amount: number;
  readonly respawn_seconds: number;
}
export const Pickup: mobula.Component<Pickup> = { key: "Pickup/Pickup", schema };

/** Appearance. Used under two names: "Body" is the solid object, "Fog" the fog around it. */
export interface RenderData {
  readonly mesh: number;
  /** 0xRRGGBB */
  readonly tint: number;
  readonly density: number;
  readonly visible: boolean;
}
export const RenderData: mobula.Component<RenderData> = { key: "RenderData/RenderData", schema };

export interface SpawnPoint {
  readonly team: TeamColor;
}
export const SpawnPoint: mobula.Component<SpawnPoint> = { key: "SpawnPoint/SpawnPoint", schema };

export interface Team {
  readonly color: TeamColor;
}
export const Team: mobula.Component<Team> = { key: "Team/Team", schema };

/** Intentions of an avatar, besides its Velocity. */
export interface Walker {
  /** Place that it walks to, relative to its parent if it has one. */
  readonly goal_x: number;
  readonly goal_z: number;
  readonly has_goal: boolean;
  /** Ticks until it can throw again. */
  readonly rest: number;
}
export const Walker: mobula.Component<Walker> = { key: "Walker/Walker", schema };

/** Counts the jumps of an entity, modulo 256. Clients do not show a motion between the values before and after one. */
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

/** On an entity that a player's command has spawned in a step of the rules. The player's client finds it by this key. */
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

/** On an avatar that has a Parent: the parent's place in the world, which the rules read. */
export interface Carrier {
  readonly position: Vec3;
  readonly rotation: Quat;
}
export const Carrier: mobula.Component<Carrier> = { key: "Carrier/Carrier", schema };

/**
 * Place of an avatar or a stone, exact for the client that predicts it. All others see its Transform, which the server
 * writes from it. Relative to the Parent, if there is one.
 */
export interface Pose {
  readonly position: Vec3;
  readonly rotation: Quat;
}
export const Pose: mobula.Component<Pose> = { key: "Pose/Pose", schema };

/** A thrown stone. */
export interface Stone {
  /** Ticks until it is removed. */
  readonly left: number;
  readonly has_hit: boolean;
  /** Avatar that has thrown it, and the number of the command. */
  readonly by: mobula.Entity;
  readonly command: number;
}
export const Stone: mobula.Component<Stone> = { key: "Stone/Stone", schema };

export interface Target {
  readonly entity: mobula.Entity;
}
export const Target: mobula.Component<Target> = { key: "Target/Target", schema };

/** Metres per second. */
export interface Velocity {
  readonly linear: Vec3;
}
export const Velocity: mobula.Component<Velocity> = { key: "Velocity/Velocity", schema };

/** A Transform is relative to its Parent, so that positions below different parents are never interpolated. */
export interface Parent {
  readonly entity: mobula.Entity;
}
export const Parent: mobula.Component<Parent> = { key: "Parent/Parent", schema };

/** Position in metres, +y up, and rotation. Relative to the Parent, if there is one. */
export interface Transform {
  readonly position: Vec3;
  readonly rotation: Quat;
}
export const Transform: mobula.Component<Transform> = { key: "Transform/Transform", schema };
