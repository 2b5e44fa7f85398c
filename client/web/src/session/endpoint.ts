// The client's end of netcode: the handshake with the servers of a token, then a session, then its end.
import type { End, EndReason } from "../core/refusal.js";
import { ReplayWindow, datagramBytesMax, openPacket, packetType, requestPacket, sealPacket } from "./packet.js";
import { messageBytesMax } from "./reliable_sender.js";
import { Session, endBody } from "./session.js";
import type { ConnectToken } from "./token.js";

const handshakeInterval = 100;
const endCopies = 4;

export type Step = "requesting" | "responding" | "connected" | "closed";

/** Sends a datagram to the server that the endpoint is at. */
export type Send = (datagram: Uint8Array) => void;

export class Endpoint {
  step: Step = "requesting";
  session: Session;
  end: End | null = null;
  /** Whether a server has answered. */
  isAnswered = false;
  /** Place of the server in the list of addresses. */
  server = 0;
  private sequence = 0; // that of the next packet
  private window = new ReplayWindow();
  private challenge: Uint8Array = new Uint8Array(0);
  private nextStep: number;
  private lastReceived: number;
  private lastCall: number;
  private readonly started: number;
  private pause = 0; // longest time without a call, if that is beyond the timeout

  constructor(
    private readonly token: ConnectToken,
    private readonly servers: number,
    now: number,
    trusted: boolean,
  ) {
    this.session = new Session(trusted);
    this.started = this.nextStep = this.lastReceived = this.lastCall = now;
  }

  private get timeout(): number {
    return Math.max(this.token.timeoutSeconds, 0) * 1000;
  }

  private isTimedOut(now: number): boolean {
    return this.timeout > 0 && now - this.lastReceived >= this.timeout;
  }

  private timeoutText(): string {
    const limit = `${this.token.timeoutSeconds} s, the timeout of the connect token`;
    return `no packet from the server for ${limit}: check the network, or use a token with a longer one`;
  }

  /** A client that was stopped for as long as the timeout is lost, as the server has seen it. */
  private notePause(now: number): void {
    const pause = now - this.lastCall;
    this.lastCall = now;
    if (this.step === "connected" && this.timeout > 0 && pause >= this.timeout) this.pause = pause;
  }

  receive(datagram: Uint8Array, now: number): void {
    this.notePause(now);
    if (this.step === "closed" || this.pause > 0 || datagram.length > datagramBytesMax) return;
    const packet = openPacket(this.token.protocolId, this.token.serverToClient, datagram, this.window);
    if (packet === null) return;
    this.isAnswered = true;
    this.handle(packet.type, packet.body, now);
  }

  private handle(type: number, body: Uint8Array, now: number): void {
    if (type === packetType.denied && this.step !== "connected") return this.tryNext("server full", now);
    if (type === packetType.challenge && this.step === "requesting") {
      this.challenge = body;
      this.step = "responding";
      this.lastReceived = this.nextStep = now;
    } else if (type === packetType.keepAlive && this.step !== "requesting") {
      this.step = "connected";
      this.lastReceived = now;
    } else if (type === packetType.payload && this.step === "connected") {
      this.lastReceived = now;
      this.session.receive(body, now);
      if (this.session.ended !== null) this.finish(this.session.ended);
    } else if (type === packetType.disconnect && this.step === "connected") {
      this.finish({ reason: "left", text: "the server closed the connection" });
    }
  }

  update(now: number, send: Send): void {
    this.notePause(now);
    if (this.step === "connected") this.updateSession(now, send);
    else if (this.step !== "closed") this.updateHandshake(now, send);
  }

  private updateHandshake(now: number, send: Send): void {
    if (now - this.started >= this.token.lifetime * 1000)
      return this.finish({ reason: "token expired", text: "the connect token expired during the handshake" });
    if (this.isTimedOut(now)) {
      this.tryNext(this.step === "requesting" ? "no answer" : "handshake timed out", now);
      if (this.end !== null) return;
    }
    if (now < this.nextStep) return;
    this.nextStep = now + handshakeInterval;
    if (this.step === "requesting") send(requestPacket(this.token.protocolId, this.token.request));
    else this.seal(packetType.response, this.challenge, send);
  }

  private updateSession(now: number, send: Send): void {
    if (this.pause > 0)
      return this.close(
        { reason: "timed out", text: `this client was stopped for ${Math.round(this.pause / 1000)} s` },
        send,
      );
    if (this.session.isBroken)
      return this.close(
        { reason: "protocol error", text: `a reliable message has more than ${messageBytesMax} bytes` },
        send,
      );
    if (this.isTimedOut(now))
      return this.close({ reason: "timed out", text: this.timeoutText() }, send);
    this.session.flush(now, (body) => this.seal(packetType.payload, body, send));
  }

  private seal(type: number, body: Uint8Array, send: Send): void {
    send(sealPacket(this.token.protocolId, this.token.clientToServer, type, this.sequence++, body));
  }

  /** Proceeds to the next server. Its packets continue the sequence, because the keys are the same. */
  private tryNext(reason: EndReason, now: number): void {
    if (this.server + 1 >= this.servers) return this.finish({ reason, text: "" });
    ++this.server;
    this.step = "requesting";
    this.window = new ReplayWindow();
    this.lastReceived = this.nextStep = now;
  }

  pipeClosed(why: string, now: number): void {
    if (this.step === "connected") this.finish({ reason: "pipe lost", text: why });
    else if (this.step !== "closed") this.tryNext("pipe lost", now);
  }

  /** Ends the session. The server may already have one, even if this client still waits for it. */
  close(end: End, send: Send): void {
    if (this.step === "closed") return;
    for (let i = 0; i < endCopies && this.step !== "requesting"; ++i) this.seal(packetType.payload, endBody(end), send);
    this.finish(end);
  }

  private finish(end: End): void {
    this.step = "closed";
    this.end = end;
  }
}
