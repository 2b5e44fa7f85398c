// Rules in C++ for the prediction of a client: an entry of its own, so that pages without them do not load it.
export type { ModuleOptions, ModuleStatistics, RulesModule } from "./rules_module/rules_module.js";
export { loadRules } from "./rules_module/rules_module.js";
