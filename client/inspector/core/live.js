// Live feed: one WebSocket with at most one subscription per topic. Reconnects when the connection is lost. Disconnects
// while the page is hidden.
import {parse_exactly} from './api.js';
import {demand_token, token} from './token.js';

const waits_ms = [500, 1000, 2000, 4000, 5000];
const asleep_after_ms = 15000;

// state: 'connecting', 'open', 'waiting' (for the next attempt, at retry_at), 'asleep'. Each change emits 'change'.
export class Live extends EventTarget {
  state = 'connecting';
  retry_at = 0;
  #socket = null;
  #subscriptions = new Map();
  #failures = 0;
  #timer = 0;
  #refused = false;

  constructor() {
    super();
    document.addEventListener('visibilitychange', () => this.#visibility());
  }

  // on_frame(frame) and on_error(error) are called until signal aborts or another subscriber takes the topic.
  subscribe(topic, parameters, {on_frame, on_error = () => {}, signal}) {
    const subscription = {parameters, on_frame, on_error};
    this.#subscriptions.set(topic, subscription);
    this.#send({subscribe: topic, ...parameters});
    signal?.addEventListener('abort', () => {
      if (this.#subscriptions.get(topic) !== subscription) return;
      this.#subscriptions.delete(topic);
      this.#send({unsubscribe: topic});
    }, {once: true});
  }

  // Changes the parameters of a subscription: its frames start anew.
  refine(topic, parameters) {
    const subscription = this.#subscriptions.get(topic);
    if (!subscription) return;
    subscription.parameters = parameters;
    this.#send({subscribe: topic, ...parameters});
  }

  connect() {
    clearTimeout(this.#timer);
    const address = new URL('api/live', document.baseURI);
    address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
    const bearer = token();
    const socket = new WebSocket(address);
    this.#socket?.close();  // may still be connecting
    this.#socket = socket;
    this.#refused = false;
    if (this.state !== 'waiting') this.#become('connecting');
    socket.onopen = () => {
      if (bearer) socket.send(JSON.stringify({token: bearer}));
    };
    socket.onmessage = (message) => {
      if (socket === this.#socket) this.#on_message(message.data, bearer);
    };
    socket.onclose = () => {
      if (socket === this.#socket && !this.#refused) this.#retry();
    };
  }

  #on_message(text, bearer) {
    const frame = text.startsWith('{"topic":"entity"') ? parse_exactly(text) : JSON.parse(text);
    if (frame.topic === 'welcome') return this.#welcome();
    if (frame.topic !== 'error') return this.#subscriptions.get(frame.topic)?.on_frame(frame);
    if (frame.code === 'unauthorized') return this.#unauthorized(bearer);
    const subscription = this.#subscriptions.get(frame.about);
    if (frame.ended) this.#subscriptions.delete(frame.about);
    subscription?.on_error(frame);
  }

  #welcome() {
    this.#failures = 0;
    this.#become('open');
    for (const [topic, {parameters}] of this.#subscriptions) this.#send({subscribe: topic, ...parameters});
  }

  #unauthorized(bearer) {
    this.#refused = true;
    demand_token(bearer).then(() => this.connect());
  }

  #send(message) {
    if (this.state === 'open') this.#socket.send(JSON.stringify(message));
  }

  #retry() {
    const wait = waits_ms[Math.min(this.#failures++, waits_ms.length - 1)];
    this.retry_at = Date.now() + wait;
    this.#become('waiting');
    this.#timer = setTimeout(() => this.connect(), wait);
  }

  #visibility() {
    if (!document.hidden) {
      if (this.state === 'asleep') this.connect();
      else if (this.state === 'open') clearTimeout(this.#timer);
    } else if (this.state === 'open') {
      this.#timer = setTimeout(() => this.#sleep(), asleep_after_ms);
    }
  }

  #sleep() {
    const socket = this.#socket;
    this.#socket = null;
    this.#become('asleep');
    socket.close();
  }

  #become(state) {
    this.state = state;
    this.dispatchEvent(new Event('change'));
  }
}
