// Contrast of the texts on glass, whatever the picture behind it is (WCAG 2.2, 1.4.6).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../../web/test/support/repository.js";

type Colour = readonly number[];

const style = readFileSync(join(root, "client/play/site/game.css"), "utf8");

function hex(name: string): Colour {
  const [, digits] = new RegExp(`--${name}: #([0-9a-f]{6});`).exec(style)!;
  return [0, 2, 4].map((at) => parseInt(digits!.slice(at, at + 2), 16));
}

function luminance(colour: Colour): number {
  const [r, g, b] = colour.map((each) => (each <= 10 ? each / 255 / 12.92 : ((each / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

const contrast = (a: Colour, b: Colour): number => {
  const [low, high] = [luminance(a), luminance(b)].sort((one, other) => one - other);
  return (high! + 0.05) / (low! + 0.05);
};

test("Contrast.TextsOnGlassHaveSevenToOneOverAnyPicture", () => {
  const [, r, g, b, part] = /--glass: rgb\(([0-9]+) ([0-9]+) ([0-9]+) \/ ([0-9.]+)\)/.exec(style)!.map(Number);
  for (const name of ["ink", "muted", "accent"])
    for (const behind of [0, 255]) {
      const ground = [r!, g!, b!].map((each) => each * part! + behind * (1 - part!));
      const found = contrast(hex(name), ground);
      assert.ok(found >= 7, `--${name} has ${found.toFixed(2)} over ${behind}`);
    }
});
