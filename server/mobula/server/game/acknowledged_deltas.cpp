#include <algorithm>
#include <mobula/core/assert.hpp>
#include <mobula/server/game/acknowledged_deltas.hpp>

namespace mobula::server {

void AcknowledgedDeltas::add(const wire::InputDatagram& input) {
  const std::uint32_t newest = std::max(newest_, input.newest);
  const wire::ReceivedBits before = wire::later(received_, newest - newest_);
  const wire::ReceivedBits added = wire::later(input.received, newest - input.newest);
  for (std::size_t i = 0; i < received_.size(); ++i) received_[i] = before[i] | added[i];
  newest_ = newest;
}

wire::SeenDeltas AcknowledgedDeltas::completed(const wire::SeenDeltas& seen, const wire::InputDatagram& input) const {
  if (seen.newest == 0) return seen;
  MOBULA_ASSERT(seen.newest <= input.newest && input.newest <= newest_, "the input was added");
  const std::uint32_t covered = 64u * input.words - (input.newest - seen.newest);
  if (covered >= 64 || covered >= seen.newest) return seen;
  const std::uint32_t age = newest_ - seen.newest;
  if (age + std::min(seen.newest, 64u) > wire::received_bits_max) return {};
  const std::uint64_t settled = wire::bits_from(received_, age) & ~std::uint64_t{0} << covered;
  return {seen.newest, seen.received | settled};
}

}  // namespace mobula::server
