// Handles of entities: generation and index in one number.

/** An entity's handle: generation and index. 0n is none. */
export type Entity = bigint;

export const entityOf = (index: number, generation: number): Entity => (BigInt(generation) << 32n) | BigInt(index);
export const indexOf = (entity: Entity): number => Number(entity & 0xffff_ffffn);
export const generationOf = (entity: Entity): number => Number(entity >> 32n);
