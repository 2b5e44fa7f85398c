// Wanted entities in view that are not predicted: how many there are, and a warning of each kind.

export class Unpredicted {
  private surplus = 0; // those beyond the limit
  private lacking = 0; // those whose owner alone receives a predicted field
  private isSurplusReported = false;
  private isLackingReported = false;

  get count(): number {
    return this.surplus + this.lacking;
  }

  clear(): void {
    this.surplus = this.lacking = 0;
  }

  addSurplus(): void {
    ++this.surplus;
  }

  /** Adds an entity, and warns of the first. The component has a predicted field that this client does not receive. */
  addLacking(index: number, generation: number, component: string): void {
    ++this.lacking;
    if (this.isLackingReported) return;
    this.isLackingReported = true;
    const reason = `its ${component} has a predicted field that is owner_only`;
    const remedy = "this client is not its owner; draw it as mirrored";
    console.warn(`mobula: entity ${index}.${generation} is not predicted: ${reason}, and ${remedy}`);
  }

  /** Warns once if there are more entities than the limit. */
  reportSurplus(limit: number): void {
    if (this.surplus === 0 || this.isSurplusReported) return;
    this.isSurplusReported = true;
    const remedy = "call setPredicted for those near the player only";
    console.warn(`mobula: ${this.surplus} entities are not predicted: the limit is ${limit}; ${remedy}`);
  }
}
