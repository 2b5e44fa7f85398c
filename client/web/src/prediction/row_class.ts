// Classes of row objects: accessors over rows of bytes, by the names of a component's fields. Properties that begin with
// "$" belong to the object itself: no name of a schema does.
import { bytesOfText, textOf } from "../core/bytes.js";
import { type Component, type Field, kind } from "../reflect/schema.js";
import { valueWidth } from "../mirror/values.js";
import type { ComponentRows } from "./component_rows.js";

/** An object for a struct of a row. */
export interface RowObject {
  readonly $rows: ComponentRows;
  readonly $slot: number;
  readonly $at: number; // first byte of the row
}

type RowObjectClass = new (rows: ComponentRows, slot: number) => RowObject;
/** Returns the accessors of a value at an offset of the row. They are made for each field, so that engines can inline them. */
type Accessors = (offset: number) => { get(this: RowObject): unknown; set(this: RowObject, value: never): void };

/** Field below a struct: the rest of its path, or a part of a rotation. */
interface Leaf {
  readonly path: readonly string[];
  readonly offset: number;
  readonly stride: number;
  readonly count: number; // elements of an array; 0 for a single value
  readonly accessors: Accessors;
}

const single: Accessors = (offset) => ({
  get() {
    return this.$rows.views.f32[(this.$at + offset) >> 2];
  },
  set(value) {
    this.$rows.touch(this.$slot);
    this.$rows.views.f32[(this.$at + offset) >> 2] = value;
  },
});

const byte: Accessors = (offset) => ({
  get() {
    return this.$rows.views.bytes[this.$at + offset];
  },
  set(value) {
    this.$rows.touch(this.$slot);
    this.$rows.views.bytes[this.$at + offset] = value;
  },
});

const bool: Accessors = (offset) => ({
  get() {
    return this.$rows.views.bytes[this.$at + offset] !== 0;
  },
  set(value: boolean) {
    this.$rows.touch(this.$slot);
    this.$rows.views.bytes[this.$at + offset] = value ? 1 : 0;
  },
});

const number =
  ({ kind: of, size }: Field): Accessors =>
  (offset) => ({
    get() {
      return this.$rows.views.of(of)[(this.$at + offset) / size];
    },
    set(value) {
      this.$rows.touch(this.$slot);
      this.$rows.views.of(of)[(this.$at + offset) / size] = value;
    },
  });

const entity: Accessors = (offset) => ({
  get() {
    const { u32 } = this.$rows.views;
    const at = (this.$at + offset) >> 2;
    return (BigInt(u32[at + 1]!) << 32n) | BigInt(u32[at]!);
  },
  set(value: bigint) {
    this.$rows.touch(this.$slot);
    const { u32 } = this.$rows.views;
    const at = (this.$at + offset) >> 2;
    u32[at] = Number(BigInt.asUintN(32, value));
    u32[at + 1] = Number(BigInt.asUintN(32, value >> 32n));
  },
});

const text =
  ({ size }: Field): Accessors =>
  (offset) => ({
    get() {
      const bytes = this.$rows.views.bytes.subarray(this.$at + offset, this.$at + offset + size);
      const end = bytes.indexOf(0);
      return textOf(end < 0 ? bytes : bytes.subarray(0, end)) ?? "";
    },
    set(value: string) {
      this.$rows.touch(this.$slot);
      const { bytes } = this.$rows.views;
      bytes.fill(0, this.$at + offset, this.$at + offset + size);
      bytes.set(bytesOfText(value).subarray(0, size), this.$at + offset);
    },
  });

/** An enum is the name of its value, or a number that it does not have. */
function enumerated(field: Field): Accessors {
  const { path, size, enumValues } = field;
  const isLong = size === 8;
  const names = new Map(enumValues.map(({ name, value }) => [isLong ? value : Number(value), name]));
  const values = new Map(enumValues.map(({ name, value }) => [name, isLong ? value : Number(value)]));
  return (offset) => {
    const plain = number(field)(offset);
    return {
      get() {
        const value = plain.get.call(this) as number | bigint;
        return names.get(value) ?? value;
      },
      set(name: string) {
        const value = values.get(name);
        if (value === undefined) throw new Error(`${path} has no value "${name}"`);
        plain.set.call(this, value as never);
      },
    };
  };
}

function accessorsOf(field: Field): Accessors {
  switch (field.kind) {
    case kind.float32:
      return single;
    case kind.bool:
      return bool;
    case kind.entity:
      return entity;
    case kind.text:
      return text(field);
    default:
      if (field.enumValues.length > 0) return enumerated(field);
      return field.kind === kind.uint8 ? byte : number(field);
  }
}

function leavesOf(component: Component): Leaf[] {
  return component.fields.flatMap((field): Leaf[] => {
    const path = field.path.split(".");
    const isArray = field.count > 1 || field.countField >= 0;
    const leaf = { offset: field.offset, stride: field.stride, count: isArray ? field.count : 0 };
    if (field.kind !== kind.rotation) return [{ path, ...leaf, accessors: accessorsOf(field) }];
    return Array.from({ length: valueWidth(field) }, (_, i) => {
      const part = [...path, "xyzw"[i]!];
      return { path: part, ...leaf, offset: field.offset + 4 * i, accessors: single };
    });
  });
}

/** An array of a row. */
class RowArray {
  private readonly elements: readonly ReturnType<Accessors>[];

  constructor(
    private readonly row: RowObject,
    { accessors, offset, stride, count }: Leaf,
  ) {
    this.elements = Array.from({ length: count }, (_, i) => accessors(offset + i * stride));
  }

  get length(): number {
    return this.elements.length;
  }

  private element(i: number): ReturnType<Accessors> {
    const { length } = this.elements;
    return this.elements[i] ?? fail(`element ${i} of an array of ${length}`);
  }

  at(i: number): unknown {
    return this.element(i).get.call(this.row);
  }

  set(i: number, value: never): void {
    this.element(i).set.call(this.row, value);
  }
}

function fail(what: string): never {
  throw new RangeError(what);
}

/** Returns the property of an object that is made with the row. It may be set from an object with the same properties. */
function innerAccessor(own: string): PropertyDescriptor {
  return {
    enumerable: true,
    get(this: Record<string, object>) {
      return this[own];
    },
    set(this: Record<string, object>, value: object) {
      Object.assign(this[own]!, value);
    },
  };
}

type Make = (row: RowObject) => object;

/** Makes a class whose objects have accessors of their own, so that they can be spread and assigned as plain objects. */
function makeClass(component: Component, leaves: readonly Leaf[]): RowObjectClass {
  const inner = new Map<string, Make>();
  const structs = new Map<string, Leaf[]>();
  const accessors: PropertyDescriptorMap = {};
  for (const leaf of leaves) {
    const [name, ...path] = leaf.path as [string, ...string[]];
    if (path.length > 0) structs.set(name, [...(structs.get(name) ?? []), { ...leaf, path }]);
    else if (leaf.count > 0) inner.set(name, (row) => new RowArray(row, leaf));
    else accessors[name] = { enumerable: true, ...leaf.accessors(leaf.offset) };
  }
  for (const [name, each] of structs) {
    const Inner = makeClass(component, each);
    inner.set(name, ({ $rows, $slot }) => new Inner($rows, $slot));
  }
  for (const name of inner.keys()) accessors[name] = innerAccessor(`$${name}`);
  return class implements RowObject {
    declare readonly $rows: ComponentRows;
    declare readonly $slot: number;
    declare readonly $at: number;

    constructor(rows: ComponentRows, slot: number) {
      const hide = (name: string, value: unknown): unknown => Object.defineProperty(this, name, { value });
      hide("$rows", rows);
      hide("$slot", slot);
      hide("$at", slot * component.size);
      for (const [name, make] of inner) hide(`$${name}`, make(this));
      Object.defineProperties(this, accessors);
      Object.preventExtensions(this); // a misspelt field is an error
    }
  };
}

/** Returns the class of a component's row objects. */
export function rowClass(component: Component): RowObjectClass {
  return makeClass(component, leavesOf(component));
}
