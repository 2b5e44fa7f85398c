// The page: makes the game, and calls it with each frame.
import { FrameTimes } from "./ui/frame_times.js";
import { element } from "./ui/elements.js";
import { Game } from "./game.js";

const nameKey = "mobula-name";
const firsts = ["Swift", "Quiet", "Merry", "Bold", "Sly", "Brave", "Sunny", "Lucky"];
const seconds = ["Otter", "Finch", "Badger", "Heron", "Marten", "Lynx", "Hare", "Robin"];
const any = (of: readonly string[]): string => of[Math.floor(Math.random() * of.length)]!;

/** Returns the name of last time, or a new one. A browser may forbid to keep it. */
function ownName(): string {
  try {
    const kept = localStorage.getItem(nameKey);
    if (kept !== null && kept !== "") return kept.slice(0, 20);
  } catch {
    // A new one, then.
  }
  return `${any(firsts)} ${any(seconds)}`;
}

function keepName(name: string): void {
  try {
    localStorage.setItem(nameKey, name);
  } catch {
    // It is asked for again.
  }
}

function showFailure(title: string, text: string): void {
  element("notice-title").textContent = title;
  element("notice-text").textContent = text;
  element("notice-button").hidden = true;
  element("notice").hidden = false;
}

function start(): void {
  performance.mark("script begun");
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const quality = Number(new URLSearchParams(location.search).get("quality") ?? 0);
  const game = new Game(Number.isFinite(quality) ? quality : 0, isCalm);
  const times = new FrameTimes();
  const name = element<HTMLInputElement>("name-text");
  name.value = ownName();
  element("name-form").addEventListener("submit", (event) => {
    event.preventDefault();
    keepName(name.value);
    void game.join(name.value);
  });
  const frame = (): void => {
    requestAnimationFrame(frame); // first, so that an error in a frame does not end the next ones
    const began = performance.now();
    game.frame(began);
    times.note(performance.now() - began);
  };
  requestAnimationFrame(frame);
  void game.join(name.value);
  // Without it the server would take a page that is left for one whose connection is lost, and keep its avatar.
  addEventListener("pagehide", () => game.leave());
  // A page that the browser has kept joins anew when the player goes back to it.
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) void game.join(name.value);
  });
  // For tests and the curious: what is shown, as values.
  Object.assign(globalThis, { play: { game, times } });
  element("view").focus();
}

try {
  start();
} catch (error) {
  showFailure("The page cannot draw", `It needs WebGL 2. ${error instanceof Error ? error.message : ""}`);
}
