// What a client says to have, against what it should have.
#include <algorithm>
#include <mobula/server/replication/client_view.hpp>

namespace mobula::server {
namespace {

// Of an entity that the client should not have. It may well know by now; else it drops it.
wire::MirrorCorrection unknown(const wire::MirrorHashes& said, const wire::MirrorHash& hash) {
  return {.fault = wire::MirrorFault::unknown,
          .of_level = said.of_level,
          .place = hash.place,
          .entity = hash.entity,
          .tick = hash.tick,
          .words = {}};
}

// By ascending place: those of one after the other.
class Said {
 public:
  explicit Said(const wire::MirrorHashes& said) : rest_(said.hashes) {}
  const wire::MirrorHash* at(std::uint32_t place) {
    while (!rest_.empty() && rest_.front().place < place) rest_ = rest_.subspan(1);
    return !rest_.empty() && rest_.front().place == place ? &rest_.front() : nullptr;
  }

 private:
  std::span<const wire::MirrorHash> rest_;
};

}  // namespace

void ClientView::compare(const wire::MirrorHashes& said, std::vector<wire::MirrorCorrection>& corrections) {
  MOBULA_ASSERT(verifies_, "who does not verify does not compare");
  said.of_level ? compare_level(said, corrections) : compare_ids(said, corrections);
}

void ClientView::compare_ids(const wire::MirrorHashes& said, std::vector<wire::MirrorCorrection>& corrections) {
  for (const wire::MirrorHash& hash : said.hashes) {
    const bool is_slot = hash.place < slots_.size() && slots_[hash.place].state != State::free &&
                         slots_[hash.place].index == hash.entity.index &&
                         lives_[hash.place].generation == hash.entity.generation;
    if (!is_slot) {
      corrections.push_back(unknown(said, hash));
    } else if (differs(hash.place, hash)) {
      corrections.push_back(correct(hash.place, hash.tick, wire::MirrorFault::values));
    }
  }
  Said hashes(said);
  const auto end = static_cast<std::uint32_t>(std::min<std::size_t>(said.end, slots_.size()));
  for (std::uint32_t id = said.first; id < end; ++id) {
    const Slot& slot = slots_[id];
    // What came later than that may have come after the client said so.
    const bool was_there = slot.b1 != 0 && std::max(lives_[id].whole, reset_of(id)) + wire::late_max <= said.tick;
    if (slot.state == State::seen && was_there && hashes.at(id) == nullptr)
      corrections.push_back(correct(id, slot.b1, wire::MirrorFault::missing));
  }
}

// Whether it is known that the client's state is not what was published then. What was before the client had it whole,
// as far as that is known, is not its business.
bool ClientView::differs(std::uint32_t id, const wire::MirrorHash& said) {
  const Slot& slot = slots_[id];
  if (slot.state != State::seen || slot.b1 == 0 || said.tick < std::max(reset_of(id), lives_[id].whole)) return false;
  const PublishedEntity& entity = published_.entity(slot.index);
  if (entity.entity.generation != lives_[id].generation || said.tick < entity.structure_tick) return false;
  if (said.tick == slot.b1) return said.hash != hashes_[id];
  words_.resize(published_.codecs().entity(entity.prototype).words);
  if (!published_.words_at(slot.index, said.tick, words_.data())) return false;
  return said.hash != published_.codecs().hash(entity.entity, entity.prototype, words_.data(), slot.owner);
}

// The words are those of that tick; none if the log no longer knows them.
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
  tell_anew(id);
  return correction;
}

// What is the owner's alone is zeros for others.
std::vector<std::uint32_t> ClientView::words_for_client(const Slot& slot, ecs::Tick tick) {
  const wire::EntityLayout& layout = published_.codecs().entity(published_.entity(slot.index).prototype);
  std::vector<std::uint32_t> words(layout.words);
  if (!published_.words_at(slot.index, tick, words.data())) return {};
  for (const wire::EntityLayout::Row& row : layout.rows) {
    const std::uint32_t seen = slot.owner ? row.codec->words() : row.codec->public_words();
    std::fill_n(words.begin() + row.first + seen, row.codec->words() - seen, 0u);
  }
  return words;
}

void ClientView::tell_anew(std::uint32_t id) {
  slots_[id].was_reset = true;
  lives_[id].reset = published_.registry().tick();
  note_pending(id);
}

// What has been stirred is told of by its id: of that nothing is said here, but that it is gone.
void ClientView::compare_level(const wire::MirrorHashes& said, std::vector<wire::MirrorCorrection>& corrections) {
  if (level_ != nullptr && stirred_seen_ != level_->stirred().size()) return;
  const std::vector<bool> has_id = level_entities_by_id();
  for (const wire::MirrorHash& hash : said.hashes) {
    const bool of_level = level_ != nullptr && level_->copy().contains(hash.entity) && hash.place == hash.entity.index;
    if (!of_level || (!has_pristine(hash.entity.index) && !has_id[hash.entity.index - level_->copy().range().first]))
      corrections.push_back(unknown(said, hash));
  }
  if (level_ == nullptr) return;
  Said hashes(said);
  const ecs::EntityRange& range = level_->copy().range();
  const std::uint32_t end = std::min(said.end, range.first + range.count);
  for (std::uint32_t index = std::max(said.first, range.first); index < end; ++index) {
    const wire::MirrorHash* hash = hashes.at(index);
    if (!has_pristine(index) || (hash != nullptr && hash->hash == level_->copy().hash(index))) continue;
    const std::uint32_t id = take_pristine_slot(index);
    const bool there = hash != nullptr;
    wire::MirrorCorrection correction = correct(id, there ? hash->tick : level_->tick(),
                                                there ? wire::MirrorFault::values : wire::MirrorFault::missing);
    correction.of_level = there;
    correction.place = index;
    corrections.push_back(std::move(correction));
  }
}

// Of the level's range, what is seen by an id: one walk for all that a client says.
std::vector<bool> ClientView::level_entities_by_id() const {
  std::vector<bool> has_id(level_ != nullptr ? level_->copy().range().count : 0);
  for (std::uint32_t id = 0; id < slots_.size() && level_ != nullptr; ++id) {
    const ecs::Entity entity{slots_[id].index, lives_[id].generation};
    const bool is_told_of =
        slots_[id].state == State::seen || slots_[id].state == State::destroyed || leaves_level(slots_[id]);
    if (is_told_of && level_->copy().contains(entity)) has_id[entity.index - level_->copy().range().first] = true;
  }
  return has_id;
}

bool ClientView::has_pristine(std::uint32_t index) const {
  return level_ != nullptr && level_->is_pristine(index) && !is_told_anew(index);
}

}  // namespace mobula::server
