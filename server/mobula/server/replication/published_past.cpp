// Former states of entities, as far as pictures of the last ticks need them.
#include <algorithm>
#include <mobula/server/replication/published.hpp>

namespace mobula::server {

void Published::keep_past(std::span<const core::StringId32> components, ecs::Tick ticks,
                          std::span<const core::StringId32> marks) {
  MOBULA_CHECK(!components.empty(), "Game::rewind() names the components whose past is kept");
  MOBULA_CHECK(entities_.empty() && columns_.empty(), "the past is kept from the first publication on");
  kept_types_.assign(components.begin(), components.end());
  mark_types_.assign(marks.begin(), marks.end());
  past_ticks_ = ticks;
  former_ = std::make_unique<FormerCompositions>(registry_.prototypes());
}

// Notes whether the entity at an index has a kept component and a mark.
void Published::note_kept(std::uint32_t index, ecs::PrototypeId prototype) {
  if (!keeps_past()) return;
  const auto is_kept = [&](ecs::PoolId pool) { return columns_[pool]->kept; };
  const auto is_mark = [&](ecs::PoolId pool) { return columns_[pool]->mark; };
  const std::span<const ecs::PoolId> pools = registry_.prototypes().pools(prototype);
  const bool marked = mark_types_.empty() || std::ranges::any_of(pools, is_mark);
  marked&& std::ranges::any_of(pools, is_kept) ? kept_.insert(index) : kept_.erase(index);
}

// Keeps the composition that a kept entity had until a tick. The log gets its last words.
void Published::end_composition(std::uint32_t index, ecs::Tick tick) {
  if (!is_kept(index)) return;
  const PublishedEntity& ends = entities_[index];
  former_->add(ends.entity, ends.prototype, ends.structure_tick, tick);
  log_.begin_tick(tick);
  for (const ecs::PoolId pool : registry_.prototypes().pools(ends.prototype)) {
    Column& column = *columns_[pool];
    std::byte* const row = column.rows.address(column.rows.find(index));
    const auto header = core::load<Row>(row);
    former_->add_row(log_.add(header.tick, {column.words(row), column.codec.words()}, header.before));
  }
  kept_.erase(index);
}

// Deltas of entities without a mark are not recorded, so their states are not known.
Published::Past Published::past(std::uint32_t index, ecs::Tick tick) const {
  const PublishedEntity& now = entity(index);
  const bool known = !has_marks() || is_kept(index);
  if (now.entity && now.structure_tick <= tick) return known ? Past{now.entity, now.prototype, nullptr} : Past{};
  const FormerCompositions::Composition* const former = former_ != nullptr ? former_->find(index, tick) : nullptr;
  return former != nullptr ? Past{former->entity, former->prototype, former} : Past{};
}

bool Published::words_of(const Past& past, ecs::Tick tick, std::uint32_t* words) {
  std::uint32_t number = 0;
  for (const ecs::PoolId pool : registry_.prototypes().pools(past.prototype)) {
    const Column& column = *columns_[pool];
    const std::uint32_t count = column.codec.words();
    const bool needed = column.kept || !column.codec.cuts().empty();
    const std::uint32_t* then = nullptr;
    if (needed && past.former != nullptr) {
      ValueLog::Place place = former_->place(*past.former, number);
      then = log_.find_back(place, tick);
    } else if (needed) {
      const std::byte* const row = column.rows.at(column.rows.find(past.entity.index));
      const auto header = core::load<Row>(row);
      then = header.tick <= tick ? column.words(row) : log_.find(header.before, tick);
    }
    if (needed && then == nullptr) return false;
    if (needed) std::copy_n(then, count, words);
    words += count;
    ++number;
  }
  return true;
}

}  // namespace mobula::server
