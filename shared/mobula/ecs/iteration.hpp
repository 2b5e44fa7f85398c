// Iteration shared by views and groups: over the entities of a lead that have all of some components and none of
// others.
//
// It goes from the last position to the first, in runs. In a run all pools hold the lead's entities in the lead's
// order, each in one array: it is read at memory speed. Elsewhere each entity is looked up.
//
// The function may create and destroy entities, and add and remove components, its own entity's and others'. Each
// entity that matches from begin to end is visited exactly once; one that begins or ceases to match meanwhile is
// visited or not. References that the function was given are valid until it changes a pool. Two changes fail a check:
// to reorder an iterated pool, and to let an entity enter a group that owns one.
//
// A removal fills its gap with the last entity. If that one is not visited yet, the rest of the run is looked up one by
// one. The function's own entity never causes this: positions near the end of a pool, or of a group's members in it,
// are visited backwards.
#pragma once

#include <array>
#include <iterator>
#include <mobula/ecs/entity_pool.hpp>
#include <mobula/ecs/iteration_columns.hpp>
#include <mobula/ecs/misuse.hpp>
#include <mobula/ecs/registered_progress.hpp>
#include <tuple>
#include <type_traits>
#include <utility>

namespace mobula::ecs {

/// Pools whose entities are left out.
struct ExcludedPools {
  static constexpr std::size_t max_count = 8;

  std::array<Pool*, max_count> pools{};
  std::size_t count = 0;

  [[nodiscard]] auto begin() const { return pools.begin(); }
  [[nodiscard]] auto end() const { return pools.begin() + count; }
  [[nodiscard]] bool contain(std::uint32_t index) const {
    for (const Pool* pool : *this)
      if (pool->contains(index)) return true;
    return false;
  }
};

namespace detail {

template <class... Ts>
class Iteration {
 public:
  using Pools = std::array<Pool*, sizeof...(Ts)>;

  static constexpr std::array<bool, sizeof...(Ts)> required{IteratedType<Ts>::required...};

  // Iterates over all of `lead`, or over the members of `group`.
  Iteration(const EntityPool& entities, const Pools& pools, const ExcludedPools& excluded, const SparseSet& lead)
      : entities_(&entities), pools_(pools), excluded_(excluded), lead_(&lead) {
    for (std::size_t i = 0; i < pools_.size(); ++i) follows_[i] = &pools_[i]->set() == lead_;
  }
  Iteration(const EntityPool& entities, const Pools& pools, GroupSet& group)
      : entities_(&entities), pools_(pools), lead_(&group.set()), group_(&group) {
    for (std::size_t i = 0; i < pools_.size(); ++i) follows_[i] = pools_[i]->owner_group() == &group;
  }

  // Calls function(components...) or function(Entity, components...) for each match; T& for each T, T* for each
  // Maybe<T>.
  template <class Function>
  void each(Function& function) const {
    Progress progress = begin_progress();
    const Alignment alignment = align(all);
    std::uint32_t block = (size() + block_size - 1) / block_size;
    while (block > 0) {
      const std::uint32_t end = block--;
      if (alignment.outdated(*this) || progress->skips_any() || !alignment.holds(*this, block)) {
        look_up(block * block_size, end * block_size, *progress, function, all);
        continue;
      }
      const std::uint32_t begin = earliest_begin(end);
      if (alignment.whole) block = begin;
      while (block > begin && alignment.holds(*this, block - 1)) --block;
      visit_run(block * block_size, end * block_size, *progress, function, all);
    }
    visit_late(*progress, function, all);
  }

  using Progress = RegisteredProgress<sizeof...(Ts)>;
  [[nodiscard]] Progress begin_progress() const { return {pools_, group_, *lead_}; }
  [[nodiscard]] const SparseSet& lead() const { return *lead_; }
  [[nodiscard]] const std::string& lead_name() const { return pools_[lead_column]->instance_name(); }
  [[nodiscard]] std::uint32_t size() const { return group_ != nullptr ? group_->size() : lead_->size(); }
  // Without what has entered since the begin of the iteration, as far as that is known.
  [[nodiscard]] std::uint32_t size(const IterationProgress& progress) const {
    return std::min(size(), progress.least_size());
  }

  // For range loops: the components of the entity at a position of the lead, if it matches.
  using Element = std::tuple<Entity, typename IteratedType<Ts>::Argument...>;
  [[nodiscard]] bool matches(std::uint32_t position) const {
    const std::uint32_t index = lead_->indices()[position];
    for (std::size_t i = 0; i < pools_.size(); ++i)
      if (required[i] && !follows_[i] && !pools_[i]->contains(index)) return false;
    return !excluded_.contain(index);
  }
  [[nodiscard]] Element element(std::uint32_t position) const { return element(position, all); }

 private:
  static constexpr std::uint32_t block_size = Pool::block_size;
  static constexpr std::index_sequence_for<Ts...> all{};

  // Blocks of the lead that have the same order in all pools. A group's guarantee holds whatever the function does. A
  // comparison holds until the function changes a pool.
  struct Alignment {
    std::array<const std::uint64_t*, sizeof...(Ts)> blocks;  // null if all blocks are, or nothing is required
    bool whole;                                              // all blocks are, in all pools
    bool compared;
    std::uint64_t version;

    [[nodiscard]] bool outdated(const Iteration& iteration) const { return compared && iteration.version() != version; }
    [[nodiscard]] bool holds(const Iteration& iteration, std::uint32_t block) const {
      for (const std::uint64_t* bits : blocks)
        if (bits != nullptr && (bits[block / 64] >> block % 64 & 1) == 0) return false;
      return iteration.excluded_.count == 0 || !iteration.excludes_any(block);
    }
  };

  template <std::size_t... Is>
  Alignment align(std::index_sequence<Is...> /*all*/) const {
    const std::array<const std::uint64_t*, sizeof...(Ts)> blocks{
        follows_[Is] || !required[Is] ? nullptr : pools_[Is]->blocks_aligned_with(*lead_)...};
    return {blocks, ((blocks[Is] == nullptr) && ...) && excluded_.count == 0,
            ((required[Is] && !follows_[Is]) || ...) || group_ == nullptr, version()};
  }

  // Versions only grow, so their sum changes if any of them does.
  [[nodiscard]] std::uint64_t version() const {
    std::uint64_t sum = lead_->version();
    for (const Pool* pool : pools_) sum += pool->version();
    return sum;
  }

  [[nodiscard]] std::uint32_t block_end(std::uint32_t block) const {
    const std::uint32_t end = (block + 1) * block_size;
    return end < lead_->size() ? end : lead_->size();
  }
  [[nodiscard]] bool excludes_any(std::uint32_t block) const {
    for (const Pool* pool : excluded_) {
      if (pool->size() == 0) continue;
      for (std::uint32_t position = block * block_size; position < block_end(block); ++position)
        if (pool->contains(lead_->indices()[position])) return true;
    }
    return false;
  }

  // Returns the earliest begin of a run, in blocks. A run is at most as long as its distance from the end, so that all
  // but the last block are visited forwards. It lies in one slab of each pool.
  [[nodiscard]] std::uint32_t earliest_begin(std::uint32_t end_block) const {
    const std::uint32_t end = end_block * block_size;
    const std::uint32_t longest = end + block_size < size() ? (size() - end) / block_size : 1;
    std::uint32_t begin = end_block > longest ? end_block - longest : 0;
    for (std::size_t i = 0; i < pools_.size(); ++i)
      if (required[i] && pools_[i]->slab_begin(end_block - 1) > begin) begin = pools_[i]->slab_begin(end_block - 1);
    return begin;
  }

  // Returns whether a run may be visited forwards. Removals fill gaps from the end of a pool, or of the members of the
  // group that owns it. That end must stay behind the run even if all of the run is removed.
  [[nodiscard]] bool may_go_forwards(std::uint32_t first, std::uint32_t end) const {
    const auto is_far = [&](std::uint32_t boundary) { return boundary <= first || boundary >= 2 * end - first; };
    for (const Pool* pool : pools_)
      if (pool->owner_group() != nullptr && !is_far(pool->owner_group()->size())) return false;
    return is_far(size());
  }

  template <class Function, std::size_t... Is>
  void visit_run(std::uint32_t first, std::uint32_t end, IterationProgress& progress, Function& function,
                 std::index_sequence<Is...> /*all*/) const {
    end = std::min(end, size(progress));
    if (first >= end) return;
    progress.begin_run(first, end, may_go_forwards(first, end));
    run(first, end - first, progress, function, open_run<Ts>(*pools_[Is], first, end)...);
  }

  template <class T>
  static RunColumn<T> open_run(Pool& pool, std::uint32_t first, std::uint32_t end) {
    if constexpr (!IteratedType<T>::required) {
      return {&pool};
    } else {
      if constexpr (!std::is_const_v<T>) pool.mark_run_changed(first, end);
      return {pool.template typed_address<T>(first)};
    }
  }

  // Reads each index from the lead when it is visited: the array moves if the function creates entities.
  template <class Function>
  void run(std::uint32_t first, std::uint32_t count, IterationProgress& progress, Function& function,
           RunColumn<Ts>... columns) const {
    const auto visit_one = [&](std::uint32_t i) {
      progress.visit(first + i);
      const std::uint32_t index = lead_->indices()[first + i];
      call(function, index, columns.at(index, i)...);
    };
    if (progress.goes_forwards()) {
      for (std::uint32_t i = 0; i < count; ++i) {
        visit_one(i);
        if (progress.disturbed()) [[unlikely]]
          return look_up_forwards(first + i + 1, first + count, progress, function);
      }
    } else {
      for (std::uint32_t i = count; i-- > 0;) {
        visit_one(i);
        if (progress.disturbed()) [[unlikely]]
          return look_up_backwards(first, first + i, progress, function);
      }
    }
  }

  // The first required column.
  static constexpr std::size_t lead_column = [] {
    std::size_t first = 0;
    while (!required[first]) ++first;
    return first;
  }();

  using BlockPositions = std::array<FoundPositions, sizeof...(Ts)>;

  // Looks up a whole block before visiting it, so that cache misses of its entities overlap. Positions and the pools'
  // tables hold until a pool reports a change to the progress.
  template <class Function, std::size_t... Is>
  void look_up(std::uint32_t first, std::uint32_t end, IterationProgress& progress, Function& function,
               std::index_sequence<Is...> all_of) const {
    end = std::min(end, size(progress));
    if (first >= end) return;
    progress.begin_run(first, end, false);
    if (progress.skips_any()) return look_up_backwards(first, end, progress, function);
    const bool by_lead = group_ == nullptr && excluded_.count == 0;
    if (by_lead && ((required[Is] && follows_[Is] && look_up_block<Is>(first, end, progress, function, all_of)) || ...))
      return;
    look_up_block<sizeof...(Ts)>(first, end, progress, function, all_of);
  }

  // `lead`: the type whose pool is the lead, which needs no look-up. Returns true.
  template <std::size_t lead, class Function, std::size_t... Is>
  bool look_up_block(std::uint32_t first, std::uint32_t end, IterationProgress& progress, Function& function,
                     std::index_sequence<Is...> /*all*/) const {
    BlockPositions found;
    (static_cast<void>(Is != lead && (find_block(Is, first, end, found[Is]), true)), ...);
    const std::tuple columns{BlockColumn<Ts, (Is == lead)>(*pools_[Is], first, found[Is])...};
    for (std::uint32_t position = end; position-- > first;) {
      progress.visit(position);
      const std::uint32_t k = position - first;
      if ((!std::get<Is>(columns).has(k) || ...)) continue;
      call(function, lead_->indices()[position], std::get<Is>(columns).at(k)...);
      if (progress.outdated()) [[unlikely]] {
        look_up_backwards(first, position, progress, function);
        return true;
      }
    }
    return true;
  }

  // The rest of a run, after the function has changed a pool: each entity is looked up when it is visited.
  template <class Function>
  [[gnu::noinline]] void look_up_backwards(std::uint32_t first, std::uint32_t end, IterationProgress& progress,
                                           Function& function) const {
    for (std::uint32_t position = end; position-- > first;)
      if (position < progress.least_size()) look_up_one(position, progress, function, all);
  }
  template <class Function>
  [[gnu::noinline]] void look_up_forwards(std::uint32_t first, std::uint32_t end, IterationProgress& progress,
                                          Function& function) const {
    for (std::uint32_t position = first; position < end && position < progress.least_size(); ++position)
      look_up_one(position, progress, function, all);
  }
  template <class Function, std::size_t... Is>
  void look_up_one(std::uint32_t position, IterationProgress& progress, Function& function,
                   std::index_sequence<Is...> all_of) const {
    if (position >= size()) return;
    progress.visit(position);
    if (progress.skips(lead_->indices()[position])) return;
    BlockPositions found;
    (find_block(Is, position, position + 1, found[Is]), ...);
    visit(position, {found[Is][0]...}, {pools_[Is]->table()...}, function, all_of);
  }

  // Visits the entities that have moved to visited positions.
  template <class Function, std::size_t... Is>
  void visit_late(IterationProgress& progress, Function& function, std::index_sequence<Is...> all_of) const {
    progress.begin_run(0, 0, false);
    for (std::uint32_t index = 0; progress.take_late(index);)
      look_up_one(lead_->find(index), progress, function, all_of);
  }

  // Finds the positions of a block. Excluded entities get `none` in the lead column.
  void find_block(std::size_t i, std::uint32_t first, std::uint32_t end, FoundPositions& found) const {
    const std::uint32_t* const indices = lead_->indices().data() + first;
    const std::uint32_t count = end - first;
    if (follows_[i]) {
      for (std::uint32_t k = 0; k < count; ++k) found[k] = first + k;
    } else {
      pools_[i]->set().find({indices, count}, found.data());
    }
    if (i != lead_column || excluded_.count == 0) return;
    for (std::uint32_t k = 0; k < count; ++k)
      if (excluded_.contain(indices[k])) found[k] = SparseSet::none;
  }

  template <class Function, std::size_t... Is>
  void visit(std::uint32_t position, const std::array<std::uint32_t, sizeof...(Ts)>& found,
             const std::array<Pool::Table, sizeof...(Ts)>& tables, Function& function,
             std::index_sequence<Is...> /*all*/) const {
    if (((required[Is] && found[Is] == SparseSet::none) || ...)) return;
    call(function, lead_->indices()[position], iterated_argument<Ts>(tables[Is], found[Is])...);
  }

  template <std::size_t... Is>
  [[nodiscard]] Element element(std::uint32_t position, std::index_sequence<Is...> /*all*/) const {
    const std::uint32_t index = lead_->indices()[position];
    return {entities_->at(index),
            iterated_argument<Ts>(pools_[Is]->table(), follows_[Is] ? position : pools_[Is]->find(index))...};
  }

  template <class Function>
  void call(Function& function, std::uint32_t index, IteratedArgument<Ts>... arguments) const {
    if constexpr (std::is_invocable_v<Function&, IteratedArgument<Ts>...>) {
      static_cast<void>(index);
      function(arguments...);
    } else {
      function(entities_->at(index), arguments...);
    }
  }

  const EntityPool* entities_;
  Pools pools_;
  ExcludedPools excluded_;
  const SparseSet* lead_;
  GroupSet* group_ = nullptr;
  std::array<bool, sizeof...(Ts)> follows_{};  // pool holds the lead's entities at the lead's positions
};

// Supports `for (auto [entity, position, velocity] : view)`, from the last position to the first. Mutable components
// count as written when they are read from the iterator. Reading it at its end, or after its entity has ceased to
// match, fails a check.
template <class... Ts>
class EntityIterator {
 public:
  using iterator_concept = std::input_iterator_tag;
  using value_type = typename Iteration<Ts...>::Element;
  using difference_type = std::ptrdiff_t;

  explicit EntityIterator(const Iteration<Ts...>& iteration)
      : iteration_(iteration), progress_(iteration.begin_progress()), position_(iteration.size()) {
    progress_->begin_run(0, position_, false);
    advance();
  }
  value_type operator*() const {
    if (progress_->outdated()) [[unlikely]]
      return iteration_.element(present_position());
    return iteration_.element(position_);
  }
  EntityIterator& operator++() {
    advance();
    return *this;
  }
  void operator++(int) { advance(); }
  bool operator==(std::default_sentinel_t /*end*/) const { return position_ == SparseSet::none; }

 private:
  void advance() {
    while (!late_ && position_ != 0) {
      position_ = std::min(position_, iteration_.size(*progress_));
      if (position_-- == 0) break;
      progress_->visit(position_);
      index_ = iteration_.lead().indices()[position_];
      if (!progress_->skips(index_) && iteration_.matches(position_)) return progress_->set_outdated(false);
    }
    if (!std::exchange(late_, true)) progress_->begin_run(0, 0, false);
    while (progress_->take_late(index_)) {
      position_ = iteration_.lead().find(index_);
      if (position_ < iteration_.size() && iteration_.matches(position_)) return progress_->set_outdated(false);
    }
    position_ = SparseSet::none;
    index_ = SparseSet::none;
    progress_->set_outdated(true);  // there is nothing to read
  }
  // Returns where the current entity is after a change of the pools.
  [[nodiscard, gnu::noinline]] std::uint32_t present_position() const {
    const std::uint32_t position = iteration_.lead().find(index_);
    if (position >= iteration_.size() || !iteration_.matches(position))
      misuse::nothing_at_iterator(index_, iteration_.lead_name());
    return position;
  }

  Iteration<Ts...> iteration_;
  typename Iteration<Ts...>::Progress progress_;
  std::uint32_t position_;
  std::uint32_t index_ = SparseSet::none;
  bool late_ = false;  // only entities that have moved to visited positions are left
};

}  // namespace detail
}  // namespace mobula::ecs
