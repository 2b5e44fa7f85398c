// Comparison of a client's hashes with the states that it should have.
#include <algorithm>
#include <mobula/server/replication/client_view.hpp>

namespace mobula::server {
namespace {

// Returns the correction of an entity that the client should not have. The client ignores it if it has removed the
// entity by now.
wire::MirrorCorrection unknown(const wire::MirrorHashes& reported, const wire::MirrorHash& hash) {
  return {.fault = wire::MirrorFault::unknown,
          .of_level = reported.of_level,
          .place = hash.place,
          .entity = hash.entity,
          .tick = hash.tick,
          .words = {}};
}

// Finds reported hashes by ascending place.
class ReportedHashes {
 public:
  explicit ReportedHashes(const wire::MirrorHashes& reported) : rest_(reported.hashes) {}
  const wire::MirrorHash* at(std::uint32_t place) {
    while (!rest_.empty() && rest_.front().place < place) rest_ = rest_.subspan(1);
    return !rest_.empty() && rest_.front().place == place ? &rest_.front() : nullptr;
  }

 private:
  std::span<const wire::MirrorHash> rest_;
};

}  // namespace

void ClientView::compare(const wire::MirrorHashes& reported, std::vector<wire::MirrorCorrection>& corrections) {
  MOBULA_ASSERT(verifies_, "only a view that verifies compares hashes");
  reported.of_level ? compare_level(reported, corrections) : compare_ids(reported, corrections);
}

void ClientView::compare_ids(const wire::MirrorHashes& reported, std::vector<wire::MirrorCorrection>& corrections) {
  for (const wire::MirrorHash& hash : reported.hashes) {
    const bool is_slot = hash.place < slots_.size() && slots_[hash.place].state != State::free &&
                         slots_[hash.place].index == hash.entity.index &&
                         lives_[hash.place].generation == hash.entity.generation;
    if (!is_slot) {
      corrections.push_back(unknown(reported, hash));
    } else if (differs(hash.place, hash)) {
      corrections.push_back(correct(hash.place, hash.tick, wire::MirrorFault::values));
    }
  }
  ReportedHashes hashes(reported);
  const auto end = static_cast<std::uint32_t>(std::min<std::size_t>(reported.end, slots_.size()));
  for (std::uint32_t id = reported.first; id < end; ++id) {
    const Slot& slot = slots_[id];
    // Later states may have arrived after the client reported.
    const bool was_there =
        slot.baseline != 0 && std::max(lives_[id].had, reset_of(id)) + wire::late_max <= reported.tick;
    if (slot.state == State::visible && was_there && hashes.at(id) == nullptr)
      corrections.push_back(correct(id, slot.baseline, wire::MirrorFault::missing));
  }
}

// Whether the client's state is known to differ from what was published at that tick. States before its newest full
// state, as far as that is known, do not count.
bool ClientView::differs(std::uint32_t id, const wire::MirrorHash& reported) {
  const Slot& slot = slots_[id];
  if (slot.state != State::visible || slot.baseline == 0 || reported.tick < std::max(reset_of(id), lives_[id].full))
    return false;
  const PublishedEntity& entity = published_.entity(slot.index);
  if (entity.entity.generation != lives_[id].generation || reported.tick < entity.structure_tick) return false;
  if (reported.tick == slot.baseline) return reported.hash != hashes_[id];
  words_.resize(published_.codecs().entity(entity.prototype).words);
  if (!published_.words_at(slot.index, reported.tick, words_.data())) return false;
  return reported.hash != published_.codecs().hash(entity.entity, entity.prototype, words_.data(), slot.owner);
}

// Makes a correction with the words of that tick. Without words if the value log no longer has them.
wire::MirrorCorrection ClientView::correct(std::uint32_t id, ecs::Tick tick, wire::MirrorFault fault) {
  const Slot& slot = slots_[id];
  wire::MirrorCorrection correction{.fault = fault,
                                    .of_level = false,
                                    .place = id,
                                    .entity = {slot.index, lives_[id].generation},
                                    .tick = tick,
                                    .words = {}};
  const PublishedEntity& entity = published_.entity(slot.index);
  if (fault == wire::MirrorFault::values && entity.entity.generation == lives_[id].generation) {
    correction.prototype = published_.codecs().prototype_hash(entity.prototype);
    correction.owner = slot.owner;
    correction.words = words_for_client(slot, tick);
  }
  resend(id);
  return correction;
}

// Words that the client does not receive are zeros.
std::vector<std::uint32_t> ClientView::words_for_client(const Slot& slot, ecs::Tick tick) {
  const wire::EntityLayout& layout = published_.codecs().entity(published_.entity(slot.index).prototype);
  std::vector<std::uint32_t> words(layout.words);
  if (!published_.words_at(slot.index, tick, words.data())) return {};
  for (const wire::EntityLayout::Row& row : layout.rows) {
    const wire::RowCodec& codec = *row.codec;
    const std::uint32_t first = slot.owner ? codec.common_words() : codec.public_words();
    const std::uint32_t end = slot.owner ? codec.public_words() : codec.words();
    std::fill(words.begin() + row.first + first, words.begin() + row.first + end, 0u);
  }
  return words;
}

void ClientView::resend(std::uint32_t id) {
  cancel_body(id);
  slots_[id].was_reset = true;
  lives_[id].reset = published_.registry().tick();
  note_pending(id);
}

// Modified entities are compared by their id. Here they are only reported as unknown if they lost visibility.
void ClientView::compare_level(const wire::MirrorHashes& reported, std::vector<wire::MirrorCorrection>& corrections) {
  if (level_ != nullptr && modified_seen_ != level_->modified().size()) return;
  const std::vector<bool> has_id = level_entities_by_id();
  for (const wire::MirrorHash& hash : reported.hashes) {
    const bool of_level = level_ != nullptr && level_->copy().contains(hash.entity) && hash.place == hash.entity.index;
    if (!of_level || (!has_unmodified(hash.entity.index) && !has_id[hash.entity.index - level_->copy().range().first]))
      corrections.push_back(unknown(reported, hash));
  }
  if (level_ == nullptr) return;
  ReportedHashes hashes(reported);
  const ecs::EntityRange& range = level_->copy().range();
  const std::uint32_t end = std::min(reported.end, range.first + range.count);
  for (std::uint32_t index = std::max(reported.first, range.first); index < end; ++index) {
    const wire::MirrorHash* hash = hashes.at(index);
    if (!has_unmodified(index) || (hash != nullptr && hash->hash == level_->copy().hash(index))) continue;
    const std::uint32_t id = take_unmodified_slot(index);
    const bool there = hash != nullptr;
    wire::MirrorCorrection correction = correct(id, there ? hash->tick : level_->tick(),
                                                there ? wire::MirrorFault::values : wire::MirrorFault::missing);
    correction.of_level = there;
    correction.place = index;
    corrections.push_back(std::move(correction));
  }
}

// Returns which entities of the level's range have an id: one pass for all that a client reports.
std::vector<bool> ClientView::level_entities_by_id() const {
  std::vector<bool> has_id(level_ != nullptr ? level_->copy().range().count : 0);
  for (std::uint32_t id = 0; id < slots_.size() && level_ != nullptr; ++id) {
    const ecs::Entity entity{slots_[id].index, lives_[id].generation};
    const bool is_known =
        slots_[id].state == State::visible || slots_[id].state == State::destroyed || is_removed_from_level(slots_[id]);
    if (is_known && level_->copy().contains(entity)) has_id[entity.index - level_->copy().range().first] = true;
  }
  return has_id;
}

bool ClientView::has_unmodified(std::uint32_t index) const {
  return level_ != nullptr && level_->is_unmodified(index) && !is_resent(index);
}

}  // namespace mobula::server
