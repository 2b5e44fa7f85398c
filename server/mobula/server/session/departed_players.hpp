// Accounts whose players have left for other worlds. A client that returns to this world is sent after its player, as
// long as a client may take to return.
#pragma once

#include <cstddef>
#include <map>
#include <mobula/core/clock.hpp>
#include <mobula/transport/reason.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace mobula::server {

class DepartedPlayers {
 public:
  /// Notes a player who is on its way out. Whether it leaves is not decided.
  void prepare(const std::string& account) { by_account_.insert_or_assign(account, Departed{}); }
  /// Notes that the player of an account is in a world of the cluster. Kept until a time.
  void leave(const std::string& account, std::string_view world, core::Nanoseconds now, core::Nanoseconds until) {
    by_account_.insert_or_assign(account, Departed{std::string(world), until});
    if (by_account_.size() >= prune_at_) prune(now);
  }
  /// Notes that this world has the player.
  void forget(const std::string& account) { by_account_.erase(account); }
  /// Returns the end of a client whose player is not here: it is to come again, or to follow. Nothing for others.
  [[nodiscard]] std::optional<transport::Reason> find(const std::string& account, core::Nanoseconds now) const {
    const auto found = by_account_.find(account);
    if (found == by_account_.end() || is_over(found->second, now)) return std::nullopt;
    if (found->second.world.empty())
      return transport::Reason{transport::ReasonCode::pipe_lost, "the player is leaving"};
    return transport::Reason{transport::ReasonCode::moved, found->second.world};
  }
  /// Returns the accounts whose clients are sent to another world, with that world.
  [[nodiscard]] std::map<std::string, std::string> all(core::Nanoseconds now) const {
    std::map<std::string, std::string> departed;
    for (const auto& [account, player] : by_account_)
      if (!player.world.empty() && !is_over(player, now)) departed.emplace(account, player.world);
    return departed;
  }
  [[nodiscard]] std::size_t size() const { return by_account_.size(); }

 private:
  struct Departed {
    std::string world{};  // empty while it is undecided
    core::Nanoseconds until = 0;
  };
  static bool is_over(const Departed& player, core::Nanoseconds now) {
    return !player.world.empty() && player.until <= now;
  }
  // Those who have left are as many as leave within the time.
  void prune(core::Nanoseconds now) {
    std::erase_if(by_account_, [&](const auto& each) { return is_over(each.second, now); });
    prune_at_ = 2 * by_account_.size() + 64;
  }

  std::map<std::string, Departed> by_account_;
  std::size_t prune_at_ = 64;
};

}  // namespace mobula::server
