// What one client has, what is on its way to it, and what it still lacks.
//
// Every delta's fate is known in the end: the client applies deltas in order of sequence and
// drops late ones, and each of its acknowledgements tells the fate of the last 256. So after
// an acknowledgement both sides know exactly what the client then had, and the sum of
// hashes on this side must be that of the mirror.
//
// Entities that changed wait in a queue. A delta tells of each either all (a spawn) or what
// is newer than the acknowledged state (an update), never relying on anything in flight.
// What was lost goes back to the queue.
#pragma once

#include <cstdint>
#include <deque>
#include <mobula/ecs/registry.hpp>
#include <mobula/server/announced_prototypes.hpp>
#include <mobula/wire/delta.hpp>
#include <mobula/wire/row_table.hpp>
#include <span>
#include <vector>

namespace mobula::server {

class ClientView {
 public:
  // Both outlive the view. Everything published so far is what the client lacks.
  ClientView(const ecs::Registry& registry, const wire::RowTable& rows);

  // Indices that differ from what was published before.
  void on_published(std::span<const std::uint32_t> indices);

  // Refused: "acknowledges the future". Late and repeated ones change nothing.
  core::Status acknowledge(const wire::InputHeader& input);

  [[nodiscard]] bool has_pending() const { return !pending_.empty(); }
  // Deltas without a known fate; at most window_max.
  [[nodiscard]] std::uint32_t in_flight() const { return last_sequence_ - resolved_; }

  // Fills a datagram and gives its size. With in_flight() near its bound it is an empty delta, the same one
  // again and again: its acknowledgement tells all fates, even when whole windows of deltas were lost.
  std::size_t write_delta(core::MutableBytes datagram, ecs::Tick tick);

  static constexpr std::uint32_t window_max = wire::ack_history - 1;

  // Those that deltas wait for are wanted.
  [[nodiscard]] AnnouncedPrototypes& prototypes() { return prototypes_; }
  // Prototypes that no longer are: nothing published has them.
  void forget(std::span<const ecs::PrototypeId> prototypes) { prototypes_.forget(prototypes, last_sequence_); }

  // Sum of the hashes of what the client has acknowledged, and how many entities that is.
  [[nodiscard]] std::uint64_t acknowledged_hash() const { return hash_; }
  [[nodiscard]] std::uint32_t acknowledged_entities() const { return entities_; }

 private:
  // What is known of the client at one index: 32 bytes.
  struct Known {
    std::uint64_t hash = 0;
    std::uint32_t generation = 0;  // acknowledged; 0: no entity
    ecs::Tick tick = 0;            // the acknowledged state is that of this tick
    std::uint32_t sequence = 0;    // the newest delta in flight that tells of it; 0: none
    ecs::Tick sequence_tick = 0;   // and the tick it tells
    bool pending = false;
  };
  struct Carried {
    std::uint32_t index;
    std::uint32_t generation;  // 0: a despawn
    ecs::Tick tick;
    std::uint64_t hash;
  };
  enum class Need : std::uint8_t { nothing, update, spawn, despawn, prototype };
  struct Choice {
    std::uint32_t index;
    Need need;
  };

  // Begins the next delta. False: it has to stay empty.
  bool open_window();
  void enqueue(std::uint32_t index);
  [[nodiscard]] Need need(std::uint32_t index, std::size_t& bits, const wire::DeltaWriter& writer);
  void choose(std::size_t room_bits, const wire::DeltaWriter& writer);
  void write(const Choice& choice, wire::DeltaWriter& writer, ecs::Tick tick);
  void delivered(const Carried& carried, std::uint32_t sequence);
  void lost(const Carried& carried, std::uint32_t sequence);

  const ecs::Registry& registry_;
  const wire::RowTable& rows_;
  std::vector<Known> known_;  // by index
  std::deque<std::uint32_t> pending_;
  std::vector<Choice> chosen_;
  std::vector<std::uint32_t> deferred_;
  std::vector<std::vector<Carried>> in_flight_;  // by sequence % ack_history
  AnnouncedPrototypes prototypes_;
  std::uint32_t last_sequence_ = 0;
  std::uint32_t resolved_ = 0;  // the fates of all deltas up to here are known
  std::uint32_t last_ack_ = 0;
  std::uint64_t hash_ = 0;
  std::uint32_t entities_ = 0;
};

}  // namespace mobula::server
