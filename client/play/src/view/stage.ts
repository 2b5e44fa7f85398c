// The picture: renderer, light, shadow and fog. It lowers its quality where frames take too long.
import {
  Color,
  DirectionalLight,
  Fog,
  HemisphereLight,
  NeutralToneMapping,
  PCFShadowMap,
  PerspectiveCamera,
  Scene,
  Vector3,
  WebGLRenderer,
} from "three";
import { FrameJudge } from "./frame_judge.js";
import { addLandscape, haze } from "./landscape.js";
import { Meadow } from "./meadow.js";

const sunWay = new Vector3(-0.62, 0.62, 0.48).normalize();
const shadowReach = 42; // metres around the player

interface Quality {
  readonly pixels: number; // per pixel of the page
  readonly shadow: number; // side of the shadow map; 0 without
  readonly grass: boolean;
  readonly reach: number; // metres at which the fog ends
  readonly far: number; // metres at which hills end too
}

// The server shows scenery up to 120 metres.
const qualities: readonly Quality[] = [
  { pixels: 2, shadow: 2048, grass: true, reach: 112, far: 1000 },
  { pixels: 1, shadow: 1024, grass: true, reach: 112, far: 1000 },
  { pixels: 0.75, shadow: 512, grass: false, reach: 90, far: 1000 },
  { pixels: 0.5, shadow: 0, grass: false, reach: 60, far: 64 },
];

const fogBegins = 0.34; // part of the reach

export class Stage {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(46, 1, 0.3, 1000);
  private readonly fog = new Fog(haze);
  private readonly renderer: WebGLRenderer;
  private readonly meadow: Meadow;
  private readonly sun = new DirectionalLight(0xffdca8, 2.9);
  private readonly frames = new FrameJudge();
  private quality = 0;

  /** Throws if the browser has no WebGL. */
  constructor(
    private readonly canvas: HTMLCanvasElement,
    quality: number,
  ) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true, powerPreference: "high-performance" });
    this.renderer.toneMapping = NeutralToneMapping;
    this.renderer.toneMappingExposure = 1.0;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.scene.fog = this.fog;
    this.scene.background = new Color(haze);
    this.scene.add(new HemisphereLight(0xd6e4ff, 0xa58f68, 1.75), this.sun, this.sun.target);
    this.setUpShadow();
    addLandscape(this.scene, sunWay);
    this.meadow = new Meadow(this.scene);
    this.setQuality(quality);
    addEventListener("resize", () => this.resize());
    // A hidden page draws no frames.
    document.addEventListener("visibilitychange", () => this.frames.restart());
  }

  private setUpShadow(): void {
    const { camera } = this.sun.shadow;
    camera.left = camera.bottom = -shadowReach;
    camera.right = camera.top = shadowReach;
    camera.far = 160;
    this.sun.shadow.bias = -0.0006;
    this.sun.shadow.normalBias = 0.04;
    this.sun.shadow.radius = 3;
  }

  /** Metres at which fog hides everything. */
  get reach(): number {
    return qualities[this.quality]!.reach;
  }

  setQuality(quality: number): void {
    this.quality = Math.min(Math.max(quality, 0), qualities.length - 1);
    this.frames.restart();
    this.applyQuality();
  }

  private applyQuality(): void {
    const { pixels, shadow, grass, reach, far } = qualities[this.quality]!;
    Object.assign(this.fog, { near: fogBegins * reach, far: reach });
    this.camera.far = far;
    this.meadow.isShown = grass;
    this.renderer.setPixelRatio(Math.min(pixels, Math.max(devicePixelRatio, 1)));
    this.renderer.shadowMap.enabled = this.sun.castShadow = shadow > 0;
    this.sun.shadow.mapSize.set(Math.max(shadow, 1), Math.max(shadow, 1));
    this.sun.shadow.map?.dispose();
    this.sun.shadow.map = null;
    this.resize();
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(height, 1);
    this.camera.updateProjectionMatrix();
  }

  /** Lowers the quality if frames take too long. */
  private judge(now: number): void {
    const verdict = this.frames.judge(now);
    const plainest = qualities.length - 1;
    if (verdict === "fine" || this.quality === plainest) return;
    this.setQuality(verdict === "plainest" ? plainest : this.quality + 1);
  }

  /** The shadow's centre moves by whole texels, so that edges of shadows do not crawl. */
  private followShadow(centre: Vector3): void {
    const texel = (2 * shadowReach) / Math.max(qualities[this.quality]!.shadow, 1);
    const snap = (value: number): number => Math.round(value / texel / 8) * texel * 8;
    this.sun.target.position.set(snap(centre.x), 0, snap(centre.z));
    this.sun.position.copy(this.sun.target.position).addScaledVector(sunWay, 80);
  }

  draw(centre: Vector3, now: number): void {
    this.judge(now);
    this.followShadow(centre);
    this.meadow.follow(centre);
    this.renderer.render(this.scene, this.camera);
  }
}
