// The game: joins the village, draws it, and turns what the player does into commands.
import { type Client, type Entity, type FailedCommand, type ReceivedEvent, entityOf } from "@mobula/client";
import { encode } from "@mobula/client/messages";
import { Color, Vector3 } from "three";
import { Chat as ChatCommand, Tag, Throw } from "../../web/demo/demo_commands.js";
import type { Body, Handle } from "../../web/demo/demo_events.js";
import { type Aim, aimHeight, aimOf, arc, straight, tagRange, wayTo } from "./input/aim.js";
import { Controls, type Point } from "./input/controls.js";
import { attachStick } from "./input/stick.js";
import { BotCrew } from "./session/bot_crew.js";
import { Commands } from "./session/commands.js";
import { Entrance } from "./session/entrance.js";
import { readEvent } from "./session/events.js";
import { failureText } from "./session/failed.js";
import type { Conditions, Counts } from "./session/slow_network.js";
import { PredictedMotion } from "./session/predicted_motion.js";
import { loadDemoRules } from "./session/demo_rules.js";
import { Timeline } from "./session/timeline.js";
import { Chat } from "./ui/chat.js";
import { element } from "./ui/elements.js";
import { FrameTimes } from "./ui/frame_times.js";
import { Labels } from "./ui/labels.js";
import { Notice } from "./ui/notice.js";
import { Panel, type Switches } from "./ui/panel.js";
import { type Player, Scores, playersOf } from "./ui/scores.js";
import { Toasts } from "./ui/toasts.js";
import { WalkHint } from "./ui/walk_hint.js";
import { FollowCamera } from "./view/follow_camera.js";
import { Stage } from "./view/stage.js";
import type { Creature } from "./world/creatures.js";
import { Effects } from "./world/effects.js";
import { Village } from "./world/village.js";

const scoresTime = 400; // ms between new scores
const kinds = ["coin", "medkit", "key"];
const gold = new Color(0xffce6a);
const pale = new Color(0x9fc4d8);
const handleOf = ({ index, generation }: Handle): Entity => entityOf(index, generation);
const patience = 700; // ms beyond the round trip, after which a tag has missed

export class Game {
  readonly stage: Stage;
  readonly village: Village;
  readonly conditions: Conditions = { latency: 0, jitter: 0, loss: 0 };
  readonly counts: Counts = { passed: 0, dropped: 0 };
  readonly camera: FollowCamera;
  client: Client | null = null;
  timeline: Timeline | null = null;
  players: Player[] = [];
  /** Time of frames without drawing. */
  readonly times = new FrameTimes();
  private readonly centre = new Vector3(0, 0, 6);
  private readonly facing = new Vector3(0, 0, 1);
  private readonly before = new Vector3();
  private readonly effects: Effects;
  private readonly labels: Labels<Entity | "ghost">;
  private readonly notice = new Notice();
  private readonly toasts = new Toasts();
  private readonly scores = new Scores();
  private readonly walkHint = new WalkHint(element("walk-hint"));
  private readonly commands = new Commands();
  private readonly chat: Chat;
  private readonly panel: Panel;
  private readonly controls: Controls;
  private readonly entrance: Entrance;
  private isShown = false; // the player's avatar, for the first time
  private motion: PredictedMotion | null = null;
  private isSmoothing = true;
  private lastScores = 0;
  private lastFrame = performance.now();
  private tagsUnderWay: number[] = []; // when each was given

  constructor(quality: number, isCalm: boolean) {
    const view = element<HTMLCanvasElement>("view");
    this.stage = new Stage(view, quality);
    this.village = new Village(this.stage.scene, isCalm);
    this.camera = new FollowCamera(this.stage.camera, this.village.scenery.walls, isCalm);
    this.effects = new Effects(this.stage.scene, isCalm);
    this.labels = new Labels(element("labels"), this.stage.camera);
    this.panel = new Panel(this.conditions, this.counts, (switches) => this.onSwitch(switches));
    this.panel.offerPrediction(false, "the rules are being loaded");
    this.chat = new Chat(
      (text) => this.commands.act(() => encode(ChatCommand, { text })),
      () => view.focus(),
    );
    this.controls = new Controls(view, {
      throw: (at) => this.throw(at),
      tag: (at) => this.tag(at),
      turn: (yaw, pitch) => this.camera.turn(yaw, pitch),
      zoom: (factor) => this.camera.zoom(factor),
      toggle: (what) => this.toggles[what]?.(),
    });
    attachStick(element("stick"), element("knob"), this.controls);
    new BotCrew(
      { add: element("do-bots"), dismiss: element("do-no-bots"), state: element("bots-state") },
      (why) => this.toasts.show(`No bots: ${why}`, "bad"),
    );
    this.entrance = new Entrance(this.notice, this.conditions, this.counts, (client) => this.begin(client));
    this.bindButtons();
  }

  join(name: string): Promise<void> {
    return this.entrance.join(name);
  }

  /** Ends the session, when the page is left. */
  leave(): void {
    this.entrance.leave();
  }

  private begin(client: Client): void {
    this.client = client;
    this.timeline = new Timeline(client);
    this.motion = null;
    this.isSmoothing = true;
    this.commands.restart();
    this.village.follow(client);
    client.onEvent = (event) => this.onEvent(event);
    client.onCommandFailed = (failed) => this.onCommandFailed(failed);
    void this.predict(client, this.timeline);
  }

  /** Predicts as soon as the rules are loaded. Without them the game goes on. */
  private async predict(client: Client, timeline: Timeline): Promise<void> {
    try {
      const rules = await loadDemoRules();
      if (this.client !== client) return;
      this.motion = new PredictedMotion(client, rules, {
        onStone: (local) => this.village.putStone(local),
        onStoneEnded: (local) => this.village.removeStone(local),
        onFailed: (why) => this.stopPredicting(why),
        onImpact: ({ x, y, z }) => this.effects.dust(new Vector3(x, y, z)),
      });
      timeline.own = this.motion;
      this.panel.offerPrediction(true);
      this.onSwitch(this.panel.switches());
    } catch (error) {
      if (this.client === client) this.stopPredicting(error instanceof Error ? error.message : String(error));
    }
  }

  private stopPredicting(why: string): void {
    this.motion = null;
    if (this.timeline !== null) this.timeline.own = null;
    this.panel.offerPrediction(false, why);
    this.toasts.show(`No prediction: ${why}`, "bad");
  }

  private onSwitch({ prediction, smoothing }: Switches): void {
    if (this.motion === null) return;
    this.motion.isShown = prediction;
    if (smoothing !== this.isSmoothing) this.motion.restart(smoothing);
    this.isSmoothing = smoothing;
  }

  // What the player does --------------------------------------------------------------------------------------------

  private readonly toggles: Readonly<Record<string, () => void>> = {
    chat: () => this.chat.open(),
    panel: () => this.toggleBox("panel"),
    help: () => this.toggleBox("help"),
    ghost: () => this.panel.toggleGhost(),
    close: () => {
      this.chat.close();
      this.closeBoxes();
      element("view").focus();
    },
  };

  private toggleBox(which: "panel" | "help"): void {
    const isOpen = element(which).hidden;
    this.closeBoxes();
    element(which).hidden = !isOpen;
    element(`do-${which}`).setAttribute("aria-expanded", String(isOpen));
  }

  private closeBoxes(): void {
    for (const which of ["panel", "help"]) {
      element(which).hidden = true;
      element(`do-${which}`).setAttribute("aria-expanded", "false");
    }
  }

  private bindButtons(): void {
    element("do-throw").addEventListener("click", () => this.throw(null));
    element("do-tag").addEventListener("click", () => this.tag(null));
    for (const close of document.querySelectorAll(".close")) close.addEventListener("click", () => this.toggles["close"]!());
    for (const what of ["chat", "panel", "help"])
      element(`do-${what}`).addEventListener("click", () => this.toggles[what]!());
  }

  private aim(point: Point | null): Aim<Creature> | null {
    const own = this.village.own;
    if (own === null) return null;
    const others = this.players
      .map(({ entity }) => this.village.creatures.all.get(entity))
      .filter((creature) => creature !== undefined && creature !== own && creature.isShown) as Creature[];
    return aimOf(this.stage.camera, own.at, this.facing, point, others);
  }

  private throw(point: Point | null): void {
    this.commands.act(() => {
      const aim = this.aim(point);
      return aim === null ? null : encode(Throw, arc(this.village.own!.at, aim.at));
    });
  }

  private tag(point: Point | null): void {
    this.commands.act(() => {
      const aim = this.aim(point);
      if (aim === null) return null;
      const { at } = this.village.own!;
      const way = straight(at, aim.at);
      const from = new Vector3(at.x, at.y + aimHeight, at.z);
      const reach = aim.target === null ? tagRange : Math.min(tagRange, from.distanceTo(aim.at));
      this.effects.tracer(from, from.clone().addScaledVector(way, reach), pale);
      this.tagsUnderWay.push(performance.now());
      return encode(Tag, way);
    });
  }

  // What happens ----------------------------------------------------------------------------------------------------

  private nameOf(entity: Entity): string {
    return (this.client?.get(entity, "Name") as { text: string } | null)?.text ?? "somebody";
  }

  private onEvent({ bytes }: ReceivedEvent): void {
    const event = readEvent(bytes);
    if (event !== null) this.onDemoEvent(event);
  }

  private onDemoEvent({ kind, value }: Body): void {
    switch (kind) {
      case "ChatMessage":
        return this.chat.add(value.name, value.text);
      case "PickupTaken":
        if (handleOf(value.by) === this.client?.player) this.toasts.show(`+${value.amount} ${kinds[value.kind] ?? ""}`, "good");
        return;
      case "StoneHit":
        // An own stone's impact is shown by prediction already.
        if (this.motion?.isRunning && this.isOwnStone(handleOf(value.stone))) return;
        return this.effects.dust(new Vector3(value.at.x, value.at.y, value.at.z));
      case "Tagged":
        return this.onTagged(handleOf(value.by), handleOf(value.avatar));
    }
  }

  private onCommandFailed(failed: FailedCommand): void {
    const text = failureText(failed);
    if (text !== null) this.toasts.show(text, "bad");
  }

  private isOwnStone(stone: Entity): boolean {
    const thrown = this.client?.get(stone, "Stone") as { by: Entity } | null | undefined;
    return thrown?.by === this.client?.player;
  }

  private onTagged(by: Entity, avatar: Entity): void {
    const [from, to] = [by, avatar].map((entity) => this.village.creatures.all.get(entity)?.at);
    if (from !== undefined && to !== undefined) {
      const [begin, end] = [from.clone().setY(from.y + aimHeight), to.clone().setY(to.y + 0.9)];
      this.effects.tracer(begin, end, gold);
      this.effects.ring(to, gold);
    }
    if (by === this.client?.player) {
      this.tagsUnderWay.shift();
      this.toasts.show(`You tagged ${this.nameOf(avatar)}!`, "good");
    } else if (avatar === this.client?.player) {
      this.toasts.show(`${this.nameOf(by)} tagged you`);
      this.toasts.flash();
    }
  }

  /** A tag that hit is answered by an event. Without one it has missed. */
  private judgeTags(now: number): void {
    const limit = (this.client?.link.rtt ?? 0) + patience;
    while (this.tagsUnderWay.length > 0 && now - this.tagsUnderWay[0]! > limit) {
      this.tagsUnderWay.shift();
      this.toasts.show("Missed", "bad");
    }
  }

  // Frames ----------------------------------------------------------------------------------------------------------

  /** Computes and draws a frame. */
  frame(now: number): void {
    const seconds = Math.min(0.1, (now - this.lastFrame) / 1000);
    this.lastFrame = now;
    const { client, timeline } = this;
    this.controls.update(seconds, now);
    if (client !== null && timeline !== null) this.play(client, timeline, seconds, now);
    this.effects.update(seconds);
    this.entrance.watch(now);
    this.times.note(performance.now() - now);
    this.stage.draw(this.camera.centre, now);
  }

  private play(client: Client, timeline: Timeline, seconds: number, now: number): void {
    const way = this.way();
    this.commands.move(way.x, way.z);
    this.walkHint.update(way.x !== 0 || way.z !== 0, now);
    this.commands.update(client);
    client.update();
    if (this.client !== client) return; // the update has ended it
    timeline.beginFrame();
    this.before.copy(this.centre);
    this.village.place(now, seconds);
    this.village.draw(timeline.shown, seconds, this.panel.switches().ghost, this.stage.reach, this.centre);
    if (this.village.own?.isShown) {
      if (!this.isShown) performance.mark("avatar shown");
      this.isShown = true;
      this.camera.follow(this.centre, seconds);
    }
    this.turnFacing(way);
    if (now - this.lastScores > scoresTime) {
      this.lastScores = now;
      this.players = playersOf(client);
      this.scores.show(client, this.players);
    }
    this.drawLabels(client);
    this.judgeTags(now);
    this.panel.update(client, timeline, now);
  }

  /** Returns the direction that the player wants to go in: by keys and stick, or else to the held mouse. */
  private way(): { x: number; z: number } {
    const { right, up } = this.controls.walk();
    const point = this.controls.walkPoint();
    const own = this.village.own;
    if (right !== 0 || up !== 0 || point === null || own === null) return this.camera.ground(right, up);
    return wayTo(this.stage.camera, own.at, point);
  }

  /** The avatar faces where it last went. */
  private turnFacing(way: { readonly x: number; readonly z: number }): void {
    if (way.x !== 0 || way.z !== 0) this.facing.set(way.x, 0, way.z).normalize();
  }

  private drawLabels(client: Client): void {
    const { labels, village } = this;
    const above = new Vector3();
    labels.begin();
    for (const { entity, at, model, isShown } of village.creatures.all.values()) {
      if (!isShown || model.kind === "spins" || model.kind === "flies") continue;
      const text = (client.get(entity, "Name") as { text: string } | null)?.text ?? "";
      if (text === "") continue;
      const life = client.get(entity, "Health") as { current: number; maximum: number } | null;
      const isAvatar = client.get(entity, "Avatar") !== null;
      const kind = entity === client.player ? "own" : isAvatar ? "player" : "mob";
      const health = life === null ? null : Math.min(1, life.current / Math.max(life.maximum, 1));
      labels.put(entity, kind, above.set(at.x, at.y + (isAvatar ? 2.05 : 1.35), at.z), text, kind === "mob" && health === 1 ? null : health);
    }
    const ghost = village.marks.ghostAt;
    if (ghost !== null) labels.put("ghost", "ghost", above.set(ghost.x, ghost.y + 2.4, ghost.z), "server", null);
    labels.end();
  }
}
