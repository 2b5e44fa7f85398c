import assert from "node:assert/strict";
import { test } from "node:test";
import { toHex } from "../../src/core/bytes.js";
import { Session, endBody } from "../../src/session/session.js";
import { newSeed, randomOf } from "../support/random.js";

/** Two ends, and bodies between them that are lost, delayed and doubled. */
class Path {
  readonly ends = [new Session(), new Session()] as const;
  now = 0;
  private waiting: { at: number; to: number; body: Uint8Array }[] = [];

  constructor(
    private readonly random: () => number,
    private readonly loss: number,
    public delay = 0,
  ) {}

  step(): void {
    this.now += 10;
    const due = this.waiting.filter(({ at }) => at <= this.now);
    this.waiting = this.waiting.filter(({ at }) => at > this.now);
    for (const { to, body } of due) this.ends[to]!.receive(body, this.now);
    this.ends.forEach((end, from) =>
      end.flush(this.now, (body) => {
        for (let copies = this.random() < 0.1 ? 2 : 1; copies > 0; --copies)
          if (this.random() >= this.loss)
            this.waiting.push({ at: this.now + this.delay + this.random() * 100, to: 1 - from, body: body.slice() });
      }),
    );
  }
}

const messageOf = (n: number, size: number): Uint8Array => Uint8Array.from({ length: size }, (_, i) => n * 31 + i);

for (const loss of [0, 0.3])
  test(`Session.DeliversReliableMessagesInOrderAtLoss_${loss * 100}`, () => {
    const seed = newSeed();
    const random = randomOf(seed);
    const path = new Path(random, loss);
    const sent = Array.from({ length: 60 }, (_, n) => messageOf(n, Math.floor(random() * 3000)));
    const received: string[] = [];
    for (let step = 0; step < 3000 && received.length < sent.length; ++step) {
      if (step < sent.length) path.ends[0].sendReliable(sent[step]!);
      path.step();
      received.push(...path.ends[1].drainReliable().map(toHex));
    }
    assert.deepEqual(received, sent.map(toHex), `seed ${seed}`);
  });

test("Session.DeliversAnUnreliableMessageAtMostOnce", () => {
  const seed = newSeed();
  const path = new Path(randomOf(seed), 0.1);
  const received: string[] = [];
  for (let step = 0; step < 300; ++step) {
    if (step < 250) path.ends[0].sendUnreliable(messageOf(step, 4));
    path.step();
    received.push(...path.ends[1].drainUnreliable().map(toHex));
  }
  assert.equal(new Set(received).size, received.length, `seed ${seed}`);
  assert.ok(received.length > 150, `seed ${seed}`);
});

test("Session.MeasuresTheRoundTrip", () => {
  const path = new Path(() => 0.5, 0);
  for (let step = 0; step < 300; ++step) {
    path.ends[0].sendUnreliable(messageOf(step, 4));
    path.step();
  }
  assert.ok(path.ends[0].link.rtt > 90 && path.ends[0].link.rtt < 150, `${path.ends[0].link.rtt} ms`);
});

test("Session.DropsBodiesThatAcknowledgeWhatWasNeverSent", () => {
  const session = new Session();
  const body = Uint8Array.of(1, 0, 9, 0, 0, 0, 0, 0, 1, 0, 7);
  session.receive(body, 0);
  assert.equal(session.drainUnreliable().length, 0);
  body[2] = 0;
  session.receive(body, 0);
  assert.equal(session.drainUnreliable().length, 1);
});

test("Session.EndsWithTheReasonOfTheOtherSide", () => {
  const session = new Session();
  session.receive(endBody({ reason: "kicked", text: "too loud" }), 0);
  assert.deepEqual(session.ended, { reason: "kicked", text: "too loud" });
});

test("Session.WithoutAcknowledgementsStopsAt8192Bodies", () => {
  const session = new Session();
  const bodies: Uint8Array[] = [];
  for (let now = 0; now < 9000 * 10; now += 10) {
    session.sendUnreliable(Uint8Array.of(1));
    session.flush(now, (body) => void bodies.push(body));
  }
  const sequences = new Set(bodies.map((body) => body[0]! | (body[1]! << 8)));
  assert.ok(sequences.size >= 8192 && sequences.size <= 8194, `${sequences.size}`);
  assert.ok(bodies.slice(-3).every((body) => body.length === 8));
});

test("Session.QueuesAtMost256KibOfUnreliableMessages", () => {
  const session = new Session();
  for (let i = 0; i < 10_000; ++i) session.sendUnreliable(new Uint8Array(1000));
  let sent = 0;
  session.flush(0, (body) => void (sent += body.length > 8 ? 1 : 0));
  assert.equal(sent, Math.floor((256 * 1024) / 1016));
  session.sendUnreliable(new Uint8Array(1000));
  session.flush(10, () => void ++sent);
  assert.equal(sent, Math.floor((256 * 1024) / 1016) + 1);
});

test("Session.MeasuresARoundTripThatGrowsBeyondItsPatience", () => {
  const path = new Path(() => 0.5, 0);
  const [{ link }] = path.ends;
  const play = (steps: number): void => {
    for (let step = 0; step < steps; ++step) {
      path.ends[0].sendUnreliable(messageOf(step, 4));
      path.step();
    }
  };
  play(300);
  assert.ok(link.patience() < 700, `${link.patience()} ms`);
  path.delay = 400;
  play(600);
  assert.ok(link.rtt > 850 && link.rtt < 1000, `${link.rtt} ms`);
  const { lost } = link;
  play(100);
  assert.ok(link.lost <= lost, "nothing is lost any more, and what was late is not");
});
