#include <array>
#include <mobula/client/pipe/fetch_resources.hpp>
#include <mobula/client/pipe/pipe_client.hpp>
#include <mobula/core/log.hpp>

namespace mobula::client {
namespace {

constexpr core::Nanoseconds progress_interval = 3 * core::second;

void log_progress(const Connection& connection) {
  const ResourceStore::Reception* const reception = connection.reception();
  if (reception == nullptr) {
    core::log_info("client", "waiting for the server before the level is received");
  } else {
    core::log_info("client", "receiving the level: {} bytes so far", reception->received());
  }
}

// The connection requests the first resource with the Welcome, and each further one with the end of another.
bool has_all(const Connection& connection) {
  return connection.state() == Connection::State::playing && connection.reception() == nullptr;
}

}  // namespace

core::Status fetch_resources(net::EventLoop& loop, const Access& access, ResourceStore& store) {
  Access direct = access;
  direct.simulated = {};
  direct.options.account.clear();  // as a guest: a spectator of the account would take its player's place
  core::Result<std::unique_ptr<PipeClient>> opened =
      enter(loop, direct,
            {.transport = {}, .name = "level", .schema = {}, .resources = &store, .spectate = true, .decode = false});
  if (!opened) return opened.error();
  PipeClient& client = **opened;
  const std::array all{&client};
  core::Nanoseconds next_progress = core::monotonic_now() + progress_interval;
  while (!loop.stopped() && !has_all(client.connection())) {
    run_until(loop, core::monotonic_now() + update_interval, all);
    client.update();
    if (client.over()) return core::Error{"closed", to_string(client.connection().reason())};
    if (core::monotonic_now() < next_progress) continue;
    log_progress(client.connection());
    next_progress = core::monotonic_now() + progress_interval;
  }
  client.close();
  return core::Done{};
}

}  // namespace mobula::client
