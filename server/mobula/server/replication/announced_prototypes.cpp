#include <algorithm>
#include <mobula/server/replication/announced_prototypes.hpp>

namespace mobula::server {

std::uint32_t AnnouncedPrototypes::find_or_want(ecs::PrototypeId prototype) {
  if (prototype == ecs::empty_prototype) return 0;
  if (prototype >= id_of_.size()) id_of_.resize(prototype + 1, 0);
  if (const std::uint32_t id = id_of_[prototype]; id != 0) return ids_[id].state == State::known ? id : unknown;
  const auto free = std::find_if(ids_.begin(), ids_.end(), [](const Id& each) { return each.state == State::free; });
  const auto id = static_cast<std::uint32_t>(free - ids_.begin());
  if (free == ids_.end()) ids_.emplace_back();
  wanted_.push_back({prototype, id});
  ids_[id] = {State::announced, prototype, 0};
  id_of_[prototype] = id;
  return unknown;
}

void AnnouncedPrototypes::delivered(std::uint32_t id) {
  MOBULA_ASSERT(ids_[id].state == State::announced, "an announcement is delivered once");
  ids_[id].state = ids_[id].prototype == ecs::empty_prototype ? State::free : State::known;
}

void AnnouncedPrototypes::announce_again() {
  wanted_.clear();
  for (std::uint32_t id = 0; id < ids_.size(); ++id) {
    if (ids_[id].state != State::announced) continue;
    if (ids_[id].prototype == ecs::empty_prototype) {
      ids_[id] = {};
    } else {
      wanted_.push_back({ids_[id].prototype, id});
    }
  }
}

void AnnouncedPrototypes::forget(std::span<const ecs::PrototypeId> prototypes, std::uint32_t sequence) {
  for (const ecs::PrototypeId prototype : prototypes) {
    if (prototype >= id_of_.size() || id_of_[prototype] == 0) continue;
    Id& id = ids_[id_of_[prototype]];
    const auto unsent = std::find_if(wanted_.begin(), wanted_.end(),
                                     [&](const Announcement& each) { return each.prototype == prototype; });
    if (unsent != wanted_.end()) {
      wanted_.erase(unsent);
      id = {};
    } else if (id.state == State::known) {
      id = {State::retired, ecs::empty_prototype, sequence};
      ++retired_;
    } else {
      id.prototype = ecs::empty_prototype;
    }
    id_of_[prototype] = 0;
  }
}

void AnnouncedPrototypes::resolved(std::uint32_t sequence) {
  if (retired_ == 0) return;
  for (Id& id : ids_) {
    if (id.state != State::retired || id.sequence > sequence) continue;
    id = {};
    --retired_;
  }
}

}  // namespace mobula::server
