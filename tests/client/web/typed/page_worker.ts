// Code of docs/web.md: the script of a worker, and the page that starts it. It is compiled, and never run.
import { serveClient } from "@mobula/client/worker";
import { keepLevels } from "@mobula/client/level-cache";

serveClient({ levels: keepLevels() });

import { connectInWorker } from "@mobula/client/worker";
import { schema } from "./components.js";

const worker = new Worker(new URL("./game_worker.js", import.meta.url), { type: "module" });
const client = connectInWorker(worker, { url, token, schema });

export { client };

declare const url: string, token: string;
