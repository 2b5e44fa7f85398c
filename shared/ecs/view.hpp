// The entities that have all of some components and none of others. `const T` reads; `T` counts as
// written. `Maybe<T>` asks for nothing: the function gets a pointer, null where there is no such component.
//
// Walks the smallest pool in runs, from the last to the first. A run is some positions of one page
// where all pools hold the same entities in the same order: it goes over bare arrays at memory speed.
// Elsewhere each entity is looked up.
//
// The function may remove components of, or destroy, the entity it is given, and make new
// ones, which are not visited. That is why the last positions of a pool go backwards: what removal
// swaps into a gap must have been visited.
#pragma once

#include <algorithm>
#include <array>
#include <mobula/ecs/entity_pool.hpp>
#include <mobula/ecs/pool.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace mobula::ecs {

template <class T>
struct Maybe {};

template <class... Ts>
struct Exclude {};
template <class... Ts>
inline constexpr Exclude<Ts...> exclude{};

namespace detail {

// How a view hands out one of its types, from the pool's bytes at a position.
template <class T>
struct ViewType {
  using Component = T;
  using Argument = T&;
  static constexpr bool required = true;
};
template <class T>
struct ViewType<Maybe<T>> {
  using Component = T;
  using Argument = T*;
  static constexpr bool required = false;
};

}  // namespace detail

template <class... Ts>
class View {
 public:
  static_assert((detail::ViewType<Ts>::required || ...), "a view asks for at least one component");

  View(const EntityPool& entities, std::array<Pool*, sizeof...(Ts)> pools, std::vector<const Pool*> excluded = {})
      : entities_(entities), pools_(pools), excluded_(std::move(excluded)) {}

  // function(arguments...) or function(Entity, arguments...); T& for each T, T* for each Maybe<T>.
  template <class Function>
  void each(Function&& function) {
    const Pool& lead = smallest(all);
    const Alignment alignment = align(lead, all);
    const std::uint32_t blocks_per_page = lead.page_positions() / block_size;
    std::uint32_t block = (lead.size() + block_size - 1) / block_size;
    while (block > 0) {
      const std::uint32_t end = block--;
      if (!alignment.holds(*this, lead, block)) {
        look_up_block(lead, block, function);
        continue;
      }
      while (block % blocks_per_page > 0 && alignment.holds(*this, lead, block - 1)) --block;
      visit_run(lead, block, end, function, all);
    }
  }

 private:
  template <class T>
  using Component = typename detail::ViewType<T>::Component;
  template <class T>
  using Argument = typename detail::ViewType<T>::Argument;
  using Positions = std::array<std::uint32_t, sizeof...(Ts)>;

  static constexpr std::uint32_t block_size = 1u << Pool::block_shift;
  static constexpr std::index_sequence_for<Ts...> all{};
  static constexpr std::array<bool, sizeof...(Ts)> required{detail::ViewType<Ts>::required...};

  // Which blocks of the lead are in the same order in all pools; none, once the function has changed a pool.
  struct Alignment {
    std::array<const std::uint64_t*, sizeof...(Ts)> blocks;  // null: the lead itself, or nothing is required
    std::uint64_t version;

    [[nodiscard]] bool holds(const View& view, const Pool& lead, std::uint32_t block) const {
      if (view.version() != version) return false;
      for (const std::uint64_t* bits : blocks)
        if (bits != nullptr && (bits[block / 64] >> block % 64 & 1) == 0) return false;
      return !view.excludes_any(lead, block);
    }
  };

  // One type's components along a run.
  template <class T>
  struct RunColumn {
    Component<T>* components;
    Argument<T> at(const View& /*view*/, std::uint32_t /*index*/, std::uint32_t i) const { return components[i]; }
  };
  template <class T>
  struct RunColumn<Maybe<T>> {
    Pool* pool;
    T* at(const View& /*view*/, std::uint32_t index, std::uint32_t /*i*/) const {
      return find_component<T>(*pool, pool->find(index));
    }
  };

  template <std::size_t... Is>
  [[nodiscard]] const Pool& smallest(std::index_sequence<Is...> /*all*/) const {
    const Pool* best = nullptr;
    ((required[Is] && (best == nullptr || pools_[Is]->size() < best->size()) ? void(best = pools_[Is]) : void()), ...);
    return *best;
  }

  template <std::size_t... Is>
  Alignment align(const Pool& lead, std::index_sequence<Is...> /*all*/) {
    return {{pools_[Is] == &lead || !required[Is] ? nullptr : pools_[Is]->blocks_aligned_with(lead)...}, version()};
  }

  // Versions only grow, so their sum tells whether any has changed.
  [[nodiscard]] std::uint64_t version() const {
    std::uint64_t sum = 0;
    for (const Pool* pool : pools_) sum += pool->version();
    for (const Pool* pool : excluded_) sum += pool->version();
    return sum;
  }

  [[nodiscard]] bool is_excluded(std::uint32_t index) const {
    return std::any_of(excluded_.begin(), excluded_.end(), [index](const Pool* pool) { return pool->contains(index); });
  }
  [[nodiscard]] bool excludes_any(const Pool& lead, std::uint32_t block) const {
    if (std::all_of(excluded_.begin(), excluded_.end(), [](const Pool* pool) { return pool->size() == 0; }))
      return false;
    const std::span<const std::uint32_t> rest = lead.indices().subspan(block * block_size);
    const std::span<const std::uint32_t> indices = rest.first(std::min<std::size_t>(rest.size(), block_size));
    return std::any_of(indices.begin(), indices.end(), [this](std::uint32_t index) { return is_excluded(index); });
  }

  template <class Function, std::size_t... Is>
  void visit_run(const Pool& lead, std::uint32_t first_block, std::uint32_t end_block, Function& function,
                 std::index_sequence<Is...> /*all*/) {
    const std::uint32_t first = first_block * block_size;
    const std::uint32_t count = std::min(end_block * block_size, lead.size()) - first;
    const bool forwards = lead.size() - first >= 2 * count;
    run(lead.indices().data() + first, count, forwards, function, open_run<Ts>(*pools_[Is], first_block, end_block)...);
  }

  template <class T>
  static RunColumn<T> open_run(Pool& pool, std::uint32_t first_block, std::uint32_t end_block) {
    if constexpr (!detail::ViewType<T>::required) {
      return {&pool};
    } else {
      if constexpr (!std::is_const_v<T>) pool.stamp_blocks(first_block, end_block);
      return {reinterpret_cast<T*>(pool.address(first_block * block_size))};
    }
  }

  template <class Function>
  void run(const std::uint32_t* indices, std::uint32_t count, bool forwards, Function& function,
           RunColumn<Ts>... columns) {
    if (forwards) {
      for (std::uint32_t i = 0; i < count; ++i) call(function, indices[i], columns.at(*this, indices[i], i)...);
    } else {
      for (std::uint32_t i = count; i-- > 0;) call(function, indices[i], columns.at(*this, indices[i], i)...);
    }
  }

  // Finds the whole block before visiting it, so that the cache misses of 64 entities overlap.
  template <class Function>
  void look_up_block(const Pool& lead, std::uint32_t block, Function& function) {
    const std::uint32_t first = block * block_size;
    if (first >= lead.size()) return;
    const std::uint32_t count = std::min(block_size, lead.size() - first);
    const std::uint64_t found_at = version();
    std::array<Positions, block_size> found;
    for (std::uint32_t i = 0; i < count; ++i) found[i] = find(lead.indices()[first + i], all);
    for (std::uint32_t i = count; i-- > 0;) {
      if (version() == found_at) {
        visit(lead.indices()[first + i], found[i], function, all);
      } else if (first + i < lead.size()) {
        const std::uint32_t index = lead.indices()[first + i];
        visit(index, find(index, all), function, all);
      }
    }
  }

  template <std::size_t... Is>
  Positions find(std::uint32_t index, std::index_sequence<Is...> /*all*/) const {
    const Positions positions{pools_[Is]->find(index)...};
    ((positions[Is] != Pool::none ? __builtin_prefetch(pools_[Is]->address(positions[Is])) : void()), ...);
    return positions;
  }

  template <class Function, std::size_t... Is>
  void visit(std::uint32_t index, const Positions& positions, Function& function, std::index_sequence<Is...> /*all*/) {
    if (((required[Is] && positions[Is] == Pool::none) || ...) || is_excluded(index)) return;
    call(function, index, argument<Ts>(*pools_[Is], positions[Is])...);
  }

  template <class T>
  static T* find_component(Pool& pool, std::uint32_t position) {
    if (position == Pool::none) return nullptr;
    if constexpr (!std::is_const_v<T>) pool.stamp(position);
    return reinterpret_cast<T*>(pool.address(position));
  }
  template <class T>
  static Argument<T> argument(Pool& pool, std::uint32_t position) {
    if constexpr (detail::ViewType<T>::required) {
      return *find_component<T>(pool, position);
    } else {
      return find_component<Component<T>>(pool, position);
    }
  }

  template <class Function>
  void call(Function& function, std::uint32_t index, Argument<Ts>... arguments) {
    if constexpr (std::is_invocable_v<Function&, Argument<Ts>...>) {
      static_cast<void>(index);
      function(arguments...);
    } else {
      function(entities_.at(index), arguments...);
    }
  }

  const EntityPool& entities_;
  std::array<Pool*, sizeof...(Ts)> pools_;
  std::vector<const Pool*> excluded_;
};

}  // namespace mobula::ecs
