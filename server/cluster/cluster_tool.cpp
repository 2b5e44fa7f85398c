#include <CLI/CLI.hpp>
#include <cluster/cluster_tool.hpp>
#include <cluster/commands.hpp>
#include <cluster/serve.hpp>
#include <cluster/world_token.hpp>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <mobula/core/format.hpp>
#include <mobula/core/name.hpp>
#include <mobula/process/command_line.hpp>
#include <mobula/process/log_output.hpp>
#include <mobula/process/standard_output.hpp>

namespace mobula::cluster {
namespace {

constexpr int failed = 1;
constexpr std::chrono::milliseconds log_patience{1000};

constexpr const char* footer = R"(
Examples:
  {0} serve --etcd http://127.0.0.1:2379 --key-file shared.key
  {0} list --etcd http://127.0.0.1:2379
  {0} place lobby --game HASH --etcd http://127.0.0.1:2379
  {0} token lobby anna --key-file shared.key --etcd http://127.0.0.1:2379

A command prints one line of JSON. It ends with status 1 and a reason if what was asked is not possible.)";

// Options of all commands. They have to live until the command has run.
struct Options {
  CommandOptions command;
  ServeOptions serve;
};

CLI::Validator checked(core::Status (*check)(std::string_view text)) {
  return CLI::Validator(
      [check](const std::string& text) {
        const core::Status good = check(text);
        return good ? std::string() : good.error().message;
      },
      "");
}

core::Status check_members(std::string_view text) {
  const core::Result<std::vector<std::string>> members = parse_members(text);
  return members ? core::Status(core::Done{}) : members.error();
}

void add_cluster(CLI::App& command, Options& options) {
  command.add_option("--etcd", options.command.at.etcd, "members of etcd, http://HOST:PORT, several with commas")
      ->type_name("URL")
      ->required()
      ->check(checked(check_members));
  command.add_option("--cluster", options.command.at.cluster, "name of the cluster, with which its keys begin")
      ->type_name("NAME")
      ->check(checked(core::check_name))
      ->capture_default_str();
}

// Adds a positional argument.
void add_name(CLI::App& command, const char* argument, std::string& target, const char* type) {
  command.add_option(argument, target, core::format("name of the {}", argument))
      ->type_name(type)
      ->required()
      ->check(checked(core::check_name));
}

void add_world(CLI::App& command, Options& options) { add_name(command, "world", options.command.world, "WORLD"); }

void add_serve(CLI::App& command, Options& options) {
  command
      .add_option("--address", options.serve.address,
                  "IP address of the HTTP port; one that other machines reach needs --admin-token-file")
      ->type_name("IP")
      ->capture_default_str();
  command.add_option("--port", options.serve.port, "HTTP port; 0 takes any free port")
      ->type_name("PORT")
      ->capture_default_str();
  command
      .add_option("--key-file", options.serve.key_file,
                  "key shared with the servers, for connect tokens; default: no tokens")
      ->type_name("FILE");
  command
      .add_option("--admin-token-file", options.serve.token_file,
                  "file whose first line is the bearer token of the HTTP port")
      ->type_name("FILE");
  command
      .add_option(
          "--node-token-file", options.serve.node_token_file,
          "the same for the admin ports of the nodes, whose worlds the inspector shows; default: that of the HTTP "
          "port")
      ->type_name("FILE");
}

void add_game(CLI::App& command, Options& options) {
  command.add_option("--game", options.command.game, "hash of the game's schema, as its nodes have it")
      ->type_name("HASH")
      ->required()
      ->check(checked(core::check_name));
}

void add_place(CLI::App& command, Options& options) {
  add_world(command, options);
  add_game(command, options);
}

void add_map(CLI::App& command, Options& options) {
  add_name(command, "map", options.command.map, "MAP");
  command.add_option("file", options.command.map_file, "JSON file with the zones")->type_name("FILE")->required();
  add_game(command, options);
}

void add_split(CLI::App& command, Options& options) {
  add_name(command, "map", options.command.map, "MAP");
  add_name(command, "zone", options.command.zone, "ZONE");
  add_name(command, "name", options.command.cut.name, "NEW");
  server::ZoneCut& cut = options.command.cut;
  const auto across = [&](const char* option, const char* help, bool across_x) {
    return command.add_option_function<float>(
        option,
        [&cut, across_x](float metres) {
          cut.at = metres;
          cut.across_x = across_x;
        },
        help);
  };
  auto* const places = command.add_option_group("cut");
  places->add_option(across("--x", "the new zone has the part from this x on, in metres", true));
  places->add_option(across("--z", "the new zone has the part from this z on, in metres", false));
  places->require_option(1);
}

void add_merge(CLI::App& command, Options& options) {
  add_name(command, "map", options.command.map, "MAP");
  add_name(command, "zone", options.command.zone, "ZONE");
  add_name(command, "into", options.command.into, "ZONE");
}

void add_drain(CLI::App& command, Options& options) { add_name(command, "node", options.command.node, "NODE"); }

void add_account(CLI::App& command, Options& options, const char* help) {
  add_world(command, options);
  command.add_option("account", options.command.account, help)
      ->type_name("ACCOUNT")
      ->required()
      ->check(checked(check_account));
}

void add_send(CLI::App& command, Options& options) {
  add_account(command, options, "account of the player");
  command
      .add_option("--node-token-file", options.command.node_token_file,
                  "file whose first line is the bearer token of the nodes' admin ports")
      ->type_name("FILE");
}

void add_token(CLI::App& command, Options& options) {
  add_account(command, options, "account of the player; empty for a guest");
  command.add_option("--key-file", options.command.key_file, "key shared with the servers")
      ->type_name("FILE")
      ->required();
}

void add_nothing(CLI::App& /*command*/, Options& /*options*/) {}

core::Status run_serve(const Options& options) {
  ServeOptions serve_options = options.serve;
  serve_options.at = options.command.at;
  process::log_in_background();
  const core::Status served = serve(serve_options);
  process::flush_log(log_patience);
  return served;
}

template <core::Result<std::string> (*ask)(const CommandOptions& options)>
core::Status run_ask(const Options& options) {
  const core::Result<std::string> line = ask(options.command);
  if (!line) return line.error();
  process::print(*line + '\n');
  return core::Done{};
}

struct Command {
  const char* name;
  const char* help;
  void (*add)(CLI::App& command, Options& options);
  core::Status (*run)(const Options& options);
};
constexpr Command commands[] = {
    {"serve", "place worlds on nodes and answer HTTP until stopped", add_serve, run_serve},
    {"list", "print all nodes and worlds", add_nothing, run_ask<list>},
    {"place", "create a world; like serve, also place worlds that wait", add_place, run_ask<place>},
    {"map", "create a world that is cut into zones, and the world of each zone", add_map, run_ask<map>},
    {"split", "cut a zone in two; the new zone opens on a node that has room", add_split, run_ask<split>},
    {"merge", "give a zone's region to a zone beside it", add_merge, run_ask<merge>},
    {"drain", "let a node close its worlds and take no more", add_drain, run_ask<drain>},
    {"resolve", "print where a world is", add_world, run_ask<resolve>},
    {"send", "send a player to another world", add_send, run_ask<send>},
    {"token", "make a connect token for an open world", add_token, run_ask<token>},
};

}  // namespace

int run_cluster_tool(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // readers of standard output may end first
  const std::string program = argc > 0 ? std::filesystem::path(argv[0]).filename().string() : "mobula-cluster";
  CLI::App app("Places worlds on the nodes of a cluster, and answers backends and operators.", program);
  app.footer(core::format(footer, program));
  app.require_subcommand(1);
  Options options;
  for (const Command& each : commands) {
    CLI::App* const command = app.add_subcommand(each.name, each.help);
    command->footer("");
    each.add(*command, options);
    add_cluster(*command, options);
  }
  if (const auto status = process::parse_command_line(app, argc, argv)) return *status;
  for (const Command& each : commands) {
    if (!app.got_subcommand(each.name)) continue;
    const core::Status done = each.run(options);
    if (done) break;
    std::fputs(core::format("{}: {}: {}\n", program, done.error().reason, done.error().message).c_str(), stderr);
    return failed;
  }
  return process::end_output(program, 0);
}

}  // namespace mobula::cluster
