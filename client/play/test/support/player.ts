// A player of a test: a page of the game that is played by keys and pointer.
import assert from "node:assert/strict";
import { type Browser, type Page, sleep } from "./browser.mjs";

// Pictures are small, plain and few, because tests draw without a graphics card.
const size = { width: 512, height: 288, pause: 40 };

export interface Spot {
  readonly x: number;
  readonly z: number;
}

/** Returns an expression for the place of an entity in the server's newest state. */
const spotOf = (entity: string): string =>
  `(({ position: { x, z } }) => ({ x, z }))(play.game.client.get(${entity}, "Transform"))`;

export class Player {
  private constructor(readonly page: Page) {}

  static async join(browser: Browser, url: string, more: { calm?: boolean; touch?: boolean; name?: string; width?: number; height?: number } = {}): Promise<Player> {
    const page = await browser.open(`${url}?quality=3`, { ...size, ...more });
    const player = new Player(page);
    await page.until("globalThis.play?.game.village.own?.isShown && play.game.players.length > 0");
    if (more.name !== undefined) await player.rename(more.name);
    return player;
  }

  private async rename(name: string): Promise<void> {
    await this.page.run(`document.getElementById("name-text").value = ${JSON.stringify(name)};
      document.getElementById("name-form").requestSubmit()`);
    await this.page.until(`document.getElementById("own-name").textContent === ${JSON.stringify(name)} && play.game.village.own?.isShown`);
  }

  /** Returns where the server has the player's own avatar. */
  spot(): Promise<Spot> {
    return this.page.run(spotOf("play.game.client.player"));
  }

  /** Returns where the page shows the player's own avatar. */
  shown(): Promise<Spot> {
    return this.page.run("(({ x, z }) => ({ x, z }))(play.game.village.own.at)");
  }

  entity(): Promise<string> {
    return this.page.run("String(play.game.client.player)");
  }

  /** Returns where this page shows another player's avatar; null if it does not see it. */
  shownOf(entity: string): Promise<Spot | null> {
    return this.page.run(`(({ x, z } = {}) => (x === undefined ? null : { x, z }))(play.game.village.creatures.all.get(${entity}n)?.at)`);
  }

  /** Turns the view so that the key W leads to a place. */
  face({ x, z }: Spot): Promise<void> {
    return this.page.run(`void (() => {
      const { at } = play.game.village.own;
      play.game.camera.yaw = Math.atan2(at.x - ${x}, at.z - ${z});
    })()`);
  }

  /** Holds the key W until the avatar is near a place. Where a house is in the way, it goes aside. */
  async walkTo(goal: Spot, near = 1.5, seconds = 60): Promise<void> {
    await this.face(goal);
    await this.page.down("KeyW");
    let last = await this.spot();
    for (const end = Date.now() + 1000 * seconds; ; ) {
      await sleep(150);
      const now = await this.spot();
      if (Math.hypot(now.x - goal.x, now.z - goal.z) < near) break;
      assert.ok(Date.now() < end, `the avatar is at ${now.x}, ${now.z}, and does not reach ${goal.x}, ${goal.z}`);
      if (Math.hypot(now.x - last.x, now.z - last.z) < 0.05) await this.goAside();
      await this.face(goal);
      last = now;
    }
    await this.page.up("KeyW");
  }

  private async goAside(): Promise<void> {
    await this.page.down("KeyA");
    await sleep(2000);
    await this.page.up("KeyA");
  }

  /** Waits until the server's newest states have the avatar at one place. */
  async stand(): Promise<void> {
    for (let last = await this.spot(), calm = 0; calm < 5; ) {
      await sleep(80);
      const now = await this.spot();
      calm = now.x === last.x && now.z === last.z ? calm + 1 : 0;
      last = now;
    }
  }

  /** Returns where the middle of an avatar is on the screen. */
  onScreen(entity: string): Promise<{ x: number; y: number }> {
    return this.page.run(`(() => {
      const { at } = play.game.village.creatures.all.get(${entity}n);
      const seen = at.clone().setY(at.y + 0.9).project(play.game.stage.camera);
      return { x: ((seen.x + 1) / 2) * innerWidth, y: ((1 - seen.y) / 2) * innerHeight };
    })()`);
  }

  tags(): Promise<number> {
    return this.page.run(`play.game.client.get(play.game.client.player, "Avatar").tags`);
  }

  /** Fails if the console has an error or a warning. */
  checkConsole(): void {
    assert.deepEqual(this.page.complaints, []);
  }
}
