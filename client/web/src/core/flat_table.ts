// Reads FlatBuffers without generated code. Each access is checked, so the bytes need no verification before.
//
// Offsets may lead to the same place, so that few bytes could stand for many. Reading is therefore bounded by the size of
// the message: it has a table for each 8 bytes at most, and as many bytes as if each was read twice.
import { textOf, u16, u32, u64 } from "./bytes.js";
import { refuse } from "./refusal.js";

function inside(bytes: Uint8Array, at: number, size: number): number {
  if (at < 0 || at + size > bytes.length) refuse("malformed message", "an offset leads out of the message");
  return at;
}

/** Vector of numbers, structs or offsets: `count` elements from `at` on. */
export interface FlatVector {
  readonly at: number;
  readonly count: number;
}

const emptyVector: FlatVector = { at: 0, count: 0 };

/** Tables and bytes that may still be read of a message. */
interface Budget {
  tables: number;
  bytes: number;
}

const sparedTables = 8;
const sparedBytes = 1024;

/** A table in some bytes. Fields are named by their position in the schema, from 0. */
export class FlatTable {
  private readonly fields: number; // place of the vtable
  private readonly fieldsEnd: number;

  constructor(
    readonly bytes: Uint8Array,
    private readonly place: number,
    private readonly budget: Budget,
  ) {
    if (--budget.tables < 0) refuse("malformed message", "more tables than its bytes can hold");
    inside(bytes, place, 4);
    this.fields = inside(bytes, place - (u32(bytes, place) | 0), 4);
    const size = u16(bytes, this.fields);
    this.fieldsEnd = inside(bytes, this.fields, size) + size;
  }

  static root(bytes: Uint8Array): FlatTable {
    inside(bytes, 0, 4);
    const budget = { tables: bytes.length / 8 + sparedTables, bytes: 2 * bytes.length + sparedBytes };
    return new FlatTable(bytes, u32(bytes, 0), budget);
  }

  /** Returns the place of a field of `size` bytes; 0 if it is absent. */
  private find(field: number, size: number): number {
    const entry = this.fields + 4 + 2 * field;
    const offset = entry + 2 <= this.fieldsEnd ? u16(this.bytes, entry) : 0;
    return offset === 0 ? 0 : inside(this.bytes, this.place + offset, size);
  }

  has(field: number): boolean {
    return this.find(field, 0) !== 0;
  }

  u8(field: number): number {
    const at = this.find(field, 1);
    return at === 0 ? 0 : this.bytes[at]!;
  }

  bool(field: number): boolean {
    return this.u8(field) !== 0;
  }

  u16(field: number): number {
    const at = this.find(field, 2);
    return at === 0 ? 0 : u16(this.bytes, at);
  }

  u32(field: number): number {
    const at = this.find(field, 4);
    return at === 0 ? 0 : u32(this.bytes, at);
  }

  i32(field: number, absent = 0): number {
    const at = this.find(field, 4);
    return at === 0 ? absent : u32(this.bytes, at) | 0;
  }

  u64(field: number): number {
    const at = this.find(field, 8);
    return at === 0 ? 0 : u64(this.bytes, at);
  }

  /** Returns the low half of a field of 64 bits, or the high one. */
  half(field: number, high: boolean): number {
    const at = this.find(field, 8);
    return at === 0 ? 0 : u32(this.bytes, high ? at + 4 : at);
  }

  big(field: number): bigint {
    return (BigInt(this.half(field, true)) << 32n) | BigInt(this.half(field, false));
  }

  /** Returns the place of a struct of `size` bytes; 0 if it is absent. */
  struct(field: number, size: number): number {
    return this.find(field, size);
  }

  private target(field: number): number {
    const at = this.find(field, 4);
    return at === 0 ? 0 : inside(this.bytes, at + u32(this.bytes, at), 4);
  }

  table(field: number): FlatTable | null {
    const at = this.target(field);
    return at === 0 ? null : new FlatTable(this.bytes, at, this.budget);
  }

  /** Returns the vector at a place. Throws if it has more elements than `most`. */
  private vectorAt(at: number, elementSize: number, most: number): FlatVector {
    const count = u32(this.bytes, at);
    if (count > most) refuse("malformed message", `a list of more than ${most}`);
    const size = count * elementSize;
    inside(this.bytes, at + 4, size);
    if ((this.budget.bytes -= size) < 0) refuse("malformed message", "parts of it are used too often");
    return { at: at + 4, count };
  }

  /** Returns the elements of a vector. Throws if there are more than `most`. */
  vector(field: number, elementSize: number, most = Infinity): FlatVector {
    const at = this.target(field);
    return at === 0 ? emptyVector : this.vectorAt(at, elementSize, most);
  }

  /** Returns what `read` makes of each place that a vector of offsets leads to. */
  private targets<T>(field: number, most: number, read: (at: number) => T): T[] {
    const { at, count } = this.vector(field, 4, most);
    return Array.from({ length: count }, (_, i) => {
      const place = at + 4 * i;
      return read(inside(this.bytes, place + u32(this.bytes, place), 4));
    });
  }

  /** Returns the tables of a vector. Throws if there are more than `most`. */
  tables(field: number, most: number): FlatTable[] {
    return this.targets(field, most, (at) => new FlatTable(this.bytes, at, this.budget));
  }

  private view({ at, count }: FlatVector): Uint8Array {
    return this.bytes.subarray(at, at + count);
  }

  private decode(vector: FlatVector): string {
    return textOf(this.view(vector)) ?? refuse("malformed message", "a text is not UTF-8");
  }

  /** Returns a view into the message: copy what is to be kept. Throws if it has more bytes than `most`. */
  blob(field: number, most = Infinity): Uint8Array {
    return this.view(this.vector(field, 1, most));
  }

  /** Returns a text of at most `most` bytes. */
  text(field: number, most: number): string {
    return this.decode(this.vector(field, 1, most));
  }

  /** Returns at most `most` texts of at most `bytesMax` bytes. */
  texts(field: number, most: number, bytesMax: number): string[] {
    return this.targets(field, most, (at) => this.decode(this.vectorAt(at, 1, bytesMax)));
  }
}
