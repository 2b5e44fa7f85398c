#include "workload/spectators.hpp"

#include <algorithm>
#include <cmath>
#include <mobula/core/assert.hpp>
#include <mobula/core/format.hpp>

namespace mobula::bench {
namespace {

// Clients take turns, so that their datagrams are spread over the time.
constexpr core::Nanoseconds step_interval = core::millisecond;
constexpr std::size_t turns = client::update_interval / step_interval;

}  // namespace

std::span<const purrnet::Mover> TruePoses::at(ecs::Tick tick) {
  while (moved_ < tick) {
    movers_.step();
    poses_[++moved_ % ticks_kept].assign(movers_.poses().begin(), movers_.poses().end());
  }
  MOBULA_CHECK(moved_ - tick < ticks_kept, "the tick is too old");
  return poses_[tick % ticks_kept];
}

core::Result<std::unique_ptr<Spectators>> Spectators::open(const PurrnetOptions& options, ServerProcess& server) {
  client::AccessOptions to;
  to.connect = core::format("127.0.0.1:{}", server.port());
  to.simulate = "latency=" + options.latency;
  const core::Result<client::Access> access = client::parse_access(std::move(to));
  if (!access) return access.error();
  std::unique_ptr<Spectators> all(new Spectators(options));
  all->objects_ = server.objects();
  for (std::uint32_t i = 0; i < options.clients; ++i) {
    client::ConnectionConfig config;
    config.transport.token = server.take_token();
    config.name = core::format("spectator {}", i);
    core::Result<std::unique_ptr<client::PipeClient>> client =
        client::PipeClient::open(all->loop_, *access, std::move(config), i + 1);
    if (!client) return client.error();
    all->spectators_.push_back(std::make_unique<Spectator>());
    Spectator& spectator = *all->spectators_.back();
    spectator.client = std::move(*client);
    spectator.client->set_token_source({});
    spectator.client->on_received([&all = *all, &spectator](core::Nanoseconds) { all.compare(spectator); });
    all->clients_.push_back(spectator.client.get());
  }
  return all;
}

void Spectators::step() {
  next_step_ = std::max(next_step_ + step_interval, core::monotonic_now());
  run_until(loop_, next_step_, clients_);
  for (std::size_t i = turn_; i < clients_.size(); i += turns) clients_[i]->update();
  turn_ = (turn_ + 1) % turns;
}

std::uint32_t Spectators::complete_count() const {
  return static_cast<std::uint32_t>(std::ranges::count_if(
      clients_, [](const client::PipeClient* client) { return client->connection().complete(); }));
}

bool Spectators::all_complete() const { return complete_count() == clients_.size(); }

// A tick counts once the client has everything that the server had to send in it.
void Spectators::compare(Spectator& spectator) {
  const client::Connection& connection = spectator.client->connection();
  if (!comparing_ || !connection.complete()) return;
  const ecs::Tick tick = connection.mirror()->tick();
  if (tick <= spectator.newest) return;
  if (spectator.first == 0) spectator.first = tick;
  spectator.newest = tick;
  ++spectator.ticks;
  compare(*connection.mirror());
}

void Spectators::compare(const client::Mirror& mirror) {
  const std::span<const purrnet::Mover> poses = truth_.at(mirror.tick());
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    const purrnet::Mover* const mover =
        mirror.registry().valid(objects_[i]) ? mirror.registry().try_get<const purrnet::Mover>(objects_[i]) : nullptr;
    const PoseError error = mover != nullptr ? pose_error(*mover, poses[i]) : PoseError{.position = NAN};
    if (!std::isfinite(error.position) || !std::isfinite(error.rotation)) {
      ++absent_;
      continue;
    }
    ++compared_;
    worst_.position = std::max(worst_.position, error.position);
    worst_.rotation = std::max(worst_.rotation, error.rotation);
  }
}

void Spectators::add_to(PurrnetReport& report) const {
  report.worst = worst_;
  report.compared = compared_;
  report.missing = absent_;
  for (const std::unique_ptr<Spectator>& each : spectators_) {
    if (each->first != 0) report.missing += (each->newest - each->first + 1 - each->ticks) * options_.objects;
    report.verified_ticks += each->client->connection().stats().verified_ticks;
    report.mismatched_ticks += each->client->connection().stats().mismatched_ticks;
  }
}

}  // namespace mobula::bench
