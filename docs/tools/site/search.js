// Search without a server: pages that are opened from disk may neither fetch the index nor start a worker.
// search/offline.js, made with the site, gives index and worker to these.

var __search = { index: null };
let searchWorker = null;

function offlineSearch(index, worker) {
  __search.index = Promise.resolve(index);
  searchWorker = worker;
}

// Stands in for the worker that the theme starts: its program runs in the page. The site starts no other one.
window.Worker = class {
  constructor() {
    this.listeners = [];
    const listen = (type, listener) => this.listeners.push(listener);
    const answer = (data) => setTimeout(() => this.#deliver(data));
    searchWorker(window, listen, answer);
    this.heard = this.listeners.splice(0);
  }

  addEventListener(type, listener) {
    if (type === "message") this.listeners.push(listener);
  }

  removeEventListener(type, listener) {
    this.listeners = this.listeners.filter((each) => each !== listener);
  }

  postMessage(data) {
    for (const listener of this.heard) listener({ data });
  }

  terminate() {
    this.listeners = [];
  }

  #deliver(data) {
    const event = new MessageEvent("message", { data });
    for (const listener of [...this.listeners]) listener(event);
    if (this.onmessage) this.onmessage(event);
  }
};
