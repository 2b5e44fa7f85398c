// Rules: the part of a game that clients predict. The server runs the same step in each tick, before its game's tick.
//
// Both sides get the same words if the step depends on its arguments alone. It has no state of its own and no clock. Its
// random numbers are those of the PredictedWorld. Floats are singles: the result of each operation goes through
// Math.fround, as that of C++ does.
import type { Random } from "../core/random.js";
import type { Schema } from "../reflect/schema.js";
import type { LevelStatic } from "../resource/level_file.js";
import type { StepBytes } from "./step_bytes.js";

/** A player's command in the tick in which it runs. */
export interface Command {
  /** Number of the player, the same on both sides. */
  readonly player: number;
  /** The player's entity. */
  readonly entity: bigint;
  /** 1, 2, … within the client's connection. */
  readonly number: number;
  /** As given to Client.send(). */
  readonly bytes: Uint8Array;
}

/**
 * A component in a step, by the names of its fields: row.position.x. Numbers are numbers, an enum is the name of its value,
 * an entity its handle, integers of 64 bits are bigint. A struct may be set from an object. An array has length, at(i) and
 * set(i, value).
 */
// Fields of a component are known at run time alone.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Row = any;

/** Fields of components by their names, for spawn(). Those that are not given have their default. */
export type Components = Readonly<Record<string, object>>;

/** Called with the rows of the components that an iteration names. */
export type Visit = (entity: bigint, ...rows: Row[]) => void;

/**
 * The world as a step sees it. The server gives its step the same functions, over all entities of its world. A client steps the
 * entities that it predicts, and reads the others from its mirror, as far as it has them. So a step uses tryGet and tryWrite
 * for entities that a component names.
 *
 * Components are named: default instances alone are predicted. Predicted components of stepped entities are written, and
 * those in Rules.reads are read only. Another component is an error that names it.
 *
 * Iterations ascend by the handles' indices, so that sums of floats have the same bits on both sides. They visit the
 * entities that exist when they begin and still have the components when their turn comes.
 */
export interface PredictedWorld {
  /** The tick that the step computes. */
  readonly tick: number;
  readonly ticksPerSecond: number;
  /** Length of a tick, as a single. */
  readonly secondsPerTick: number;
  /** The components as bytes, for steps that are compiled. */
  readonly bytes: StepBytes;

  /** Returns whether the entity is stepped on this side. */
  steps(entity: bigint): boolean;
  /** Returns a component that is there. Throws if tryGet() does not find it. */
  get(entity: bigint, component: string): Row;
  /** Returns a component of an entity to be read; null without one. That of an entity that is not stepped is read only. */
  tryGet(entity: bigint, component: string): Row | null;
  /** Returns a predicted component of a stepped entity to be written; null without one, and for other entities. */
  tryWrite(entity: bigint, component: string): Row | null;
  /** Calls for each stepped entity that has all of these components, ascending by index. */
  each(components: readonly string[], visit: Visit): void;
  /** Calls for each entity, stepped or not, that has all of these components, ascending by index. They are read alone. */
  eachVisible(components: readonly string[], visit: Visit): void;

  /** Returns static data of the level, which the server has too; null if there is none of the id. */
  findStatic(id: bigint): LevelStatic | null;
  /** Returns the static data of a type; null if there is none. */
  findStaticOf(type: string): LevelStatic | null;

  /**
   * Returns random numbers that depend on the world's seed, the tick and the entity alone. So they do not depend on the
   * order of calls, and a replayed tick has the same. An entity that a step has spawned has its SpawnKey as the key. Valid
   * until the step ends.
   */
  random(entity: bigint): Random;
  /** The same with a key of the game. */
  randomByKey(key: bigint | number): Random;

  /**
   * Spawns an entity for a command, with these components and a SpawnKey. The command's player owns it. The client finds the
   * entity that the server spawns for the same command. Returns 0n if there are too many.
   */
  spawn(command: Command, components: Components): bigint;
  /** Destroys a stepped entity. Does nothing for others. */
  destroy(entity: bigint): void;
  /** Emits an effect. A name and key belong to one effect: a key is a tick, a handle, or both. */
  effect(name: string, key: bigint | number, payload?: Uint8Array): void;
}

/** Rules that server and clients run. */
export interface Rules {
  /** Throws a Refusal if the rules do not fit a schema. Called before the first step in each mirror. */
  check?(schema: Schema): void;
  /** Names of the components without predicted fields that the step reads. */
  readonly reads: readonly string[];
  /** Advances the predicted components by one tick. Commands ascend by player and number. */
  step(world: PredictedWorld, tick: number, commands: readonly Command[]): void;
}
