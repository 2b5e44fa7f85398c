// What became of the unreliable messages that were sent with a tag. Allocates nothing until there is one.
//
// Invariant: each tag has exactly one fate, unless nobody fetches them: beyond fates_max the oldest are forgotten.
#pragma once

#include <mobula/core/clock.hpp>
#include <mobula/transport/byte_queue.hpp>
#include <mobula/transport/number_ring.hpp>

namespace mobula::transport {

struct Fate {
  // Lost: not acknowledged in time; it may have arrived nevertheless. Dropped: never sent, it waited for too long.
  enum class Outcome : std::uint8_t { acked, lost, dropped };

  core::Nanoseconds sent_at = 0;  // `now` of the flush; of a dropped one, when it was dropped
  std::uint32_t tag = 0;
  Outcome outcome = Outcome::acked;
};

class Fates {
 public:
  static constexpr std::uint32_t travelling_max = 1024;
  static constexpr std::uint32_t fates_max = 1024;

  // Tags are numbered in the order in which they set out.
  [[nodiscard]] std::uint16_t next_number() const { return next_; }
  [[nodiscard]] bool any_travel() const { return next_ != first_; }
  [[nodiscard]] bool full() const { return static_cast<std::uint16_t>(next_ - first_) == travelling_max; }
  void set_out(std::uint32_t tag);
  void decide(std::uint16_t first, std::uint8_t count, Fate::Outcome outcome, core::Nanoseconds sent_at);
  void drop(std::uint32_t tag, core::Nanoseconds now) { tell({now, tag, Fate::Outcome::dropped}); }
  // Tags before this one have their fate and are forgotten.
  void forget_before(std::uint16_t number) { first_ = number; }

  bool next(Fate& fate);
  // From time to time: gives memory back when no tag travels.
  void trim();

 private:
  void tell(const Fate& fate);

  NumberRing<std::uint32_t> tags_;
  ByteQueue fates_;  // Fate
  std::uint16_t first_ = 0;
  std::uint16_t next_ = 0;
};

}  // namespace mobula::transport
