// Arbitrary messages and deltas of a server to a connection that stores levels: its mirror stays consistent.
// Input: a byte whose lowest bit is set if the store of levels is empty, and clear if it has the hamlet. Its second bit
// is set if the store is memory, and clear if it is a folder. Then steps:
//   0 u16 length, bytes   a reliable message      1 u16 length, bytes   an unreliable one
//   2                     a tick                  3                     a tick, with a command
//   4                     the connection is lost and rejoins if it can
#include <client/raw_server.hpp>
#include <fuzz/fuzz.hpp>
#include <headless/event_lines.hpp>
#include <headless/temporary_folder.hpp>
#include <mobula/client/connection/resource_memory.hpp>
#include <mobula/client/files/resource_folder.hpp>
#include <mobula/core/log.hpp>

namespace fuzz_connection {

using namespace mobula;

namespace {

constexpr std::size_t steps_max = 400;

// A store of levels, with the hamlet or empty.
struct Levels {
  Levels(bool has_hamlet, bool in_memory) : store(in_memory ? static_cast<client::ResourceStore&>(memory) : files) {
    if (!has_hamlet) return;
    const core::ByteView level = test::hamlet()->clients_bytes();
    fuzz::require(*(*store.receive(test::hamlet()->identity(), level.size()))->append(0, level),
                  "the level is complete");
  }
  client::TemporaryFolder folder = std::move(*client::TemporaryFolder::make());
  client::ResourceFolder files = std::move(*client::ResourceFolder::open(folder.path()));
  client::ResourceMemory memory;
  client::ResourceStore& store;
};

void step(fuzz::Input& input, test::RawServer& server) {
  const std::uint8_t kind = input.byte() % 5;
  if (kind == 0) return server.send_bytes(input.bytes(input.word()));
  if (kind == 1) return server.send_delta(input.bytes(input.word()));
  if (kind == 3) server.connection.set_command(core::Bytes(9));
  if (kind == 4) {
    server.cut_pipe();
    server.tick();
    if (server.connection.can_rejoin()) server.connection.rejoin(server.now);
    return server.connect();
  }
  server.tick();
  for (const client::ReceivedEvent& event : server.connection.events())
    fuzz::require(!event_line(event).empty(), "an event can be printed");
}

int run_target(const std::uint8_t* data, std::size_t size) {
  core::set_log_level(core::LogLevel::off);
  client::ConnectionConfig config;
  config.schema = test::game_schema();
  fuzz::Input input(fuzz::view(data, size));
  const std::uint8_t store = input.byte();
  Levels levels((store & 1) == 0, (store & 2) != 0);
  config.resources = &levels.store;
  test::RawServer server(config);
  server.connect();
  for (std::size_t steps = 0; steps < steps_max && !input.empty(); ++steps) step(input, server);
  server.tick();
  server.tick();
  if (client::Mirror* mirror = server.connection.mirror()) mirror->check();
  fuzz::require(server.connection.levels().offers().size() <= client::OfferedLevels::offers_max,
                "few offers of levels are kept");
  return 0;
}

const mobula::fuzz::Target target("connection", run_target);

}  // namespace
}  // namespace fuzz_connection
