// One instance of a module: its memory, its functions, and the description that it gives of itself when it begins.
import { textOf } from "../core/bytes.js";
import { refuse } from "../core/refusal.js";
import type { ModuleColumn } from "./module_layout.js";

export const moduleVersion = 1;

/** Functions of a module; shared/mobula/rules_module/module.cpp has them. Pointers are numbers of bytes. */
export interface ModuleExports {
  readonly memory: WebAssembly.Memory;
  initialize(): number;
  begin_level(): void;
  add_static(idLow: number, idHigh: number, type: number, size: number): number;
  end_level(): void;
  begin(
    tick: number,
    ticksPerSecond: number,
    seedLow: number,
    seedHigh: number,
    localIndex: number,
    localGeneration: number,
    localEnd: number,
  ): void;
  add_entity(index: number, generation: number): void;
  begin_visible(): void;
  end_visible(): void;
  add_row(column: number, index: number, generation: number): number;
  add_command(player: number, index: number, generation: number, number: number, size: number): number;
  step(): void;
}

const functionNames = [
  "initialize",
  "begin_level",
  "add_static",
  "end_level",
  "begin_visible",
  "end_visible",
  "begin",
  "add_entity",
  "add_row",
  "add_command",
  "step",
] as const satisfies readonly (keyof ModuleExports)[];

/** Receives the results of a step. `columns`, `row` and `payload` are bytes of its memory. */
export interface StepReceiver {
  spawned(index: number, generation: number, player: number, command: number, columns: Uint8Array): void;
  written(column: number, index: number, generation: number, row: Uint8Array): void;
  destroyed(index: number, generation: number): void;
  effect(name: number, keyLow: number, keyHigh: number, payload: Uint8Array): void;
}

export class ModuleInstance {
  readonly exports: ModuleExports;
  readonly columns: ModuleColumn[] = [];
  readonly reads: string[] = [];
  /** Names of effects by their hashes. */
  readonly effectNames = new Map<number, string>();
  private view = new Uint8Array(0);

  constructor(module: WebAssembly.Module, receiver: StepReceiver) {
    this.exports = instantiate(module, this.imports(receiver));
    const version = this.exports.initialize();
    if (version !== moduleVersion)
      refuse("other module version", `the rules' module has version ${version}; expected ${moduleVersion}`);
    this.columns.sort((a, b) => a.number - b.number);
  }

  /** The module's memory. Replaced when the module's memory grows, which each of its functions may do. */
  get bytes(): Uint8Array {
    const { buffer } = this.exports.memory;
    return this.view.buffer === buffer ? this.view : (this.view = new Uint8Array(buffer));
  }

  private at(pointer: number, size: number): Uint8Array {
    const [begin, end] = [pointer >>> 0, (pointer >>> 0) + (size >>> 0)];
    if (end > this.bytes.length) refuse("rules failed", "the rules' module reports bytes beyond its memory");
    return this.bytes.subarray(begin, end);
  }

  private text(pointer: number, size: number): string {
    return textOf(this.at(pointer, size)) ?? "";
  }

  /** Numbers come as signed. */
  private imports(receiver: StepReceiver): WebAssembly.ModuleImports {
    const sizeOf = (column: number): number =>
      this.columns[column]?.size ?? refuse("rules failed", "the rules' module reports a column that it does not have");
    const { effectNames, columns, reads } = this;
    return {
      column: (number: number, name: number, nameSize: number, layout: number, layoutSize: number, size: number, predicted: number) =>
        void columns.push({
          number,
          name: this.text(name, nameSize),
          layout: this.text(layout, layoutSize),
          size,
          predicted: predicted !== 0,
        }),
      reads: (name: number, size: number) => void reads.push(this.text(name, size)),
      effect_name: (id: number, name: number, size: number) => void effectNames.set(id >>> 0, this.text(name, size)),
      spawned: (index: number, generation: number, player: number, command: number, list: number, count: number) =>
        receiver.spawned(index >>> 0, generation >>> 0, player >>> 0, command >>> 0, this.at(list, 4 * count)),
      written: (column: number, index: number, generation: number, row: number) =>
        receiver.written(column, index >>> 0, generation >>> 0, this.at(row, sizeOf(column))),
      destroyed: (index: number, generation: number) => receiver.destroyed(index >>> 0, generation >>> 0),
      effect: (name: number, keyLow: number, keyHigh: number, payload: number, size: number) =>
        receiver.effect(name >>> 0, keyLow >>> 0, keyHigh >>> 0, this.at(payload, size)),
      fail: (text: number, size: number) => refuse("rules failed", this.text(text, size)),
    };
  }
}

function instantiate(module: WebAssembly.Module, mobula: WebAssembly.ModuleImports): ModuleExports {
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module))
    if (from !== "mobula" || kind !== "function" || !(name in mobula))
      refuse("not a rules module", `it imports ${from}.${name}, which this client does not have`);
  const exported = new Map(WebAssembly.Module.exports(module).map(({ name, kind }) => [name, kind]));
  if (exported.get("memory") !== "memory" || functionNames.some((name) => exported.get(name) !== "function"))
    refuse("not a rules module", "it does not export the functions of mobula_rules()");
  return new WebAssembly.Instance(module, { mobula }).exports as unknown as ModuleExports;
}
