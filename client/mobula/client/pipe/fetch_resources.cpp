#include <array>
#include <mobula/client/pipe/fetch_resources.hpp>
#include <mobula/client/pipe/pipe_client.hpp>

namespace mobula::client {
namespace {

// The connection requests the first resource with the Welcome, and each further one with the end of another.
bool has_all(const Connection& connection) {
  return connection.state() == Connection::State::playing && connection.reception() == nullptr;
}

}  // namespace

core::Status fetch_resources(net::EventLoop& loop, const Access& access, ResourceStore& store) {
  Access direct = access;
  direct.simulated = {};
  core::Result<std::unique_ptr<PipeClient>> opened =
      enter(loop, direct,
            {.transport = {}, .name = "level", .schema = {}, .resources = &store, .spectate = true, .decode = false});
  if (!opened) return opened.error();
  PipeClient& client = **opened;
  const std::array all{&client};
  while (!loop.stopped() && !has_all(client.connection())) {
    run_until(loop, core::monotonic_now() + update_interval, all);
    client.update();
    if (client.over()) return core::Error{"closed", to_string(client.connection().reason())};
  }
  client.close();
  return core::Done{};
}

}  // namespace mobula::client
