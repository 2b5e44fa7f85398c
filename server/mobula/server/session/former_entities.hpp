// What became of players' entities: of each account that has left, the entity that it had, as long as that lives. So a
// game that keeps the entities of those who are not here gives them back. Bounded by the entities that there are.
#pragma once

#include <map>
#include <mobula/ecs/registry.hpp>
#include <string>
#include <string_view>

namespace mobula::server {

class FormerEntities {
 public:
  // Of an account that is not empty.
  void note(const std::string& account, ecs::Entity entity, const ecs::Registry& registry) {
    forget(account);
    if (!registry.valid(entity)) return;
    by_account_.emplace(account, entity);
    if (by_account_.size() >= look_at_) prune(registry);
  }
  void forget(std::string_view account) {
    if (const auto found = by_account_.find(account); found != by_account_.end()) by_account_.erase(found);
  }
  // Null if there is none.
  [[nodiscard]] ecs::Entity find(std::string_view account, const ecs::Registry& registry) const {
    const auto found = by_account_.find(account);
    return found != by_account_.end() && registry.valid(found->second) ? found->second : ecs::null_entity;
  }
  // Without those that live no longer.
  const std::map<std::string, ecs::Entity, std::less<>>& all(const ecs::Registry& registry) {
    prune(registry);
    return by_account_;
  }

 private:
  void prune(const ecs::Registry& registry) {
    std::erase_if(by_account_, [&](const auto& each) { return !registry.valid(each.second); });
    look_at_ = 2 * by_account_.size() + 64;
  }

  std::map<std::string, ecs::Entity, std::less<>> by_account_;
  std::size_t look_at_ = 64;
};

}  // namespace mobula::server
