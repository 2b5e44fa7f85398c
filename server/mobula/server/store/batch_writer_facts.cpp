#include <algorithm>
#include <mobula/server/store/batch_writer_impl.hpp>

namespace mobula::store {

void BatchWriter::State::write_players(const std::vector<SavedPlayer>& players) {
  std::vector<PlayerKey> present;
  for (const SavedPlayer& player : players) {
    const PlayerKey& key = present.emplace_back(player.id, player.account);
    const std::uint64_t sum = sum_of(player);
    const std::uint64_t* had = players_.find(key);
    if (database_.failed() || (had != nullptr && *had == sum)) continue;
    sums_.players += sum - (had != nullptr ? *had : 0);
    statements_.player.bind(1, player.id)
        .bind_text(2, player.account)
        .bind_text(3, player.name)
        .bind(4, player.entity.index)
        .bind(5, player.entity.generation)
        .bind(6, player.present ? 1 : 0)
        .run();
    players_.set(key, sum);
  }
  std::ranges::sort(present);
  std::vector<PlayerKey> removed;
  players_.each([&](const PlayerKey& key, std::uint64_t) {
    if (!std::ranges::binary_search(present, key)) removed.push_back(key);
  });
  for (const PlayerKey& key : removed) {
    if (database_.failed()) return;
    statements_.erase_player.bind(1, key.first).bind_text(2, key.second).run();
    sums_.players -= *players_.find(key);
    players_.erase(key);
  }
}

void BatchWriter::State::write_ranges(const Batch& batch) {
  for (const ecs::EntityRange& range : batch.ranges) {
    const std::uint64_t sum = sum_of(range);
    const std::uint64_t* had = ranges_.find(range.first);
    if (database_.failed() || (had != nullptr && *had == sum)) continue;
    sums_.ranges += sum - (had != nullptr ? *had : 0);
    statements_.range.bind(1, range.first).bind(2, range.count).bind(3, range.generation).run();
    ranges_.set(range.first, sum);
  }
  scratch_.clear();
  ranges_.each([&](std::uint32_t first, std::uint64_t) {
    const auto found = std::ranges::lower_bound(batch.ranges, first, {}, &ecs::EntityRange::first);
    if (found == batch.ranges.end() || found->first != first) scratch_.push_back(first);
  });
  for (const std::uint32_t first : scratch_) {
    if (database_.failed()) return;
    statements_.erase_range.bind(1, first).run();
    sums_.ranges -= *ranges_.find(first);
    ranges_.erase(first);
  }
}

void BatchWriter::State::write_level(const std::shared_ptr<const SavedLevel>& level) {
  for (const char* table : {"saved_level", "saved_level_entity", "saved_name"})
    database_.run("DELETE FROM " + sql_name(table));
  level_ = level;
  sums_.level = level == nullptr ? 0 : sum_of(*level);
  if (level == nullptr) return;
  Statement file =
      database_.prepare("INSERT INTO saved_level (id, file, first, count, generation) VALUES (1, ?, ?, ?, ?)");
  Statement entity =
      database_.prepare("INSERT INTO saved_level_entity (number, entity, generation, path) VALUES (?, ?, ?, ?)");
  Statement name = database_.prepare("INSERT INTO saved_name (number, id, text) VALUES (?, ?, ?)");
  if (database_.failed()) return;
  file.bind_blob(1, level->file).bind(2, level->range.first).bind(3, level->range.count);
  file.bind(4, level->range.generation).run();
  for (std::size_t i = 0; i < level->entities.size(); ++i) {
    const ecs::Entity at = level->entities[i];
    entity.bind(1, static_cast<std::int64_t>(i)).bind(2, at.index).bind(3, at.generation).bind_text(4, level->paths[i]);
    entity.run();
  }
  for (std::size_t i = 0; i < level->names.size(); ++i) {
    const core::StringId32 id{std::string_view(level->names[i])};
    name.bind(1, static_cast<std::int64_t>(i)).bind(2, id.value).bind_text(3, level->names[i]).run();
  }
}

void BatchWriter::State::write_facts(const Facts& facts) {
  const core::ByteView random = core::as_bytes(&facts.random, 1);
  FactRows rows{{"incarnation", std::int64_t{incarnation_}},
                {"tick", std::int64_t{facts.tick}},
                {"unix_time", static_cast<std::int64_t>(facts.unix_time)},
                {"next_player", std::int64_t{facts.next_player}},
                {"random", core::Bytes(random.begin(), random.end())},
                {"game", facts.game},
                {"crossings", facts.crossings},
                {"entities_sum", static_cast<std::int64_t>(sums_.entities)}};
  const std::uint64_t sum = sum_of(rows) + sums_.players + sums_.ranges + sums_.level + sums_.tables + sums_.schema;
  rows.emplace("facts_sum", static_cast<std::int64_t>(sum));
  for (const auto& [key, value] : rows) {
    if (database_.failed()) return;
    statements_.fact.bind_text(1, key);
    if (const auto* number = std::get_if<std::int64_t>(&value)) statements_.fact.bind(2, *number);
    if (const auto* bytes = std::get_if<core::Bytes>(&value)) statements_.fact.bind_blob(2, *bytes);
    statements_.fact.run();
  }
}

}  // namespace mobula::store
