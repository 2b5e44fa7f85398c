// Compositions of entities that ended: the entity was destroyed or has other components now. Published keeps those of
// the last ticks, so that the words of a tick are known also for entities that no longer exist.
//
// The words themselves are in the value log: each row of an ended composition is a chain there. Prototypes are held.
#pragma once

#include <mobula/ecs/registry.hpp>
#include <mobula/server/replication/rising_ring.hpp>
#include <mobula/server/replication/value_log.hpp>
#include <utility>
#include <vector>

namespace mobula::server {

class FormerCompositions {
 public:
  struct Composition {
    ecs::Entity entity;
    ecs::PrototypeId prototype = ecs::empty_prototype;
    ecs::Tick since = 0;
    ecs::Tick until = 0;            ///< The first tick in which it was another one.
    std::uint32_t first_place = 0;  ///< Places of its rows, in the order of the prototype's pools.
    std::uint32_t before = 0;       ///< Number of the composition at the index that ended before it.
  };

  explicit FormerCompositions(ecs::PrototypeTable& prototypes) : prototypes_(prototypes) {}
  ~FormerCompositions() { forget_before(~0u); }
  FormerCompositions(const FormerCompositions&) = delete;
  FormerCompositions& operator=(const FormerCompositions&) = delete;

  /// Adds a composition that ends. add_row() follows for each of its rows. Ticks rise.
  void add(ecs::Entity entity, ecs::PrototypeId prototype, ecs::Tick since, ecs::Tick until) {
    prototypes_.hold(prototype);
    if (entity.index >= last_.size()) last_.resize(entity.index + std::size_t{1}, ended_.end());
    ended_.push_back(
        {entity, prototype, since, until, places_.end(), std::exchange(last_[entity.index], ended_.end())});
  }
  void add_row(ValueLog::Place place) { places_.push_back(place); }
  /// Removes those that ended before a tick.
  void forget_before(ecs::Tick tick) {
    std::uint32_t number = ended_.begin();
    for (; number != ended_.end() && ended_[number].until < tick; ++number) prototypes_.drop(ended_[number].prototype);
    if (number == ended_.begin()) return;
    ended_.forget_before(number);
    places_.forget_before(number != ended_.end() ? ended_[number].first_place : places_.end());
  }
  /// Returns the composition that the entity at an index had at the end of a tick. Null if it is not here.
  [[nodiscard]] const Composition* find(std::uint32_t index, ecs::Tick tick) const {
    for (std::uint32_t number = index < last_.size() ? last_[index] : ended_.end(); is_kept(number, index);) {
      const Composition& each = ended_[number];
      if (each.until <= tick) return nullptr;
      if (each.since <= tick) return &each;
      if (each.before == number) return nullptr;
      number = each.before;
    }
    return nullptr;
  }
  [[nodiscard]] ValueLog::Place place(const Composition& composition, std::uint32_t row) const {
    return places_[composition.first_place + row];
  }
  [[nodiscard]] std::uint32_t size() const { return ended_.end() - ended_.begin(); }

 private:
  // The number of a forgotten one may be that of another index.
  [[nodiscard]] bool is_kept(std::uint32_t number, std::uint32_t index) const {
    return number - ended_.begin() < size() && ended_[number].entity.index == index;
  }

  ecs::PrototypeTable& prototypes_;
  std::vector<std::uint32_t> last_;  // by index: number of the composition that ended last
  RisingRing<Composition> ended_;
  RisingRing<ValueLog::Place> places_;
};

}  // namespace mobula::server
