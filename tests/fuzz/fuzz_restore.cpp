// Arbitrary values in the tables of a server's world. The world is refused with a reason, or the server restores it,
// admits a client, reloads the level and saves the world.
//
//   input: edits (see EditedWorld::edit); the checksums are corrected after them
#include <examples/demo/demo_game.hpp>
#include <fuzz/fuzz.hpp>
#include <fuzz/saved_world.hpp>
#include <fuzz/small_server.hpp>
#include <mobula/core/log.hpp>
#include <server/raw_client.hpp>

namespace fuzz_restore {

using namespace mobula;

namespace {

constexpr std::size_t edits_max = 32;

core::Result<std::unique_ptr<store::Store>> open(const std::string& path) {
  return store::Store::open({.path = path, .schema = test::game_schema()});
}

core::Result<std::unique_ptr<server::Server>> start(server::Game& game, store::Store& store) {
  server::ServerConfig config = fuzz::small_server();
  config.store = &store;
  auto server = server::Server::start(std::move(config), game);
  if (server) (*server)->set_unix_time(test::test_unix_time);
  return server;
}

// A client joins and plays a few ticks.
void play(server::Server& server) {
  test::RawClient client(server, 1);
  client.connect();
  client.send_message(wire::Hello{.schema_fingerprint = test::game_schema()->fingerprint(), .name = "ada"});
  client.ticks(4);
}

core::Bytes make_world() {
  const fuzz::WorldFolder folder;
  demo::DemoGame game;
  const auto store = std::move(*open(folder.path()));
  const auto server = std::move(*start(game, *store));
  play(*server);
  fuzz::require(server->finish_store().ok(), "a world is saved");
  return fuzz::read_file(folder.path());
}

int run_target(const std::uint8_t* data, std::size_t size) {
  core::set_log_level(core::LogLevel::off);
  static const fuzz::SavedWorldFile saved_world(make_world());
  static const fuzz::WorldFolder folder;
  fuzz::Input input(fuzz::view(data, size));
  {
    fuzz::EditedWorld world(folder, saved_world);
    for (std::size_t edits = 0; edits < edits_max && !input.empty(); ++edits) world.edit(input);
    world.correct_checksums();
  }
  const auto store = open(folder.path());
  if (!store) return 0;
  demo::DemoGame game;
  const auto server = start(game, **store);
  fuzz::require(server.ok() || !server.error().message.empty(), "a refusal has a message");
  if (!server) return 0;
  play(**server);
  static_cast<void>((*server)->reload_level(test::rebuilt_hamlet()).ok());
  play(**server);
  (*server)->world().registry().check();
  (*server)->published().check();
  fuzz::require((*server)->finish_store().ok(), "a restored world can be saved");
  return 0;
}

const mobula::fuzz::Target target("restore", run_target);

}  // namespace
}  // namespace fuzz_restore
