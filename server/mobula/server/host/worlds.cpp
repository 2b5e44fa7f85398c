#include <algorithm>
#include <mobula/core/format.hpp>
#include <mobula/server/host/worlds.hpp>
#include <mobula/server/session/server.hpp>

namespace mobula::server {

core::Result<HostedWorld*> Worlds::open(std::string name, HostConfig config, Game& game) {
  if (std::ranges::any_of(worlds_, [&](const auto& world) { return world->name() == name; }))
    return core::Error{"name taken", core::format("there already is a world \"{}\"", name)};
  if (draining_) return core::Error{"ending", "the server is shutting down and opens no more worlds"};
  core::Result<std::unique_ptr<HostedWorld>> world =
      HostedWorld::open(events_, std::move(name), std::move(config), game);
  if (!world) return world.error();
  worlds_.push_back(std::move(*world));
  return worlds_.back().get();
}

void Worlds::close(std::string_view name) {
  if (find(name) != nullptr) closed_.emplace_back(name);
}

HostedWorld* Worlds::find(std::string_view name) {
  if (std::ranges::find(closed_, name) != closed_.end()) return nullptr;
  const auto found = std::ranges::find_if(worlds_, [&](const auto& world) { return world->name() == name; });
  return found == worlds_.end() ? nullptr : found->get();
}

HostedWorld& Worlds::next_due() {
  return **std::ranges::min_element(worlds_, {}, [](const auto& world) { return world->pacer().due(); });
}

void Worlds::end_closed() {
  for (const std::string& name : std::exchange(closed_, {})) {
    const auto found = std::ranges::find_if(worlds_, [&](const auto& world) { return world->name() == name; });
    if (found == worlds_.end()) continue;  // a hook closed it twice
    const std::unique_ptr<HostedWorld> world = std::move(*found);
    worlds_.erase(found);  // before the hooks of its game, which may open worlds
    saved_ = world->shut_down().ok() && saved_;
  }
}

void Worlds::drain(std::string_view reason) {
  draining_ = true;
  for (const std::unique_ptr<HostedWorld>& world : worlds_) world->drain(reason);
}

bool Worlds::drained() const {
  return draining_ && std::ranges::all_of(worlds_, [](const auto& world) { return world->server().drained(); });
}

bool Worlds::run(std::uint64_t ticks) {
  const auto done = [&] { return worlds_.front()->pacer().times().duration_ns.count(); };
  while (!worlds_.empty() && !drained() && (ticks == 0 || done() < ticks)) {
    HostedWorld& world = next_due();
    events_.run_until(world.pacer().due());
    if (events_.stopped()) break;
    world.tick();
    end_closed();
    if (on_tick_) on_tick_();
  }
  draining_ = true;
  for (const std::unique_ptr<HostedWorld>& world : worlds_) world->begin_last_save();
  for (const std::unique_ptr<HostedWorld>& world : worlds_) saved_ = world->shut_down().ok() && saved_;
  worlds_.clear();
  return saved_;
}

}  // namespace mobula::server
