// Commands that had no effect, with their reasons.
import { Refusal } from "../core/refusal.js";
import type { CommandLog } from "./command_log.js";

export interface FailedCommand {
  /** The bytes that were given to send(). */
  readonly command: Uint8Array;
  /** The server's text, such as "rate limited: ..."; "too late" if the command did not arrive in time. */
  readonly reason: string;
}

export class FailedCommands {
  private readonly reasons = new Map<number, string>(); // by number, of commands whose feedback is not there yet
  private failed: FailedCommand[] = [];

  /** Notes why the server has refused a command that waits. Its feedback follows. */
  onRefused(number: number, reason: string, commands: CommandLog): void {
    if (commands.isWaiting(number)) this.reasons.set(number, reason);
  }

  /** Notes a command that could not be sent. */
  onUnsent(command: Uint8Array, { reason, message }: Refusal): void {
    this.failed.push({ command, reason: `${reason}: ${message}` });
  }

  /** Returns the commands that have failed since the last call, in the order of their numbers. */
  take(commands: CommandLog): readonly FailedCommand[] {
    for (const { number, bytes } of commands.takeIneffective())
      this.failed.push({ command: bytes, reason: this.reasons.get(number) ?? "too late" });
    for (const number of this.reasons.keys()) if (!commands.isWaiting(number)) this.reasons.delete(number);
    const failed = this.failed;
    if (failed.length > 0) this.failed = [];
    return failed;
  }
}
