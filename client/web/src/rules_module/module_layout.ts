// Layout of components as texts: a module of rules has been compiled for one schema, and runs with those whose structs
// have the same fields in the same places.
import { refuse } from "../core/refusal.js";
import { type Component, type Field, type Schema, findComponent, kind } from "../reflect/schema.js";

/** A component type that a module uses. */
export interface ModuleColumn {
  readonly number: number;
  readonly name: string;
  /** Fields as mobula-schema-gen writes them: "position.x:float32@0 …". */
  readonly layout: string;
  readonly size: number;
  /** Whether steps may write it. */
  readonly predicted: boolean;
}

const kindNames = new Map<number, string>(Object.entries(kind).map(([name, value]) => [value, name]));

function fieldText({ path, kind: of, offset, size, count, stride }: Field): string {
  const length = of === kind.text ? `+${size}` : "";
  const array = count > 1 ? `*${count}/${stride}` : "";
  return `${path}:${kindNames.get(of)!}@${offset}${length}${array}`;
}

export function layoutOf(component: Component): string {
  return component.fields.map(fieldText).join(" ");
}

/** Returns what differs first between two layouts. */
function difference(ofModule: string, ofSchema: string): string {
  const [own, theirs] = [ofModule.split(" "), ofSchema.split(" ")];
  const place = own.findIndex((field, i) => field !== theirs[i]);
  const at = place < 0 ? own.length : place;
  return `${own[at] ?? "no further field"} in the module, ${theirs[at] ?? "no further field"} in the schema`;
}

/** Throws a Refusal with the reason "other schema" if a column is not laid out as in the schema. */
export function checkColumns(columns: readonly ModuleColumn[], schema: Schema): void {
  for (const { name, layout, size, predicted } of columns) {
    const component = findComponent(schema, name);
    if (component === undefined) refuse("other schema", `the rules' module uses ${name}, which the schema does not have`);
    const own = layoutOf(component);
    if (layout !== own) refuse("other schema", `${name} has ${difference(layout, own)}`);
    if (size !== component.size)
      refuse("other schema", `${name} has ${size} bytes in the module, ${component.size} in the schema`);
    if (predicted !== component.fields.some((field) => field.predicted))
      refuse("other schema", `${name} has predicted fields ${predicted ? "in the module" : "in the schema"} alone`);
  }
}
