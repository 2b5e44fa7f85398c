// Rules in a module of WebAssembly: the step of the game in C++, compiled by mobula_rules(). A step copies the world's
// components into the module's memory, runs, and copies back what it has done. A step that fails has changed nothing.
import { u32 } from "../core/bytes.js";
import { Refusal, refuse } from "../core/refusal.js";
import type { Command, PredictedWorld, Rules } from "../prediction/rules.js";
import type { StepBytes, VisitBytes } from "../prediction/step_bytes.js";
import type { Schema } from "../reflect/schema.js";
import type { LevelStatic } from "../resource/level_file.js";
import { ModuleInstance, type StepReceiver } from "./module_instance.js";
import { checkColumns } from "./module_layout.js";

/** A predicted world, as far as a module uses it. */
export type ModuleWorld = Pick<PredictedWorld, "ticksPerSecond" | "bytes" | "spawn" | "destroy" | "effect">;

export interface ModuleOptions {
  /** A step that takes longer counts as slow, in ms. 4 by default. */
  readonly slowStepMs?: number;
}

export interface ModuleStatistics {
  readonly steps: number;
  /** Steps that took longer than ModuleOptions.slowStepMs. */
  readonly slowSteps: number;
  readonly longestStepMs: number;
  /** Steps that have thrown. */
  readonly failures: number;
}

const keyName = "SpawnKey"; // random numbers are drawn by it

const low = (entity: bigint): number => Number(BigInt.asUintN(32, entity));
const high = (entity: bigint): number => Number(BigInt.asUintN(32, entity >> 32n));
const join = (high: number, low: number): bigint => (BigInt(high) << 32n) | BigInt(low);

class Statistics implements ModuleStatistics {
  steps = 0;
  slowSteps = 0;
  longestStepMs = 0;
  failures = 0;
}

export class RulesModule implements Rules, StepReceiver {
  readonly reads: readonly string[];
  readonly statistics: ModuleStatistics;
  private readonly counts = new Statistics();
  private instance: ModuleInstance | null;
  private checked: Schema | null = null;
  private statics: readonly LevelStatic[] | null = null; // those that the instance has
  private visibleOf: StepBytes | null = null; // the world and the version
  private visibleVersion = -1; // version that the instance has
  private world: ModuleWorld | null = null;
  private commands: readonly Command[] = [];
  private column = 0; // number of the column that is being copied

  constructor(
    private readonly module: WebAssembly.Module,
    private readonly options: ModuleOptions,
  ) {
    this.statistics = this.counts;
    this.instance = new ModuleInstance(module, this);
    this.reads = this.instance.reads;
  }

  /** Throws a Refusal with the reason "other schema" if the module was compiled for another schema. */
  check(schema: Schema): void {
    if (schema === this.checked) return;
    checkColumns(this.open().columns, schema);
    this.checked = schema;
  }

  /** Runs a step. Throws a Refusal with the reason "rules failed" if it traps, or fails a check. */
  step(world: ModuleWorld, tick: number, commands: readonly Command[]): void {
    this.check(world.bytes.schema);
    this.world = world;
    this.commands = commands;
    const begin = performance.now();
    try {
      this.fill(this.open(), world, tick);
      this.instance!.exports.step();
    } catch (error) {
      ++this.counts.failures;
      this.instance = null; // its stack is not where it was
      throw error instanceof WebAssembly.RuntimeError || error instanceof RangeError
        ? new Refusal("rules failed", `the rules' module trapped in tick ${tick}: ${error.message}`)
        : error;
    } finally {
      this.world = null;
      this.count(performance.now() - begin);
    }
  }

  private count(ms: number): void {
    ++this.counts.steps;
    if (ms > (this.options.slowStepMs ?? 4)) ++this.counts.slowSteps;
    this.counts.longestStepMs = Math.max(this.counts.longestStepMs, ms);
  }

  private open(): ModuleInstance {
    if (this.instance !== null) return this.instance;
    this.statics = null;
    this.visibleVersion = -1;
    return (this.instance = new ModuleInstance(this.module, this));
  }

  // Before a step ---------------------------------------------------------------------------------------------------

  private fill(instance: ModuleInstance, world: ModuleWorld, tick: number): void {
    const { exports } = instance;
    const { bytes } = world;
    if (bytes.statics !== this.statics) this.fillLevel(instance, bytes.statics);
    if (bytes !== this.visibleOf || bytes.visibleVersion !== this.visibleVersion) this.fillVisible(instance, bytes);
    const next = bytes.nextSpawned;
    const { seedLow, seedHigh, spawnedEnd } = bytes;
    exports.begin(tick, world.ticksPerSecond, seedLow, seedHigh, low(next), high(next), spawnedEnd);
    bytes.eachStepped(exports.add_entity);
    for (const { number, name, predicted } of instance.columns) {
      this.column = number;
      if (predicted || name === keyName || this.reads.includes(name)) bytes.eachSteppedRow(name, this.addRow);
    }
    for (const { player, entity, number, bytes: given } of this.commands) {
      const at = exports.add_command(player, low(entity), high(entity), number, given.length);
      instance.bytes.set(given, at);
    }
  }

  private fillLevel(instance: ModuleInstance, statics: readonly LevelStatic[]): void {
    this.statics = null;
    instance.exports.begin_level();
    for (const { id, type, data } of statics) {
      const at = instance.exports.add_static(low(id), high(id), type, data.length);
      instance.bytes.set(data, at);
    }
    instance.exports.end_level();
    this.visibleVersion = -1;
    this.statics = statics;
  }

  /** Fills the entities that are not stepped. They stay for the steps in which they do not change. */
  private fillVisible(instance: ModuleInstance, bytes: StepBytes): void {
    this.visibleVersion = -1;
    instance.exports.begin_visible();
    for (const { number, name, predicted } of instance.columns) {
      this.column = number;
      if (predicted || this.reads.includes(name)) bytes.eachVisibleRow(name, this.addRow);
    }
    instance.exports.end_visible();
    this.visibleVersion = bytes.visibleVersion;
    this.visibleOf = bytes;
  }

  private readonly addRow: VisitBytes = (index, generation, bytes, at) => {
    const instance = this.instance!;
    const to = instance.exports.add_row(this.column, index, generation);
    const { size } = instance.columns[this.column]!;
    const memory = instance.bytes;
    for (let i = 0; i < size; ++i) memory[to + i] = bytes[at + i]!; // rows are too small for subarray()
  };

  // After a step ----------------------------------------------------------------------------------------------------

  spawned(index: number, generation: number, player: number, number: number, columns: Uint8Array): void {
    const command = this.commands.find((each) => each.player === player && each.number === number);
    if (command === undefined) refuse("rules failed", `the step spawns for command ${number}, which it was not given`);
    const components: Record<string, object> = {};
    for (let at = 0; at < columns.length; at += 4)
      components[this.instance!.columns[u32(columns, at)]?.name ?? refuse("rules failed", "no such column")] = {};
    if (this.world!.spawn(command, components) !== join(generation, index))
      refuse("rules failed", "the world spawns another entity than the step");
  }

  written(column: number, index: number, generation: number, row: Uint8Array): void {
    this.world!.bytes.writeRow(join(generation, index), this.instance!.columns[column]!.name, row, 0);
  }

  destroyed(index: number, generation: number): void {
    this.world!.destroy(join(generation, index));
  }

  effect(name: number, keyLow: number, keyHigh: number, payload: Uint8Array): void {
    const text = this.instance!.effectNames.get(name);
    if (text === undefined) refuse("rules failed", `the step emits effect ${name}, which it does not list`);
    this.world!.effect(text, join(keyHigh, keyLow), payload);
  }
}

/**
 * Loads rules from a module that mobula_rules() has made. Throws a Refusal: "module not compiled", "not a rules module",
 * "other module version". A page needs `'wasm-unsafe-eval'` among the script sources of its content security policy.
 */
export async function loadRules(bytes: BufferSource, options: ModuleOptions = {}): Promise<RulesModule> {
  let module: WebAssembly.Module;
  try {
    module = await WebAssembly.compile(bytes);
  } catch (error) {
    refuse("module not compiled", (error as Error).message);
  }
  return new RulesModule(module, options);
}
