#include <mobula/core/log.hpp>
#include <mobula/server/zones/neighbour.hpp>
#include <utility>

namespace mobula::server {

void Neighbour::update(const client::Connection& connection, core::Nanoseconds now) {
  const bool connected = connection.state() == client::Connection::State::playing;
  if (std::exchange(current_, connected) && !connected) {
    kept_ = true;
    lost_at_ = now;
    core::log_warn("cluster", "the connection to a neighbouring zone is lost; its ghosts stand still: {}",
                   connection.reason().text);
  }
  if (connected) kept_ = false;
  if (kept_ && now - lost_at_ >= keep_lost) {
    kept_ = false;
    ghosts_.begin(0);
  }
  const client::Mirror* const mirror = connection.mirror();
  heard_ = mirror != nullptr && std::exchange(mirror_tick_, mirror->tick()) != mirror->tick();
  if (mirror == nullptr) return ghosts_.expire();
  if (mirror_ != connection.mirror_number()) ghosts_.begin(Ghosts::linger_ticks);
  mirror_ = connection.mirror_number();
  const core::Status applied = ghosts_.apply(*mirror);
  if (!applied && !std::exchange(logged_, true))
    core::log_error("cluster", "a component of a neighbouring zone has no ghost: {}", applied.error().message);
  ghosts_.verify(*mirror, verified_at_once);
}

void Neighbour::show(const client::Connection& connection, std::span<const ecs::Entity> entities) {
  if (!current_ || connection.mirror() == nullptr || mirror_ != connection.mirror_number()) return;
  for (const ecs::Entity entity : entities) ghosts_.show(*connection.mirror(), entity);
}

}  // namespace mobula::server
