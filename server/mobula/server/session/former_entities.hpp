// Entities of accounts whose players have left, as long as the entities are alive. A game that keeps the entity of a
// player who has left gets it back when the account joins again. Memory is bounded by the number of live entities.
#pragma once

#include <map>
#include <mobula/ecs/registry.hpp>
#include <string>
#include <string_view>

namespace mobula::server {

class FormerEntities {
 public:
  /// Remembers the entity of an account, which must not be empty, instead of an earlier one.
  void note(const std::string& account, ecs::Entity entity, const ecs::Registry& registry) {
    forget(account);
    if (!registry.valid(entity)) return;
    by_account_.emplace(account, entity);
    if (by_account_.size() >= prune_at_) prune(registry);
  }
  /// Replaces each entity by successor(entity).
  template <class Successor>
  void follow(const Successor& successor) {
    for (auto& [account, entity] : by_account_) entity = successor(entity);
  }
  /// Forgets the entity of an account.
  void forget(std::string_view account) {
    if (const auto found = by_account_.find(account); found != by_account_.end()) by_account_.erase(found);
  }
  /// Returns the live entity of an account; null if there is none.
  [[nodiscard]] ecs::Entity find(std::string_view account, const ecs::Registry& registry) const {
    const auto found = by_account_.find(account);
    return found != by_account_.end() && registry.valid(found->second) ? found->second : ecs::null_entity;
  }
  /// Returns all accounts with a live entity.
  const std::map<std::string, ecs::Entity, std::less<>>& all(const ecs::Registry& registry) {
    prune(registry);
    return by_account_;
  }

 private:
  void prune(const ecs::Registry& registry) {
    std::erase_if(by_account_, [&](const auto& each) { return !registry.valid(each.second); });
    prune_at_ = 2 * by_account_.size() + 64;
  }

  std::map<std::string, ecs::Entity, std::less<>> by_account_;
  std::size_t prune_at_ = 64;
};

}  // namespace mobula::server
