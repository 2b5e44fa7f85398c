#include <CLI/CLI.hpp>
#include <demo/demo_player.hpp>
#include <examples/demo/rules/rules.hpp>
#include <filesystem>
#include <fstream>
#include <headless/entity_listing.hpp>
#include <headless/headless.hpp>
#include <headless/replay.hpp>
#include <iostream>
#include <mobula/client/pipe/access_options.hpp>
#include <mobula/core/log.hpp>
#include <mobula/process/command_line.hpp>
#include <mobula/process/log_output.hpp>
#include <mobula/process/standard_output.hpp>

namespace {

constexpr const char* program = "mobula-client";
constexpr int bad_input = 2;
// Without bounds CLI11 accepts -1 as the greatest number.
const CLI::Range count(std::uint64_t{0}, std::uint64_t{1'000'000'000'000'000'000});

int refuse(const std::string& message) {
  std::cerr << program << ": " << message << '\n';
  return bad_input;
}

mobula::core::Result<std::shared_ptr<const mobula::reflect::Schema>> load_schema(const std::string& path) {
  using mobula::reflect::Limits;
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);  // an error unless it is a regular file
  if (error) return mobula::core::Error{"missing", path + ": " + error.message()};
  if (size > Limits::schema_bytes)
    return mobula::core::Error{"bad schema", path + ": too large for a schema; the limit is " +
                                                 std::to_string(Limits::schema_bytes) + " bytes"};
  std::string text(size, '\0');
  std::ifstream file(path, std::ios::binary);
  if (!file.read(text.data(), static_cast<std::streamsize>(size)))
    return mobula::core::Error{"missing", path + ": cannot be read"};
  auto schema = mobula::reflect::Schema::load(mobula::core::as_bytes(text.data(), text.size()));
  if (!schema) return mobula::core::Error{schema.error().reason, path + ": " + schema.error().message};
  return schema;
}

// Values of the command line.
struct CommandLine {
  mobula::client::HeadlessOptions options;
  mobula::client::ListingOptions listing;
  mobula::client::ReplayOptions replay;
  mobula::client::AccessOptions access;
  bool predicts = false;
  mobula::client::DemoPlayer player;
  std::string schema_path;
  std::string handle;  // argument of --list; empty lists all entities
};

void add_output_options(CLI::App& app, CommandLine& line) {
  CLI::Option* ticks = app.add_option("--ticks", line.options.ticks, "end after N ticks; 0 runs until it is stopped")
                           ->check(count)
                           ->capture_default_str();
  CLI::Option* json = app.add_flag("--json", line.options.json_only, "print only the line of JSON");
  CLI::Option* events =
      app.add_flag("--events", line.options.events,
                   "also print the game's events, one line each, with their bytes in hex; at most 20 per second")
          ->excludes(json);
  CLI::Option* list =
      app.add_option("--list", line.handle,
                     "list the components and properties of the entity HANDLE, with values, types and "
                     "ranges; without HANDLE list all entities by prototype, with their components and some "
                     "handles")
          ->type_name("[HANDLE]")
          ->expected(0, 1)
          ->excludes(ticks, json, events);
  app.add_option(
         "--get", line.listing.property,
         "print one property, HANDLE/COMPONENT/PATH, as JSON, or a whole component, HANDLE/COMPONENT; exit status 1 "
         "if there is none")
      ->type_name("PROPERTY")
      ->excludes(ticks, json, events, list);
}

void add_session_options(CLI::App& app, CommandLine& line) {
  mobula::client::add_name_option(app, line.options.name)->capture_default_str();
  CLI::Option* spectate =
      app.add_flag("--spectate", line.options.spectate, "join as a spectator, without an entity in the world");
  app.add_flag("--predict", line.predicts,
               "play the demo: walk about, throw stones, and predict both by the demo's rules, after the level was "
               "received; print "
               "mispredictions, rollbacks, corrections and input delay, and the first difference of each remote "
               "misprediction, at most 5 per second; exit status 1 if nothing was predicted")
      ->excludes(spectate)
      ->excludes("--list")
      ->excludes("--get");
  app.add_option(
         "--resources", line.options.resources,
         "keep the levels of servers in this folder, so that they are not sent again; at most 1 GiB and 1,024 levels, "
         "the least recently used are removed; with --record the folder is not used, and the recording contains the "
         "level")
      ->type_name("DIR")
      ->excludes("--list");
  app.add_option("--schema", line.schema_path, "accept only a server with this schema (.bfbs file)")
      ->type_name("FILE")
      ->excludes("--predict");
  app.add_option("--record", line.options.recording,
                 "record the session to this file; the keys in it can decrypt that session, and nothing else")
      ->type_name("FILE")
      ->excludes("--list")
      ->excludes("--get")
      ->excludes("--predict");
}

void add_replay_options(CLI::App& app, CommandLine& line) {
  CLI::Option* replayed =
      app.add_option("--replay", line.replay.path, "replay the session that was recorded in this file")
          ->type_name("FILE");
  app.get_option("--connect")->required(false);
  for (const char* other :
       {"--connect", "--cluster", "--admin", "--admin-token-file", "--key-file", "--token", "--ca-file", "--simulate",
        "--name", "--spectate", "--predict", "--resources", "--schema", "--record"})
    replayed->excludes(other);
  app.add_option("--speed", line.replay.speed, "multiple of the recorded speed; 0 replays as fast as possible")
      ->check(CLI::Range(0.0, 1e6))
      ->needs(replayed)
      ->excludes("--list")
      ->excludes("--get")
      ->capture_default_str();
  app.add_option("--at", line.replay.at,
                 "end the replay when the mirror has reached this tick of the server; 0 replays to the end")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{~mobula::ecs::Tick{0}}))
      ->type_name("TICK")
      ->needs(replayed)
      ->capture_default_str();
}

void add_examples(CLI::App& app) {
  app.footer(
      "Examples:\n"
      "  mobula-client --connect 127.0.0.1:7777\n"
      "  mobula-client --connect localhost:7777 --ticks 100 --json\n"
      "  mobula-client --connect localhost:7777 --events\n"
      "  mobula-client --connect localhost:7777 --predict --simulate \"latency=50ms jitter=10ms loss=2%\"\n"
      "  mobula-client --connect ws://localhost:7778 --simulate \"latency=80ms jitter=20ms loss=5%\"\n"
      "  mobula-client --cluster http://localhost:7790 --world lobby --account anna\n"
      "  mobula-client --connect localhost:7777 --list\n"
      "  mobula-client --connect localhost:7777 --list 12.1\n"
      "  mobula-client --connect localhost:7777 --get 12.1/Transform/position.x\n"
      "  mobula-client --connect localhost:7777 --ticks 200 --record walk.rec\n"
      "  mobula-client --replay walk.rec\n"
      "  mobula-client --replay walk.rec --speed 1\n"
      "  mobula-client --replay walk.rec --at 150 --list 12.1");
}

// Reads the schema file and the address of the server. Errors: what is wrong with an option.
mobula::core::Status complete(CommandLine& line, bool replays) {
  if (line.access.connect.empty() && line.access.cluster.empty() && !replays)
    return mobula::core::Error{"missing", "--connect, --cluster or --replay is required (see --help)"};
  if (!replays) {
    const auto parsed = mobula::client::parse_access(std::move(line.access));
    if (!parsed) return parsed.error();
    line.options.access = line.listing.access = *parsed;
  }
  if (!line.schema_path.empty()) {
    const auto schema = load_schema(line.schema_path);
    if (!schema) return schema.error();
    line.options.schema = *schema;
  }
  return mobula::core::Done{};
}

// The schema of the demo makes a server of another game refuse the client.
void predict_demo(CommandLine& line) {
  line.options.schema = mobula::client::demo_schema();
  line.options.rules = &demo::rules;
  line.options.play = [&line](mobula::core::Nanoseconds now) { return line.player.next_command(now); };
}

int list_or_get(CommandLine& line, bool gets) {
  mobula::client::ListingOptions& listing = line.listing;
  if (!line.handle.empty()) {
    listing.entity = mobula::ecs::parse_entity(line.handle);
    if (!listing.entity) return refuse("--list: '" + line.handle + "' is not a handle; expected one such as 12.1");
  }
  if (gets) {
    const auto property = mobula::index::parse_property_address(listing.property);
    if (!property) return refuse("--get: " + property.error().message);
  }
  listing.name = line.options.name;
  listing.schema = line.options.schema;
  listing.recording = line.replay.path;
  listing.at = line.replay.at;
  return mobula::client::run_listing(listing);
}

}  // namespace

int main(int argc, char** argv) {
  CommandLine line;
  CLI::App app(
      "Mirrors a server's world and verifies it. Ends with a line of JSON; exit status 0 only if the mirror was "
      "verified.\n"
      "With --list or --get it waits until the mirror is complete, prints what it holds, and ends.\n"
      "With --replay it does the same with a recorded session, without a server.",
      program);
  mobula::client::add_access_options(app, line.access);
  mobula::client::add_cluster_options(app, line.access);
  add_output_options(app, line);
  add_session_options(app, line);
  add_replay_options(app, line);
  add_examples(app);
  if (const auto status = mobula::process::parse_command_line(app, argc, argv)) return *status;
  const bool replays = app.count("--replay") > 0;
  const bool gets = app.count("--get") > 0;
  const bool lists = app.count("--list") > 0 || gets;
  if (const auto done = complete(line, replays); !done) return refuse(done.error().message);
  if (line.predicts) predict_demo(line);
  if (line.options.json_only || lists) mobula::core::set_log_level(mobula::core::LogLevel::warn);
  mobula::process::log_in_background();
  if (lists) return mobula::process::end_output(program, list_or_get(line, gets));
  line.replay.ticks = line.options.ticks;
  line.replay.json_only = line.options.json_only;
  line.replay.events = line.options.events;
  const int status = replays ? mobula::client::run_replay(line.replay) : mobula::client::run_headless(line.options);
  return mobula::process::end_output(program, status);
}
