// Events of the demo.
import { decode } from "@mobula/client/messages";
import { type Body, Event } from "../../../web/demo/demo_events.js";

/** Returns what has happened; null for an event that this page does not know, or whose bytes are malformed. */
export function readEvent(bytes: Uint8Array): Body | null {
  try {
    return decode(Event, bytes).body;
  } catch {
    return null;
  }
}
