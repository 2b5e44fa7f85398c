// Outcomes (fates) of unreliable messages that were sent with a tag. Allocates nothing before the first tag.
//
// Invariant: each tag gets exactly one fate. If the owner does not fetch them, the oldest beyond fates_max are lost.
#pragma once

#include <mobula/core/clock.hpp>
#include <mobula/transport/byte_queue.hpp>
#include <mobula/transport/number_ring.hpp>

namespace mobula::transport {

/// Outcome of one tagged message.
struct Fate {
  /// lost: not acknowledged in time; it may still have arrived. dropped: never sent, it was queued for too long.
  enum class Outcome : std::uint8_t { acked, lost, dropped };

  core::Nanoseconds sent_at = 0;  // time of the flush; for a dropped one, of the drop
  std::uint32_t tag = 0;
  Outcome outcome = Outcome::acked;
};

/// Tags in flight and decided fates of a session.
class Fates {
 public:
  static constexpr std::uint32_t in_flight_max = 1024;
  static constexpr std::uint32_t fates_max = 1024;

  /// Returns the number of the next tag. Tags are numbered in the order of sending.
  [[nodiscard]] std::uint16_t next_number() const { return next_; }
  [[nodiscard]] bool any_in_flight() const { return next_ != first_; }
  [[nodiscard]] bool full() const { return static_cast<std::uint16_t>(next_ - first_) == in_flight_max; }
  void add_in_flight(std::uint32_t tag);
  void decide(std::uint16_t first, std::uint8_t count, Fate::Outcome outcome, core::Nanoseconds sent_at);
  void drop(std::uint32_t tag, core::Nanoseconds now) { push({now, tag, Fate::Outcome::dropped}); }
  /// Removes tags before this number. Their fates have been decided.
  void forget_before(std::uint16_t number) { first_ = number; }

  /// Fetches the oldest fate. Returns false if there is none.
  bool next(Fate& fate);
  /// Frees memory while no tag is in flight. Call it every few seconds.
  void trim();

 private:
  void push(const Fate& fate);

  NumberRing<std::uint32_t> tags_;
  ByteQueue fates_;  // Fate
  std::uint16_t first_ = 0;
  std::uint16_t next_ = 0;
};

}  // namespace mobula::transport
