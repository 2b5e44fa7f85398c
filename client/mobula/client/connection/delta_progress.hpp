// Which deltas of a session have been received, which of them the server knows to have been received, and whether
// anything is missing.
#pragma once

#include <array>
#include <mobula/client/connection/arrivals.hpp>
#include <mobula/client/mirror/mirror.hpp>
#include <mobula/wire/input.hpp>

namespace mobula::client {

class DeltaProgress {
 public:
  [[nodiscard]] bool is_late(std::uint32_t sequence) const { return sequence < input_.newest; }
  /// Returns whether a delta was not received before and is recent enough that the server has not given it up.
  [[nodiscard]] bool is_new(std::uint32_t sequence) const;
  /// Notes acknowledgement `ack` as received by the server.
  void on_acknowledged(std::uint32_t ack) { acknowledged_ = std::max(acknowledged_, ack); }
  /// Notes a new delta as received. Returns how many older deltas are given up because of it.
  std::uint32_t on_received(const wire::DeltaHeader& header);
  /// Returns whether a delta was received that no acknowledgement covers.
  [[nodiscard]] bool has_news() const { return has_news_; }
  /// Makes the next acknowledgement. Returns the datagram that carries it, without commands.
  wire::InputDatagram& acknowledge();

  /// Returns the tick of the newest delta.
  [[nodiscard]] ecs::Tick tick() const { return tick_; }
  /// Returns the order in which the newest deltas arrived.
  [[nodiscard]] const Arrivals& arrivals() const { return arrivals_; }
  /// Returns what completes the short numbers of the next delta.
  [[nodiscard]] wire::KnownNumbers known() const { return {input_.newest, tick_, input_.ack, long_sequence_}; }
  /// Returns whether the mirror holds everything that the server had to send when it sent the newest delta. False while
  /// a recent delta is missing: the server sends its content again once it knows.
  [[nodiscard]] bool complete() const { return complete_; }
  /// Makes `complete` false until the next delta.
  void interrupt() { complete_ = false; }

 private:
  static constexpr std::size_t acknowledgements_kept = Mirror::acknowledged_kept;

  void note_newest(std::uint32_t sequence);
  [[nodiscard]] std::uint32_t count_given_up(std::uint32_t steps) const;
  [[nodiscard]] bool none_missing() const;
  [[nodiscard]] std::uint32_t newest_acknowledged() const;

  wire::InputDatagram input_;
  Arrivals arrivals_;
  std::array<std::uint32_t, acknowledgements_kept> newest_at_{};  // by acknowledgement: the newest delta it covers
  std::uint32_t acknowledged_ = 0;                                // newest acknowledgement that the server received
  ecs::Tick tick_ = 0;
  std::uint32_t long_sequence_ = 0;  // newest delta with long numbers
  bool has_news_ = false;
  bool server_complete_ = false;  // by the newest delta, nothing else waits to be sent
  bool complete_ = false;
};

}  // namespace mobula::client
