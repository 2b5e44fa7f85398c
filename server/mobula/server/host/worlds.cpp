#include <algorithm>
#include <functional>
#include <mobula/core/format.hpp>
#include <mobula/core/name.hpp>
#include <mobula/core/running_code.hpp>
#include <mobula/core/text.hpp>
#include <mobula/process/failure_report.hpp>
#include <mobula/server/host/worlds.hpp>
#include <mobula/server/session/server.hpp>

namespace mobula::server {
namespace {

constexpr core::Nanoseconds pause_max = 3 * core::millisecond;
constexpr core::Nanoseconds pauses_per_tick = 16;  // at least, of the world with the shortest ticks
constexpr core::Nanoseconds idle_turn = 10 * core::millisecond;

}  // namespace

core::Result<HostedWorld*> Worlds::open(std::string name, HostConfig config, Game& game) {
  if (const core::Status good = core::check_name(name); !good) return good.error();
  const bool is_opening = std::ranges::find(opening_, name) != opening_.end();
  if (is_opening || std::ranges::any_of(worlds_, [&](const auto& world) { return world->name() == name; }))
    return core::Error{"name taken", core::format("there already is a world \"{}\"", name)};
  if (draining_) return core::Error{"ending", "the server is shutting down and opens no more worlds"};
  opening_.push_back(name);
  core::Result<std::unique_ptr<HostedWorld>> world = HostedWorld::open(events_, name, std::move(config), game);
  std::erase(opening_, name);
  if (!world) return world.error();
  worlds_.push_back(std::move(*world));
  due_.push_back({worlds_.back()->pacer().due(), ++opened_, worlds_.back().get()});
  std::ranges::push_heap(due_, std::greater());
  events_.set_pause(pause());
  return worlds_.back().get();
}

// Datagrams wait for the next tick in any case. The pause makes round trips appear longer by as much, so it is short.
core::Nanoseconds Worlds::pause() const {
  core::Nanoseconds shortest = pause_max;
  for (const std::unique_ptr<HostedWorld>& world : worlds_)
    shortest = std::min(shortest, core::second / world->config().tick_rate / pauses_per_tick);
  return shortest;
}

// A hook may open a world meanwhile.
void Worlds::reload_levels() {
  std::vector<HostedWorld*> all;
  for (const std::unique_ptr<HostedWorld>& world : worlds_) all.push_back(world.get());
  for (HostedWorld* const world : all) static_cast<void>(world->reload_level());
}

void Worlds::close(std::string_view name) {
  if (find(name) != nullptr) closed_.emplace_back(name);
}

void Worlds::drop(std::string_view name) {
  HostedWorld* const world = find(name);
  if (world == nullptr) return;
  world->forgo_save();
  close(name);
}

std::uint64_t Worlds::players() const {
  std::uint64_t players = 0;
  for (const std::unique_ptr<HostedWorld>& world : worlds_) players += world->server().players();
  return players;
}

bool Worlds::is_closing(std::string_view name) const { return std::ranges::find(closed_, name) != closed_.end(); }

HostedWorld* Worlds::find(std::string_view name) {
  if (is_closing(name)) return nullptr;
  const auto found = std::ranges::find_if(worlds_, [&](const auto& world) { return world->name() == name; });
  return found == worlds_.end() ? nullptr : found->get();
}

// Ticks the world that is due first. Its game may open and close worlds meanwhile.
void Worlds::tick(HostedWorld& world) {
  const std::uint64_t number = due_.front().number;
  std::ranges::pop_heap(due_, std::greater());
  due_.pop_back();
  world.tick();
  due_.push_back({world.pacer().due(), number, &world});
  std::ranges::push_heap(due_, std::greater());
  if (world.failed()) close(world.name());
}

void Worlds::end_closed() {
  for (const std::string& name : std::exchange(closed_, {})) {
    const auto found = std::ranges::find_if(worlds_, [&](const auto& world) { return world->name() == name; });
    if (found == worlds_.end()) continue;  // a hook closed it twice
    const std::unique_ptr<HostedWorld> world = std::move(*found);
    worlds_.erase(found);  // before the hooks of its game, which may open worlds
    std::erase_if(due_, [&](const Due& due) { return due.world == world.get(); });
    std::ranges::make_heap(due_, std::greater());
    saved_ = world->shut_down().ok() && saved_;
    ++ended_;
  }
}

void Worlds::drain(std::string_view reason) {
  draining_ = true;
  if (supervisor_ != nullptr) supervisor_->drain();
  for (const std::unique_ptr<HostedWorld>& world : worlds_) world->drain(reason);
}

bool Worlds::drained() const {
  return draining_ && std::ranges::all_of(worlds_, [](const auto& world) { return world->server().drained(); });
}

bool Worlds::goes_on(std::uint64_t ticks) const {
  if (drained()) return false;
  if (worlds_.empty()) return supervised();
  return ticks == 0 || worlds_.front()->pacer().times().duration_ns.count() < ticks;
}

core::Nanoseconds Worlds::next_turn() const {
  return due_.empty() ? core::monotonic_now() + idle_turn : due_.front().at;
}

bool Worlds::run(std::uint64_t ticks) {
  MOBULA_CHECK(core::running_code().empty(), "Worlds::run is called by main(), not by a hook of a game");
  const process::NoExit working;
  while (goes_on(ticks)) {
    events_.run_until(next_turn());
    if (events_.stopped() || !may_serve()) break;
    if (!due_.empty()) tick(*due_.front().world);
    if (supervised()) supervisor_->update();
    end_closed();
    if (on_tick_) on_tick_();
  }
  end_all();
  return saved_;
}

// Without permission to serve, others may have the worlds by now.
void Worlds::end_all() {
  draining_ = true;
  if (!may_serve()) {
    saved_ = false;
    for (const std::unique_ptr<HostedWorld>& world : worlds_) world->forgo_save();
  }
  const auto progress = [this] {
    if (supervised()) supervisor_->progress();
  };
  for (const std::unique_ptr<HostedWorld>& world : worlds_) world->begin_last_save(), progress();
  for (const std::unique_ptr<HostedWorld>& world : worlds_) {
    saved_ = world->shut_down().ok() && saved_;
    progress();
  }
  worlds_.clear();
  due_.clear();
}

}  // namespace mobula::server
