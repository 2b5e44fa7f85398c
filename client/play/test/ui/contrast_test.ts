// Contrast of the texts with what is behind them, whatever the picture is (WCAG 2.2, 1.4.6).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../../web/test/support/repository.js";

type Colour = readonly number[];

interface Layer {
  readonly colour: Colour;
  readonly part: number; // 1 hides what is behind
}

const leastContrast = 7;
const style = readFileSync(join(root, "client/play/site/game.css"), "utf8");
const rules = style.split("\n").map((line) => /^ *(\S.*?) \{ (.*) \}/.exec(line)?.slice(1) ?? ["", ""]);

/** Returns the value of the first declaration of a variable, which is that of users without further preferences. */
const variable = (name: string): string => new RegExp(`--${name}: ([^;]+);`).exec(style)![1]!;

/** Returns a property of the rule that has exactly this selector, with the values of its variables. */
function declared(selector: string, property: string): string {
  const [, body] = rules.find(([each]) => each === selector) ?? assert.fail(`no rule has the selector ${selector}`);
  const value = new RegExp(`(?:^|; )${property}: ([^;]+);`).exec(body!)?.[1] ?? assert.fail(`${selector} has no ${property}`);
  return value.replace(/var\(--([a-z]+)\)/g, (_, name: string) => variable(name));
}

/** Returns the colours of a value, such as the stops of a gradient. */
function layersOf(value: string): Layer[] {
  const found = [...value.matchAll(/#([0-9a-f]{6})\b|rgb\(([0-9]+) ([0-9]+) ([0-9]+) \/ ([0-9.]+)\)/g)];
  assert.ok(found.length > 0, `${value} has no colour that this test reads`);
  return found.map(([, hex, r, g, b, part]) =>
    hex === undefined
      ? { colour: [Number(r), Number(g), Number(b)], part: Number(part) }
      : { colour: [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16)), part: 1 },
  );
}

const colourOf = (value: string): Colour => layersOf(value)[0]!.colour;

const over = ({ colour, part }: Layer, behind: Colour): Colour => colour.map((each, i) => each * part + behind[i]! * (1 - part));

function luminance(colour: Colour): number {
  const [r, g, b] = colour.map((each) => (each <= 10 ? each / 255 / 12.92 : ((each / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

const contrast = (a: Colour, b: Colour): number => {
  const [low, high] = [luminance(a), luminance(b)].sort((one, other) => one - other);
  return (high! + 0.05) / (low! + 0.05);
};

const field = `button, input:not([type="range"], [type="checkbox"])`;
const hovered = "button:hover";

// Selectors of backgrounds that have text: what may lie behind them, and the colours of the text.
const grounds: Readonly<Record<string, { on: readonly string[]; texts: readonly string[] }>> = {
  ".card": { on: ["picture"], texts: ["ink", "muted", "accent"] },
  ".toast": { on: ["picture"], texts: ["ink", "muted", "accent"] },
  "#chat-log li": { on: ["picture"], texts: ["ink", "muted", "accent"] },
  [field]: { on: ["picture", ".card"], texts: ["ink", "muted"] },
  [hovered]: { on: ["picture", ".card"], texts: ["ink"] },
  kbd: { on: [".card", field, hovered], texts: ["muted"] },
  "aside header, #bots": { on: [".card"], texts: ["ink", "muted"] },
  "#health": { on: [".card"], texts: ["ink"] },
  "#health-bar": { on: ["#health"], texts: ["ink"] },
  "#plot": { on: [".card"], texts: ["muted"] },
};
const ownGrounds = ["#notice-button"]; // the text has a colour of its own
const decorations = /^(html, body|\.label\S* \.life.*|#notice|#stick|#knob|\.key-\w+::before)$/; // without text

/** Returns all colours that may be behind the text of a selector: over a black picture, and over a white one. */
function behind(selector: string): Colour[] {
  if (selector === "picture") return [[0, 0, 0], [255, 255, 255]];
  const below = grounds[selector]!.on.flatMap(behind);
  return layersOf(declared(selector, "background")).flatMap((layer) => below.map((each) => over(layer, each)));
}

function check(text: Colour, ground: Colour, what: string): void {
  const found = contrast(text, ground);
  assert.ok(found >= leastContrast, `${what} has ${found.toFixed(2)} over ${ground.map(Math.round).join(" ")}`);
}

test("Contrast.TextsHaveSevenToOneOverAnyPicture", () => {
  for (const [selector, { texts }] of Object.entries(grounds))
    for (const ground of behind(selector))
      for (const name of texts) check(colourOf(variable(name)), ground, `--${name} on ${selector}`);
  for (const selector of ownGrounds)
    check(colourOf(declared(selector, "color")), colourOf(declared(selector, "background")), selector);
});

test("Contrast.LabelsHaveSevenToOneToTheirOutline", () => {
  const shadows = declared(".label", "text-shadow").split(/, (?=-?[0-9])/);
  const sharp = shadows.map((each) => /^(-?[0-9](?:px)?) (-?[0-9](?:px)?) (#[0-9a-f]{6})$/.exec(each)).filter((each) => each !== null);
  const sides = sharp.map(([, x, y]) => `${x} ${y}`).sort();
  assert.deepEqual(sides, ["-1px 0", "0 -1px", "0 1px", "1px 0"], "an outline without blur on each side");
  const kinds = ["own", "mob", "place", "ghost"].map((kind) => colourOf(declared(`.label.${kind}`, "color")));
  for (const text of [colourOf(variable("ink")), ...kinds])
    for (const [, , , outline] of sharp) check(text, colourOf(outline!), "a label");
});

test("Contrast.EachBackgroundAndEachColourIsKnown", () => {
  const known = [...Object.keys(grounds), ...ownGrounds];
  for (const [selector, body] of rules) {
    if (/(^|; )background: /.test(body!)) assert.ok(known.includes(selector!) || decorations.test(selector!), `background of ${selector}`);
    const colour = /(?:^|; )color: ([^;]+);/.exec(body!)?.[1];
    const isKnown = colour === undefined || /^(inherit|var\(--(ink|muted|accent)\))$/.test(colour);
    assert.ok(isKnown || selector!.startsWith(".label.") || ownGrounds.includes(selector!), `colour of ${selector}`);
  }
  const plot = readFileSync(join(root, "client/play/src/ui/plot.ts"), "utf8");
  assert.ok(plot.includes(`textColour = "${variable("muted")}"`), "the plot draws the text of its scale with --muted");
});
