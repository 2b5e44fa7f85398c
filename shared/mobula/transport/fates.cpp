#include <mobula/transport/fates.hpp>

namespace mobula::transport {

void Fates::add_in_flight(std::uint32_t tag) {
  MOBULA_ASSERT(!full(), "too many tags are in flight");
  const auto count = static_cast<std::uint16_t>(next_ - first_);
  if (count == tags_.capacity()) tags_.set_capacity(std::max<std::size_t>(16, tags_.capacity() * 2), first_, count);
  tags_[next_++] = tag;
}

void Fates::decide(std::uint16_t first, std::uint8_t count, Fate::Outcome outcome, core::Nanoseconds sent_at) {
  for (std::uint32_t i = 0; i < count; ++i) push({sent_at, tags_[first + i], outcome});
}

void Fates::push(const Fate& fate) {
  if (fates_.size() == fates_max * sizeof(Fate)) fates_.consume(sizeof(Fate));
  fates_.append_value(fate);
}

bool Fates::next(Fate& fate) {
  if (fates_.empty()) return false;
  fate = core::load<Fate>(fates_.view().data());
  fates_.consume(sizeof(Fate));
  return true;
}

void Fates::trim() {
  fates_.trim();
  if (first_ == next_) tags_.set_capacity(0, 0, 0);
}

}  // namespace mobula::transport
