// Levels that the server has offered, by the first tick whose step of the rules reads them.
//
//   level of the server    A ●───────────────● B from its first tick on ──────────►  ticks
//   level of a step        A                 A while the client lacks B, else B
#pragma once

#include <memory>
#include <mobula/resource/resource.hpp>
#include <mobula/wire/messages.hpp>
#include <optional>
#include <span>
#include <vector>

namespace mobula::client {

class OfferedLevels {
 public:
  /// Number of offers that are kept. Steps of earlier ticks read the oldest one.
  static constexpr std::size_t offers_max = 4;

  struct Offer {
    ecs::Tick first_tick = 0;
    std::optional<core::ContentHash> identity{};        ///< Empty if the world has no level.
    std::shared_ptr<const resource::Resource> level{};  ///< Null while the client lacks it.
    [[nodiscard]] bool is_here() const { return !identity || level != nullptr; }
  };

  /// Adds an offer. The level is its first resource. Replaces offers of the same first tick and of later ones.
  void add(std::span<const wire::Resource> resources);
  /// Notes that the client has a level.
  void on_stored(const std::shared_ptr<const resource::Resource>& level);
  void clear() { offers_.clear(); }

  /// Returns the level that the step of a tick reads: the server's or, while the client lacks it, the one before. Null
  /// if there is none.
  [[nodiscard]] const std::shared_ptr<const resource::Resource>& at(ecs::Tick tick) const;
  /// Returns whether the client has the level that the server reads in a tick.
  [[nodiscard]] bool is_here(ecs::Tick tick) const;
  /// Returns the offers that are kept, ascending by first tick.
  [[nodiscard]] std::span<const Offer> offers() const { return offers_; }

 private:
  // Returns the place of the offer that counts in a tick. There is an offer.
  [[nodiscard]] std::size_t place_of(ecs::Tick tick) const;

  std::vector<Offer> offers_;
};

}  // namespace mobula::client
