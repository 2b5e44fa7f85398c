// Camera: the part of the world in the picture, seen from above, x to the right, z upwards.

const scale_min = 0.02;  // CSS pixels per metre
const scale_max = 400;

export class Camera {
  x = 0;  // middle, metres
  z = 0;
  scale = 2;
  width = 1;  // CSS pixels
  height = 1;

  // {x: [low, high], z: [low, high]}
  get view() {
    const half_x = this.width / 2 / this.scale;
    const half_z = this.height / 2 / this.scale;
    return {x: [this.x - half_x, this.x + half_x], z: [this.z - half_z, this.z + half_z]};
  }

  to_pixels(x, z) {
    return {left: (x - this.x) * this.scale + this.width / 2, top: (this.z - z) * this.scale + this.height / 2};
  }

  to_world(left, top) {
    return {x: (left - this.width / 2) / this.scale + this.x, z: this.z - (top - this.height / 2) / this.scale};
  }

  pan(pixels_left, pixels_top) {
    this.x -= pixels_left / this.scale;
    this.z += pixels_top / this.scale;
  }

  // Keeps the point at (left, top) in place.
  zoom(factor, left = this.width / 2, top = this.height / 2) {
    const {x, z} = this.to_world(left, top);
    this.scale = Math.max(scale_min, Math.min(scale_max, this.scale * factor));
    const after = this.to_world(left, top);
    this.x += x - after.x;
    this.z += z - after.z;
  }

  fit({x, z}) {
    this.x = (x[0] + x[1]) / 2;
    this.z = (z[0] + z[1]) / 2;
    const fits = Math.min(this.width / Math.max(1, x[1] - x[0]), this.height / Math.max(1, z[1] - z[0]));
    this.scale = Math.max(scale_min, Math.min(8, fits * 0.92));
  }
}
