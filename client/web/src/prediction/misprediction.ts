// A difference between a predicted tick and the server's, as a developer wants to see it.
import type { ComponentObject, Value } from "../mirror/values_object.js";
import { generationOf, indexOf } from "../core/entity.js";

/**
 * Explanation of a misprediction. `late`: commands ran late or not at all. `level`: a step read another level than the
 * server's, which the client did not have. `remote`: something else changed that the client does not predict.
 */
export type MispredictionCause = "late" | "level" | "remote";

export interface Misprediction {
  readonly tick: number;
  cause: MispredictionCause;
  /** The first entity that differs. */
  readonly entity: bigint;
  /** Its component that differs; empty if one side lacks the entity. */
  readonly component: string;
  readonly predicted: ComponentObject | null;
  readonly authoritative: ComponentObject | null;
}

const textOf = (value: Value | undefined): string =>
  JSON.stringify(value, (_, each: unknown) => (typeof each === "bigint" ? String(each) : each)) ?? "nothing";

const isStruct = (value: Value | undefined): value is ComponentObject =>
  typeof value === "object" && !Array.isArray(value);

/** Lists the fields that differ, as "Body.position.x is 2, predicted 1.5". */
function differences(path: string, own: ComponentObject, truth: ComponentObject, found: string[]): string[] {
  for (const [name, value] of Object.entries(truth)) {
    const inner = own[name];
    if (isStruct(value) && isStruct(inner)) differences(`${path}.${name}`, inner, value, found);
    else if (textOf(value) !== textOf(inner))
      found.push(`${path}.${name} is ${textOf(value)}, predicted ${textOf(inner)}`);
  }
  return found;
}

/**
 * Returns tick, entity, cause, and the fields that differ with both values: "tick 31, entity 4.1, remote: Body.position.x is
 * 2, predicted 1.5".
 */
export function describe(misprediction: Misprediction): string {
  const { tick, entity, cause, component, predicted, authoritative } = misprediction;
  const begin = `tick ${tick}, entity ${indexOf(entity)}.${generationOf(entity)}, ${cause === "late" ? "late command" : cause}`;
  if (predicted === null || authoritative === null) return `${begin}: only one side has it`;
  return `${begin}: ${differences(component, predicted, authoritative, []).join("; ")}`;
}
