// Words for the player about a command that had no effect.
import type { FailedCommand } from "@mobula/client";
import { decode } from "@mobula/client/messages";
import { type Body, Command } from "../../../web/demo/demo_commands.js";

function subjectOf({ kind, value }: Body): string | null {
  if (kind === "Chat") return `“${value.text}” was not sent`;
  if (kind === "Throw") return "Your throw did not count";
  if (kind === "Tag") return "Your tag did not count";
  return null; // the page gives a direction again by itself
}

/** Returns what to show; null for nothing. */
export function failureText({ command, reason }: FailedCommand): string | null {
  const subject = subjectOf(decode(Command, command).body);
  if (subject === null) return null;
  return `${subject}: ${reason === "too late" ? "it reached the server too late" : reason}`;
}
