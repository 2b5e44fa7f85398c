#include <gtest/gtest.h>

#include <mobula/core/random.hpp>
#include <mobula/server/game/acknowledged_deltas.hpp>
#include <set>

namespace mobula::server {
namespace {

// Returns an input that acknowledges these deltas in this many words.
wire::InputDatagram acknowledging(const std::set<std::uint32_t>& had, std::uint8_t words) {
  wire::InputDatagram input{.ack = 1, .newest = had.empty() ? 0 : *had.rbegin(), .words = words};
  for (const std::uint32_t sequence : had) {
    const std::uint32_t age = input.newest - sequence;
    if (age < 64u * words) input.received[age / 64] |= std::uint64_t{1} << age % 64;
  }
  return input;
}

// Returns the newest 64 of a set, of which an input with `words` words shows those that it reaches.
wire::SeenDeltas seen_of(const std::set<std::uint32_t>& had, std::uint32_t last_shown = 1) {
  wire::SeenDeltas seen;
  if (had.empty()) return seen;
  seen.newest = *had.rbegin();
  for (const std::uint32_t sequence : had)
    if (seen.newest - sequence < 64 && sequence >= last_shown)
      seen.received |= std::uint64_t{1} << (seen.newest - sequence);
  return seen;
}

TEST(AcknowledgedDeltas, FormerInputsCompleteASet) {
  AcknowledgedDeltas acknowledged;
  std::set<std::uint32_t> had;
  for (std::uint32_t sequence = 1; sequence <= 90; sequence += 3) had.insert(sequence);
  acknowledged.add(acknowledging(had, 2));
  for (std::uint32_t sequence = 91; sequence <= 120; ++sequence) had.insert(sequence);
  const wire::InputDatagram input = acknowledging(had, 1);
  acknowledged.add(input);
  EXPECT_EQ(acknowledged.completed(seen_of(had), input), seen_of(had));
  had.erase(had.lower_bound(100), had.end());
  EXPECT_EQ(acknowledged.completed(seen_of(had, 57), input), seen_of(had));
}

TEST(AcknowledgedDeltas, DeltasThatTheInputShowsStay) {
  AcknowledgedDeltas acknowledged;
  acknowledged.add(acknowledging({90, 95, 100}, 1));
  const wire::InputDatagram before = acknowledging({90, 100}, 1);
  acknowledged.add(before);
  EXPECT_EQ(acknowledged.completed(seen_of({90, 100}), before), seen_of({90, 100})) << "95 arrived later";
  acknowledged.add(acknowledging({50, 90, 95, 100}, 1));
  const wire::InputDatagram after = acknowledging({90, 95, 100, 120}, 1);
  acknowledged.add(after);
  EXPECT_EQ(acknowledged.completed(seen_of({90, 100}), after), seen_of({50, 90, 100})) << "50 is before its words";
}

TEST(AcknowledgedDeltas, ASetBeyondWhatIsKeptIsUnknown) {
  AcknowledgedDeltas acknowledged;
  const wire::InputDatagram old = acknowledging({100}, 1);
  acknowledged.add(old);
  const wire::SeenDeltas seen{100, 1};
  EXPECT_EQ(acknowledged.completed(seen, old), seen);
  wire::InputDatagram later = acknowledging({100, 140, 292}, 4);
  acknowledged.add(later);
  later.words = 3;
  EXPECT_EQ(acknowledged.completed({140, 1}, later), (wire::SeenDeltas{140, 1 | std::uint64_t{1} << 40}));
  later = acknowledging({500}, 4);
  acknowledged.add(later);
  EXPECT_EQ(acknowledged.completed({300, 1}, later), (wire::SeenDeltas{}));
  EXPECT_EQ(acknowledged.completed({}, later), (wire::SeenDeltas{}));
}

}  // namespace
}  // namespace mobula::server
