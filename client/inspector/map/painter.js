// Paints the map on two canvases, one above the other. Still entities are painted again only if the camera or the
// scenery has changed, moving ones in each picture.
import {colour} from '../core/theme.js';

const grid_steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000];

export class Painter {
  #still;
  #moving;
  #painted = '';

  constructor(still, moving) {
    this.#still = still;
    this.#moving = moving;
  }

  resize(width, height) {
    for (const canvas of [this.#still, this.#moving]) {
      canvas.width = Math.round(width * devicePixelRatio);
      canvas.height = Math.round(height * devicePixelRatio);
    }
    this.#painted = '';
  }

  forget() {
    this.#painted = '';
  }

  // selected: an entity or null. regions: paints below the still entities, and labels above them: {version,
  // paint(context, camera), paint_labels(context, camera)}, or undefined.
  paint(camera, entities, colours, selected, now, interval, regions) {
    const key = `${camera.x} ${camera.z} ${camera.scale} ${entities.version} ${[...colours.hidden]} ${colours.by} ${regions?.version}`;
    if (key !== this.#painted) this.#paint_still(camera, entities, colours, regions);
    this.#painted = key;
    const context = begin(this.#moving);
    this.#paint_dots(context, camera, colours, entities.moving, (entity) => entities.place(entity, now, interval));
    if (selected) ring(context, camera, entities.place(selected, now, interval));
  }

  #paint_still(camera, entities, colours, regions) {
    const context = begin(this.#still);
    regions?.paint(context, camera);
    paint_grid(context, camera);
    const still = [...entities.by_index.values()].filter((entity) => !entities.moving.has(entity));
    this.#paint_dots(context, camera, colours, still, (entity) => entity);
    regions?.paint_labels(context, camera);
  }

  // Grouped by colour, to set each colour once. Players' entities are on top, and larger.
  #paint_dots(context, camera, colours, entities, place) {
    const by_colour = new Map();
    for (const entity of entities) {
      const kind = colours.kind(entity);
      if (colours.hidden.has(kind)) continue;
      const name = colours.name(kind);
      if (!by_colour.has(name)) by_colour.set(name, []);
      by_colour.get(name).push(entity);
    }
    const owned = [];
    for (const [name, list] of [...by_colour].sort(([a], [b]) => (b === '--quiet') - (a === '--quiet'))) {
      context.fillStyle = colour(name);
      for (const entity of list) {
        if (entity.owner !== 0) owned.push([entity, name]);
        else dot(context, camera, place(entity), dot_size(camera));
      }
    }
    const {more, fill} = colours.of_players;
    for (const [entity, name] of owned) disc(context, camera, place(entity), dot_size(camera) + more, colour(fill ?? name));
  }
}

export function grid_step(camera) {
  return grid_steps.find((step) => step * camera.scale >= 70) ?? grid_steps.at(-1);
}

function dot_size(camera) {
  return Math.max(2, Math.min(10, 1.5 + camera.scale * 0.5));
}

function begin(canvas) {
  const context = canvas.getContext('2d');
  context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  context.clearRect(0, 0, canvas.width, canvas.height);
  return context;
}

function dot(context, camera, place, size) {
  const {left, top} = camera.to_pixels(place.x, place.z);
  context.fillRect(left - size / 2, top - size / 2, size, size);
}

function disc(context, camera, place, radius, fill) {
  const {left, top} = camera.to_pixels(place.x, place.z);
  context.beginPath();
  context.arc(left, top, radius, 0, 2 * Math.PI);
  context.fillStyle = fill;
  context.fill();
  context.strokeStyle = colour('--panel');
  context.lineWidth = 1;
  context.stroke();
}

function ring(context, camera, place) {
  const {left, top} = camera.to_pixels(place.x, place.z);
  context.beginPath();
  context.arc(left, top, dot_size(camera) + 7, 0, 2 * Math.PI);
  context.strokeStyle = colour('--accent');
  context.lineWidth = 2.5;
  context.stroke();
}

function paint_grid(context, camera) {
  const step = grid_step(camera);
  const {x, z} = camera.view;
  context.lineWidth = 1;
  context.font = '11px system-ui, sans-serif';
  context.fillStyle = colour('--muted');
  for (let at = Math.ceil(x[0] / step) * step; at <= x[1]; at += step) {
    const left = Math.round(camera.to_pixels(at, 0).left) + 0.5;
    line(context, left, 0, left, camera.height, at === 0);
    if (left > 40) context.fillText(`${at} m`, left + 3, camera.height - 5);
  }
  for (let at = Math.ceil(z[0] / step) * step; at <= z[1]; at += step) {
    const top = Math.round(camera.to_pixels(0, at).top) + 0.5;
    line(context, 0, top, camera.width, top, at === 0);
    if (top < camera.height - 24) context.fillText(`${at} m`, 5, top - 4);
  }
}

function line(context, x, y, to_x, to_y, axis) {
  context.strokeStyle = colour(axis ? '--edge' : '--line');
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(to_x, to_y);
  context.stroke();
}
