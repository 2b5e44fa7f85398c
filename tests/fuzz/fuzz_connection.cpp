// Any messages and deltas of a server, to a connection that has the hamlet already: whatever they are, its mirror is in
// order. Input: steps of a byte and what it needs.
//   0 u16 length, bytes   a reliable message      1 u16 length, bytes   an unreliable one
//   2                     a tick                  3                     a tick, with a command
//   4                     the line breaks, and the connection comes back if it can
#include <client/raw_server.hpp>
#include <fuzz/fuzz.hpp>
#include <mobula/client/event_lines.hpp>
#include <mobula/client/temporary_folder.hpp>
#include <mobula/core/log.hpp>

using namespace mobula;

namespace {

constexpr std::size_t steps_max = 400;

client::ResourceStore& resource_store() {
  static const client::TemporaryFolder folder = std::move(*client::TemporaryFolder::make());
  static client::ResourceStore store = [] {
    client::ResourceStore made = std::move(*client::ResourceStore::open(folder.path()));
    const core::ByteView level = test::hamlet()->clients_bytes();
    const bool whole = *made.receive(test::hamlet()->identity(), level.size())->append(0, level);
    fuzz::require(whole, "the level is there");
    return made;
  }();
  return store;
}

void step(fuzz::Input& input, test::RawServer& server) {
  const std::uint8_t kind = input.byte() % 5;
  if (kind == 0) return server.say_bytes(input.bytes(input.word()));
  if (kind == 1) return server.send_delta(input.bytes(input.word()));
  if (kind == 3) server.connection.set_command(core::Bytes(9));
  if (kind == 4) {
    server.break_off();
    server.tick();
    if (server.connection.can_rejoin()) server.connection.rejoin(server.now);
    return server.meet();
  }
  server.tick();
  for (const client::ReceivedEvent& event : server.connection.events())
    fuzz::require(!event_line(event).empty(), "an event can be told");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  core::set_log_level(core::LogLevel::off);
  client::ConnectionConfig config;
  config.schema = test::game_schema();
  config.resources = &resource_store();
  test::RawServer server(config);
  server.meet();
  fuzz::Input input(fuzz::view(data, size));
  for (std::size_t steps = 0; steps < steps_max && !input.empty(); ++steps) step(input, server);
  server.tick();
  server.tick();
  if (client::Mirror* mirror = server.connection.mirror()) mirror->check();
  return 0;
}
