// Code of docs/web.md: kept levels, and rules that are a module. It is compiled, and never run.
import { connect } from "@mobula/client";
import { keepLevels } from "@mobula/client/level-cache";

const client = connect({ url, token, levels: await keepLevels() });

import { predict } from "@mobula/client/prediction";
import { loadRules } from "@mobula/client/rules-module";

const answer = await fetch("skate_rules.wasm");
const rules = await loadRules(await answer.arrayBuffer());
const prediction = predict(client, { rules });

export { prediction };

declare const url: string, token: string;
