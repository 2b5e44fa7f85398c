#include <mobula/transport/sent_history.hpp>

namespace mobula::transport {

void SentHistory::grow() { set_capacity(std::max(capacity_min, static_cast<std::uint32_t>(ring_.capacity()) * 2)); }

void SentHistory::set_capacity(std::uint32_t capacity) {
  const std::uint32_t kept = std::min(capacity, static_cast<std::uint32_t>(ring_.capacity()));
  ring_.set_capacity(capacity, plus(next_, -static_cast<int>(kept)), kept);
}

void SentHistory::trim(core::Nanoseconds now) {
  std::uint32_t needed = peak_;
  for (auto age = static_cast<std::uint32_t>(ring_.capacity()); age > needed; --age) {
    if (is_recently_lost(ring_[plus(next_, -static_cast<int>(age))], now)) needed = age;
  }
  const auto wanted = std::bit_ceil(std::max(capacity_min, 2 * needed));
  if (wanted < ring_.capacity()) set_capacity(wanted);
  peak_ = in_flight();
}

void SentHistory::check() const {
  MOBULA_ASSERT(in_flight() <= ring_.capacity(), "a waiting datagram was dropped from the ring");
  const bool oldest_waits =
      in_flight() == 0 || (oldest_waiting().state == SentState::waiting && oldest_waiting().at == oldest_at_);
  MOBULA_ASSERT(oldest_waits, "the oldest is not waiting");
  for (std::uint32_t age = in_flight() + 1; age <= ring_.capacity(); ++age) {
    MOBULA_ASSERT(ring_[plus(next_, -static_cast<int>(age))].state != SentState::waiting,
                  "a datagram waits before the oldest");
  }
}

}  // namespace mobula::transport
