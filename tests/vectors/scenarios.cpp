#include <array>
#include <mobula/core/hex.hpp>
#include <mobula/resource/compiler/compiler.hpp>
#include <server/hamlet.hpp>
#include <set>
#include <stdexcept>
#include <vectors/level_store.hpp>
#include <vectors/scenarios.hpp>
#include <vectors/session_recorder.hpp>
#include <vectors/vector_game.hpp>

namespace mobula::test {
namespace {

using core::millisecond;

constexpr int ticks_before = 10;  // the world is not new when the client joins
constexpr int ticks_moving = 80;
constexpr int ticks_away = 5;
constexpr int ticks_at_rest = 20;
constexpr std::uint64_t network_seed = 7;

constexpr std::array<Scenario, 10> every_scenario{{
    {.name = "plain", .shows = "no delay and no loss; Welcome has the schema", .has_schema = false},
    {.name = "loss",
     .shows = "one datagram in seven is lost, both ways",
     .network = {.latency = 60 * millisecond, .loss_ppm = 150'000}},
    {.name = "late",
     .shows = "deltas arrive in another order, some twice",
     .network = {.latency = 50 * millisecond, .jitter = 150 * millisecond, .duplicate_ppm = 50'000}},
    {.name = "again",
     .shows = "ids are gained again: other components, another owner, back in view",
     .network = {.latency = 100 * millisecond, .jitter = 50 * millisecond, .loss_ppm = 50'000},
     .regains = true},
    {.name = "level",
     .shows = "the client has the level; entities of it move, are destroyed and gain a component",
     .network = {.latency = 50 * millisecond, .loss_ppm = 50'000},
     .has_level = true},
    {.name = "reload",
     .shows = "the level is reloaded; the client requests the new one and receives it",
     .network = {.latency = 50 * millisecond, .loss_ppm = 50'000},
     .has_level = true,
     .reloads_after = 35},
    {.name = "large",
     .shows = "an entity does not fit a datagram: its states arrive as bodies, in parts",
     .network = {.latency = 50 * millisecond, .jitter = 40 * millisecond, .loss_ppm = 50'000},
     .hoards = true},
    {.name = "courses",
     .shows = "ships follow courses, also out of view; the client owns one, and another now and then",
     .network = {.latency = 50 * millisecond, .jitter = 120 * millisecond, .loss_ppm = 100'000},
     .flies = true},
    {.name = "commands",
     .shows = "commands in each tick: some run late, some are refused or arrive too late to run",
     .network = {.latency = 50 * millisecond, .jitter = 120 * millisecond, .loss_ppm = 100'000},
     .obeys = true},
    {.name = "resumed",
     .shows = "the connection is lost and resumed with a rejoin token",
     .network = {.latency = 50 * millisecond, .loss_ppm = 50'000},
     .lost_after = 50},
}};

std::shared_ptr<const resource::Resource> compiled(const std::string& path) {
  const auto schema = *reflect::Schema::load(vectors::schema_bytes());
  const resource::Compiled made = resource::compile(MOBULA_SOURCE_DIR + path, *schema);
  if (!made.errors.empty()) throw std::runtime_error(to_string(made.errors.front()));
  return *resource::Resource::from_bytes(made.bytes);
}

std::shared_ptr<const resource::Resource> compiled_level() {
  static const auto level = compiled("/tests/vectors/level.json");
  return level;
}

// A server, a client whose inputs are recorded, and the network between them.
class Stage {
 public:
  explicit Stage(const Scenario& scenario)
      : scenario_(scenario),
        game_({.regains = scenario.regains,
               .hoards = scenario.hoards,
               .flies = scenario.flies,
               .obeys = scenario.obeys}) {
    server::ServerConfig config{.seed = 3};
    if (scenario.has_level) config.level = compiled_level();
    village_ = std::make_unique<Village>(game_, config, scenario.network, network_seed);
    village_->ticks(ticks_before);
    client::ConnectionConfig joining;
    joining.name = scenario.name;
    if (scenario.has_schema) joining.schema = *reflect::Schema::load(vectors::schema_bytes());
    if (scenario.has_level) joining.resources = &store_.emplace(compiled_level()->clients_bytes()).store;
    client_ = &village_->join(std::move(joining));
    begin_ = village_->now;
    token_ = client_->connection.config().transport.token;
    recorder_ = std::make_unique<SessionRecorder>(client_->connection, begin_);
    client_->input = recorder_.get();
  }

  MadeSession play() {
    MadeSession made;
    run(scenario_.lost_after > 0 ? scenario_.lost_after : ticks_moving);
    if (scenario_.lost_after > 0) made.resumed = lose_and_resume();
    game_.at_rest = true;
    village_->network.set_conditions({});
    village_->ticks(ticks_at_rest);
    describe(made);
    return made;
  }

 private:
  void run(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      give_command(i);
      if (scenario_.reloads_after > 0 && i == scenario_.reloads_after) reload();
      village_->tick();
      if (client_->connection.mirror() != nullptr) note_changes(*client_->connection.mirror());
    }
  }

  // Most games have no commands, so the server refuses the few that are given. Nothing arrives for an outage, so that
  // the commands that are given during its first ticks are too late afterwards.
  void give_command(int i) {
    constexpr int outage_begins = 40;
    constexpr int outage_ends = 62;
    if (!scenario_.obeys) {
      if (i % 25 == 20) recorder_->set_command(core::Bytes(3, static_cast<std::byte>(i)));
      return;
    }
    recorder_->set_command(move_command(i % 9 == 5 ? VectorGame::refused_from : static_cast<float>(i), 0));
    if (i == outage_begins) village_->network.set_conditions({.loss_ppm = 1'000'000});
    if (i == outage_ends) village_->network.set_conditions(scenario_.network);
  }

  void reload() {
    const auto changed = village_->server->reload_level(compiled("/tests/vectors/level_reloaded.json"));
    if (!changed) throw std::runtime_error(changed.error().message);
  }

  void note_changes(const client::Mirror& mirror) {
    for (const client::Change& change : mirror.changes()) {
      if (change.kind == client::ChangeKind::lost) ++lost_;
      if (change.kind != client::ChangeKind::spawned && change.kind != client::ChangeKind::composed) continue;
      ++gained_;
      gained_entities_.insert(change.entity);
    }
  }

  // Returns whether the mirror was kept.
  bool lose_and_resume() {
    const client::Mirror* const mirror = client_->connection.mirror();
    recorder_->pipe_closed("the cable was pulled", village_->now);
    village_->ticks(ticks_away);
    if (!client_->connection.can_rejoin()) throw std::runtime_error("no rejoin token was received in time");
    client_->port.from.port = 6000;
    recorder_->rejoin(village_->now);
    run(ticks_moving - scenario_.lost_after);
    return client_->connection.mirror() == mirror;
  }

  void describe(MadeSession& made) {
    client::Mirror& mirror = *client_->connection.mirror();
    made.stats = client_->connection.stats();
    made.datagrams_lost = village_->network.counters().lost;
    made.mirrors = village_->mirrors(*client_);
    made.gained = gained_;
    made.gained_entities = gained_entities_.size();
    made.bodies = mirror.bodies().newest();
    for (const client::MirroredEntity& known : mirror.state().known) made.under_way += known.courses;
    made.stale = lost_;
    for (const bool here : mirror.state().level.here) made.unmodified += here ? 1 : 0;
    for (const auto& offer : client_->connection.levels().offers()) made.levels += offer.level != nullptr ? 1 : 0;
    made.session = Json{{"name", scenario_.name}, {"shows", scenario_.shows}};
    made.session["begin"] = begin_ / millisecond;
    made.session["connect"] = token_json(token_);
    made.session["has_schema"] = scenario_.has_schema;
    made.session["has_level"] = scenario_.has_level;
    made.commands = village_->server->sessions()[0]->commands.stats();
    made.session["steps"] = recorder_->steps();
    made.session["levels"] = levels_json(client_->connection.levels());
    made.session["commands"] = commands_json(client_->connection.commands());
    made.session["entities"] = entities_json(mirror);
  }

  const Scenario& scenario_;
  VectorGame game_;
  std::optional<LevelStore> store_;
  std::unique_ptr<Village> village_;
  Village::Client* client_ = nullptr;
  core::Nanoseconds begin_ = 0;
  transport::ConnectToken token_;
  std::unique_ptr<SessionRecorder> recorder_;
  std::size_t gained_ = 0;  // times that an entity was spawned or composed
  std::size_t lost_ = 0;
  std::set<ecs::Entity> gained_entities_;
};

// Appends a member of an object in braces.
void add_line(std::string& text, const std::string& name, const std::string& value, bool last = false) {
  text += "  " + Json(name).dump() + ": " + value + (last ? "\n" : ",\n");
}

// Returns an array as text, an element per line.
std::string lines_of(const Json& array) {
  std::string text = "[";
  for (std::size_t i = 0; i < array.size(); ++i) text += (i == 0 ? "\n    " : ",\n    ") + array[i].dump();
  return text + "]";
}

std::string session_text(const Json& session) {
  std::string text = "{\n";
  for (const auto& [name, value] : session.items())
    add_line(text, name, value.is_array() ? lines_of(value) : value.dump(), name == "entities");
  return text + "  }";
}

}  // namespace

std::span<const Scenario> scenarios() { return every_scenario; }

MadeSession make_session(const Scenario& scenario) { return Stage(scenario).play(); }

Json vectors_file(Json sessions) {
  return {{"format", 1},
          {"protocol", wire::protocol_version},
          {"schema", core::to_hex(vectors::schema_bytes())},
          {"level", core::to_hex(compiled_level()->clients_bytes())},
          {"sessions", std::move(sessions)}};
}

std::string file_text(const Json& file) {
  std::string text = "{\n";
  for (const auto& [name, value] : file.items()) {
    if (name != "sessions") add_line(text, name, value.dump());
  }
  std::string sessions = "[";
  for (const Json& session : file.at("sessions")) sessions += (sessions.size() > 1 ? ", " : "") + session_text(session);
  add_line(text, "sessions", sessions + "]", true);
  return text + "}\n";
}

}  // namespace mobula::test
