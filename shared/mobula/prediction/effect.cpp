#include <mobula/core/assert.hpp>
#include <mobula/core/format.hpp>
#include <mobula/prediction/effect.hpp>

namespace mobula::prediction {

void EffectList::add(const Effect& effect) {
  MOBULA_CHECK(effect.payload.size() <= Effect::payload_max,
               core::format("an effect has {} bytes; the maximum is {}", effect.payload.size(), Effect::payload_max));
  const auto first = static_cast<std::uint32_t>(bytes_.size());
  bytes_.insert(bytes_.end(), effect.payload.begin(), effect.payload.end());
  entries_.push_back({effect.name, effect.key, effect.tick, first, static_cast<std::uint32_t>(effect.payload.size())});
}

void EffectList::clear() {
  entries_.clear();
  bytes_.clear();
}

Effect EffectList::at(std::size_t place) const {
  MOBULA_CHECK(place < entries_.size(), "there is no such effect");
  const Entry& entry = entries_[place];
  return {entry.name, entry.key, entry.tick, core::ByteView(bytes_).subspan(entry.first, entry.size)};
}

}  // namespace mobula::prediction
