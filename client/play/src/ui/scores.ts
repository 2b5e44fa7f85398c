// The player's own figures, and the players in view.
import type { Client, Entity } from "@mobula/client";
import { playerColour } from "../world/creatures.js";
import { element, make, setText } from "./elements.js";

const shownMax = 8;

interface Avatar {
  readonly player: number;
  readonly score: number;
  readonly tags: number;
}

export interface Player extends Avatar {
  readonly entity: Entity;
  readonly name: string;
}

export function playersOf(client: Client): Player[] {
  return client
    .entities("Avatar")
    .map((entity) => ({
      entity,
      name: (client.get(entity, "Name") as { text: string } | null)?.text ?? "",
      ...(client.get(entity, "Avatar") as unknown as Avatar),
    }))
    .sort((a, b) => b.score + 5 * b.tags - (a.score + 5 * a.tags) || a.player - b.player);
}

/** Returns the players that the list has room for, in their order: the best, and always one's own. */
export function listed(players: readonly Player[], own: Entity): Player[] {
  if (players.length <= shownMax) return [...players];
  const others = players.slice(0, shownMax).some(({ entity }) => entity === own) ? shownMax : shownMax - 1;
  return players.filter(({ entity }, place) => place < others || entity === own);
}

export class Scores {
  private readonly list = element("score-list");
  private readonly name = element("own-name");
  private readonly score = element("own-score");
  private readonly tags = element("own-tags");
  private readonly bar = element("health-bar");
  private readonly health = element("health-text");
  private last = "";

  show(client: Client, players: readonly Player[]): void {
    const own = players.find(({ entity }) => entity === client.player);
    setText(this.name, own?.name ?? "");
    setText(this.score, String(own?.score ?? 0));
    setText(this.tags, String(own?.tags ?? 0));
    const health = client.get(client.player, "Health") as { current: number; maximum: number } | null;
    if (health !== null) {
      setText(this.health, `${health.current} / ${health.maximum}`);
      this.bar.style.transform = `scaleX(${Math.min(1, health.current / Math.max(health.maximum, 1))})`;
    }
    this.showList(client, players);
  }

  private showList(client: Client, players: readonly Player[]): void {
    const shown = listed(players, client.player);
    const more = players.length - shown.length;
    const state = `${more} ` + shown.map(({ entity, name, score, tags }) => `${entity} ${score} ${tags} ${name}`).join("\n");
    if (state === this.last) return;
    this.last = state;
    this.list.replaceChildren(
      ...shown.map(({ entity, player, name, score, tags }) => {
        const row = make("li", entity === client.player ? "own" : "");
        const dot = make("span", "dot");
        dot.style.background = `#${playerColour(player).getHexString()}`;
        row.append(dot, make("span", "who", name), make("span", "score", String(score)), make("span", "tags", tags === 1 ? "1 tag" : `${tags} tags`));
        return row;
      }),
      ...(more > 0 ? [make("li", "more", `and ${more} more`)] : []),
    );
  }
}
