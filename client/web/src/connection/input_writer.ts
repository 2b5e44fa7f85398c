// Writes the inputs of a session, each when it is due.
import { encodeInput } from "../wire/input.js";
import type { CommandLog } from "./command_log.js";
import type { DeltaProgress } from "./delta_progress.js";

// The server's limit is 16. A page that updates with each frame of a fast screen must stay below it.
const inputsPerTickMax = 4;

export class InputWriter {
  private lastAt = -Infinity;

  /** Returns the input that is due, whose acknowledgement is the newest of `progress`; null if none is due. */
  next(commands: CommandLog, progress: DeltaProgress, tickLength: number, now: number): Uint8Array | null {
    // An input that acknowledges nothing new and repeats no command is sent once per tick.
    const hasNews = progress.hasNews || commands.hasUnacknowledged();
    const tick = tickLength - 1e-6; // times are rounded
    if (now - this.lastAt < (hasNews ? tick / inputsPerTickMax : tick)) return null;
    this.lastAt = now;
    const words = progress.acknowledge();
    const { ack, newest, received, arrivals } = progress;
    const { first, commands: repeated } = commands.toSend(arrivals);
    return encodeInput({ ack, newest, words, received, firstCommand: first, commands: repeated });
  }
}
