// Events that wait for their tick, or for the entity that they are about.
import { refuse } from "../core/refusal.js";
import type { Presence } from "../mirror/known.js";
import type { WireEvent } from "../wire/event_batch.js";

const lateTicksMax = 16;
const waitingBytesMax = 1024 * 1024;
const heldTicksMax = 256; // that an event waits for its entity
const heldBytesMax = 256 * 1024;

export interface ReceivedEvent extends WireEvent {
  /** Whether the mirror has the entity that the event is about. An unknown one may still come. */
  readonly presence: Presence;
}

const weight = (event: WireEvent): number => event.bytes.length + 48;
const byTick = (a: WireEvent, b: WireEvent): number => a.tick - b.tick || a.sequence - b.sequence;
const weightOf = (events: readonly WireEvent[]): number => events.reduce((sum, event) => sum + weight(event), 0);

export class EventQueue {
  late = 0; // unreliable events that were dropped because they were late
  dropped = 0; // unreliable events that were dropped because the queue was full
  private waiting: WireEvent[] = [];
  private bytes = 0;
  private reached = 0;

  /** Adds reliable events. Throws a Refusal if they do not fit: some would be missing. */
  addReliable(events: readonly WireEvent[]): void {
    this.bytes += weightOf(events);
    if (this.bytes > waitingBytesMax)
      refuse("too many events", `events that wait for their tick exceed ${waitingBytesMax} bytes`);
    this.waiting.push(...events);
  }

  /** Adds unreliable events. Drops those that are late or do not fit. */
  addUnreliable(events: readonly WireEvent[]): void {
    if (events[0]!.tick + lateTicksMax < this.reached) {
      this.late += events.length;
      return;
    }
    for (const event of events) {
      if (this.bytes + weight(event) > waitingBytesMax) {
        ++this.dropped;
        continue;
      }
      this.bytes += weight(event);
      this.waiting.push(event);
    }
  }

  /** Removes and returns the events that are due. `presenceOf` returns null for an entity that may still come. */
  takeDue(tick: number, presenceOf: (event: WireEvent) => Presence | null): ReceivedEvent[] {
    this.reached = Math.max(this.reached, tick);
    const due: ReceivedEvent[] = [];
    const held: WireEvent[] = [];
    const later: WireEvent[] = [];
    for (const event of this.waiting) {
      if (event.tick > tick) {
        later.push(event);
        continue;
      }
      const presence = event.generation === 0 ? "in view" : presenceOf(event);
      if (presence !== null || event.tick + heldTicksMax < this.reached)
        due.push({ ...event, presence: presence ?? "unknown" });
      else held.push(event);
    }
    this.releaseOldest(held, due);
    this.waiting = held.concat(later);
    this.bytes -= weightOf(due);
    return due.sort(byTick);
  }

  /** Makes events due that wait for their entity, while too many bytes do. */
  private releaseOldest(held: WireEvent[], due: ReceivedEvent[]): void {
    let bytes = weightOf(held);
    if (bytes <= heldBytesMax) return;
    held.sort(byTick);
    let count = 0;
    for (; bytes > heldBytesMax; ++count) bytes -= weight(held[count]!);
    for (const event of held.splice(0, count)) due.push({ ...event, presence: "unknown" });
  }
}
