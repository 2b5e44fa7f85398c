// Regions of zones on a map: a tint in the zone's colour and borders below the entities; above them the zone's name, and
// lines below it. A zone that is not open is hatched. One that was merged has no region.
import {colour} from '../core/theme.js';

export class ZoneBorders {
  version = 0;  // changes with everything that is painted
  #zones = [];
  #colours;

  constructor(colours) {
    this.#colours = colours;
  }

  // zones: as in the answer to GET /maps/NAME. lines(zone): the texts below its name.
  update(zones, lines) {
    const now = zones.map((zone) => ({...zone, lines: lines(zone)}));
    if (JSON.stringify(now) !== JSON.stringify(this.#zones)) this.version++;
    this.#zones = now;
  }

  // Returns the number of the zone at a place, or -1.
  at(x, z) {
    const within = ([low, high], value) => (low === null || value >= low) && (high === null || value < high);
    return this.#zones.findIndex((zone) => !zone.merged && within(zone.x, x) && within(zone.z, z));
  }

  paint(context, camera) {
    this.#zones.forEach((zone, number) => {
      if (zone.merged) return;
      const box = pixels(camera, zone);
      context.globalAlpha = 0.07;
      context.fillStyle = colour(this.#colours.name(number));
      context.fillRect(box.left, box.top, box.width, box.height);
      context.globalAlpha = 1;
      if (zone.state !== 'open') hatch(context, box);
      context.strokeStyle = colour('--edge');
      context.lineWidth = 1.5;
      context.strokeRect(box.left, box.top, box.width, box.height);
    });
  }

  paint_labels(context, camera) {
    for (const zone of this.#zones) if (!zone.merged) label(context, camera, pixels(camera, zone), zone);
  }
}

// Sides without end are just outside of the picture.
function pixels(camera, {x, z}) {
  const {view} = camera;
  const far = 4 / camera.scale;
  const side = (value, otherwise) => (value === null ? otherwise : value);
  const low = camera.to_pixels(side(x[0], view.x[0] - far), side(z[1], view.z[1] + far));
  const high = camera.to_pixels(side(x[1], view.x[1] + far), side(z[0], view.z[0] - far));
  return {left: low.left, top: low.top, width: high.left - low.left, height: high.top - low.top};
}

function hatch(context, {left, top, width, height}) {
  context.save();
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
  context.globalAlpha = 0.35;
  context.strokeStyle = colour('--bad');
  context.lineWidth = 1;
  context.beginPath();
  const from = Math.max(left, -2);
  const to = Math.min(left + width, context.canvas.width + 2);
  const high = Math.min(height, context.canvas.height + 4);
  const begin = Math.max(top, -2);
  for (let at = from - high; at < to; at += 12) {
    context.moveTo(at, begin + high);
    context.lineTo(at + high, begin);
  }
  context.stroke();
  context.restore();
}

// In the top left corner of the part that the picture shows. Left out where it does not fit.
function label(context, camera, {left, top, width, height}, zone) {
  const x = Math.max(left, 0) + 44;
  const y = Math.max(top, 0) + 24;
  const room = Math.min(left + width, camera.width) - x;
  const high = Math.min(top + height, camera.height) - y;
  if (room < 60 || high < 20 + 16 * zone.lines.length) return;
  context.font = '12px system-ui, sans-serif';
  const wide = Math.max(60, ...zone.lines.map((line) => context.measureText(line).width));
  context.globalAlpha = 0.85;
  context.fillStyle = colour('--panel');
  context.fillRect(x - 6, y - 17, Math.min(wide, room) + 12, 24 + 16 * zone.lines.length);
  context.globalAlpha = 1;
  zone.lines.forEach((line, at) => {
    context.fillStyle = colour(zone.state === 'open' ? '--muted' : '--bad');
    context.fillText(line, x, y + 17 + 16 * at, room);
  });
  context.fillStyle = colour('--ink');
  context.font = '600 14px system-ui, sans-serif';
  context.fillText(zone.name, x, y, room);
}
