// Malformed deltas, which Mobula's server never sends. Each is refused and changes nothing, or is applied and leaves
// the mirror consistent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <client/listed.hpp>
#include <client/mirrored_world.hpp>
#include <client/raw_delta.hpp>
#include <mobula/ecs/snapshot.hpp>
#include <mobula/wire/course_bits.hpp>

namespace mobula::client {
namespace {

using test::MirroredWorld;
using test::write_count;
using test::write_counts;
using test::write_gained;
using test::write_lost;
using test::WriteBits;

// The visible state of a mirror.
struct Picture {
  core::Bytes registry;
  std::uint64_t hash;
  std::uint32_t size;
  ecs::Tick tick;
  std::vector<ecs::Tick> ticks;  // by entity
  std::vector<bool> stale;
  bool operator==(const Picture&) const = default;
};

Picture picture(Mirror& mirror) {
  Picture made{
      .registry = {}, .hash = mirror.hash(), .size = mirror.size(), .tick = mirror.tick(), .ticks = {}, .stale = {}};
  ecs::save_snapshot(mirror.registry(), made.registry);
  mirror.registry().entities().each([&](ecs::Entity entity) {
    made.ticks.push_back(mirror.tick_of(entity));
    made.stale.push_back(mirror.is_stale(entity));
  });
  return made;
}

class DeltaDecoderTest : public testing::Test {
 protected:
  // Makes a delta with moving, changed, gained and lost entities, and some out of view.
  void SetUp() override {
    for (int i = 0; i < 3; ++i) movers.push_back(source.world.registry.create());
    for (const ecs::Entity mover : movers) source.world.registry.add<engine::Transform>(mover);
    for (int tick = 0; tick < 8; ++tick) {
      source.world.changes(12);
      move();
      source.replicate();
    }
    const std::span<const std::uint32_t> seen = source.view.visible();
    source.view.remove_visible(std::vector<std::uint32_t>{seen[0], seen[2], seen[4]});
    source.replicate();
    source.world.changes(20);
    destroy_one_in_view();
    move();
    real = source.delta();
    header = *wire::read_delta_header(real);
    header.short_numbers = false;
    mirror = source.twin();
  }
  void move() {
    for (const ecs::Entity mover : movers)
      source.world.registry.get<engine::Transform>(mover).position.x += source.world.random.uniform(0, 1);
  }
  void destroy_one_in_view() {
    const auto known = [&](ecs::Entity entity) { return source.mirror->tick_of(entity) != 0; };
    const auto found = std::find_if(source.world.alive.begin(), source.world.alive.end(), known);
    ASSERT_NE(found, source.world.alive.end());
    source.world.destroy(static_cast<std::size_t>(found - source.world.alive.begin()));
  }
  // Applies bytes to a mirror that is the same each time. Refused bytes must not change it.
  void feed(core::ByteView bytes) {
    const Picture before = picture(*mirror);
    const core::Status applied = test::apply_delta(*mirror, bytes);
    mirror->check();
    if (applied) {
      ++applied_count;
      mirror->acknowledged(source.ack() + 1);
      mirror = source.twin();
      return;
    }
    ++refused;
    ASSERT_TRUE(std::string_view(applied.error().reason) == "malformed delta" ||
                std::string_view(applied.error().reason) == "too late");
    ASSERT_EQ(picture(*mirror), before) << applied.error().message;
  }
  // Applies a delta with these bits after the header. A refused one must not change the mirror.
  core::Status apply(const WriteBits& write, std::size_t extra_bytes = 0) {
    core::Bytes bytes = test::raw_delta(header, write);
    bytes.resize(bytes.size() + extra_bytes);
    const Picture before = picture(*mirror);
    core::Status applied = test::apply_delta(*mirror, bytes);
    mirror->check();
    if (!applied) EXPECT_EQ(picture(*mirror), before);
    return applied;
  }
  // Returns the error of such a delta; empty if it is applied.
  std::string refusal(const WriteBits& write, std::size_t extra_bytes = 0) {
    const core::Status applied = apply(write, extra_bytes);
    return applied ? "" : applied.error().message;
  }
  // Writes a delta up to the prototype of the first entity gained.
  static void write_until_prototype(core::BitWriter& bits, std::uint32_t id, ecs::Entity entity,
                                    std::uint32_t prototype) {
    write_counts(bits, 0, 0);
    write_count(bits, 1);
    write_gained(bits, id, entity, prototype);
  }
  // Gains an entity of prototype 800, which is a Transform, with its position on a course.
  static WriteBits gained_on_course(std::uint32_t age, std::uint32_t velocity) {
    return [age, velocity](core::BitWriter& bits) {
      write_until_prototype(bits, 900, {900, 1}, 800);
      bits.write(0b111, 3);  // the Transform and its position have changed, and the position is under way
      bits.write_golomb(age, 0);
      for (int i = 0; i < 3; ++i) bits.write(256'000, 19);
      bits.write(31, wire::course_group_width_bits);
      for (int i = 0; i < 3; ++i) bits.write(velocity, 32);  // the last bit is the sign
      bits.write(0, 2);                                      // no acceleration; the rotation has not changed
      write_count(bits, 0);
    };
  }

  MirroredWorld source{3};
  std::vector<ecs::Entity> movers;  // never destroyed
  core::Bytes real;
  wire::DeltaHeader header;
  std::unique_ptr<Mirror> mirror;
  int applied_count = 0;
  int refused = 0;
};

TEST_F(DeltaDecoderTest, TheRealDeltaHoldsEveryKindOfEntry) {
  ASSERT_LT(real.size(), 700u) << "a few thousand flips are enough";
  const auto twin = source.twin();
  twin->hand_out_changes();
  ASSERT_TRUE(test::apply_delta(*twin, real).ok());
  twin->hand_out_changes();
  for (const ChangeKind kind : {ChangeKind::spawned, ChangeKind::changed, ChangeKind::destroyed})
    EXPECT_FALSE(test::listed(*twin, kind).empty());
}

TEST_F(DeltaDecoderTest, TruncatedDeltasAreRefused) {
  for (std::size_t size = 0; size < real.size(); ++size) {
    feed(core::ByteView(real).first(size));
    ASSERT_EQ(applied_count, 0) << size << " of " << real.size() << " bytes";
    if (HasFatalFailure()) return;
  }
  core::Bytes longer = real;
  longer.push_back(std::byte{0});
  feed(longer);
  EXPECT_EQ(applied_count, 0);
}

TEST_F(DeltaDecoderTest, EveryFlippedBitIsRefusedOrHarmless) {
  for (std::size_t bit = 0; bit < real.size() * 8; ++bit) {
    SCOPED_TRACE("bit " + std::to_string(bit));
    core::Bytes bad = real;
    bad[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
    feed(bad);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(refused, 200);
  EXPECT_GT(applied_count, 100) << "a flip in a value is a value";
}

TEST_F(DeltaDecoderTest, SeveralFlippedBitsAreRefusedOrHarmless) {
  core::Random random(3);
  for (int round = 0; round < 1000; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    core::Bytes bad = real;
    for (std::uint32_t flips = 2 + random.below(4); flips-- > 0;)
      bad[random.below(static_cast<std::uint32_t>(bad.size()))] ^= static_cast<std::byte>(1u << random.below(8));
    feed(bad);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(refused, 300);
}

TEST_F(DeltaDecoderTest, RandomBytesAreRefusedOrHarmless) {
  core::Random random(4);
  for (int round = 0; round < 3000; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    core::Bytes bad(wire::header_size({}) + random.below(random.chance(1, 3) ? 200 : 12));
    for (std::byte& byte : bad) byte = static_cast<std::byte>(random.next());
    wire::write_header({.sequence = header.sequence - 1 + random.below(3),
                        .tick = header.tick + random.below(3),
                        .ack = source.ack() + random.below(2) - random.below(2)},
                       bad);
    feed(bad);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(refused, 1000);
}

// Replays whole histories, so that later deltas are applied to the states that damaged ones left.
TEST_F(DeltaDecoderTest, DamagedHistoriesKeepTheMirrorConsistent) {
  for (int tick = 0; tick < 20; ++tick) {
    source.world.changes(6);
    source.replicate();
  }
  core::Random random(5);
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const auto victim = MirroredWorld::empty_mirror();
    for (const MirroredWorld::Event& event : source.history()) {
      core::Bytes damaged = event.delta;
      if (damaged.empty() || random.chance(2, 3)) {
        event.replay(*victim);
        continue;
      }
      const auto bits = static_cast<std::uint32_t>(damaged.size() * 8);
      for (std::uint32_t flips = 1 + random.below(2); flips-- > 0;) {
        const std::uint32_t bit = random.below(bits);
        damaged[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
      }
      test::apply_delta(*victim, damaged).ok() ? ++applied_count : ++refused;
      victim->check();
    }
  }
  EXPECT_GT(applied_count, 100);
  EXPECT_GT(refused, 100);
}

// Deltas written by hand
// ----------------------------------------------------------------------------------------------------------------

TEST_F(DeltaDecoderTest, AnEmptyDeltaIsAppliedButNotTrailingBits) {
  const WriteBits nothing = [](core::BitWriter& bits) {
    write_counts(bits, 0, 0);
    write_count(bits, 0);
    write_count(bits, 0);
  };
  EXPECT_EQ(refusal(nothing), "");
  EXPECT_EQ(refusal(nothing, 1), "the delta goes on after its end");
  EXPECT_EQ(refusal([&](core::BitWriter& bits) {
              nothing(bits);
              bits.write_golomb(0, wire::run_order);
            }),
            "the delta goes on after its end");
}

TEST_F(DeltaDecoderTest, ListsLongerThanTheDatagramAreRefused) {
  EXPECT_EQ(refusal([](core::BitWriter& bits) { write_counts(bits, 0, 0); }), "the delta ends too early");
  EXPECT_EQ(refusal([](core::BitWriter& bits) {
              write_counts(bits, 0, 0);
              write_count(bits, 0);
              write_count(bits, 0xffffffffu);
            }),
            "an id beyond the limit");
  EXPECT_EQ(refusal([](core::BitWriter& bits) { write_counts(bits, 0xffffffffu, 0); }), "the delta ends too early");
}

TEST_F(DeltaDecoderTest, ARunAboveTheCountIsRefused) {
  const auto run = [](std::uint32_t count, std::uint32_t length) {
    return [count, length](core::BitWriter& bits) {
      bits.write_golomb(count, wire::moving_count_order);
      bits.write_golomb(0, wire::first_id_order);
      bits.write_golomb(length - 1, wire::run_order);
    };
  };
  EXPECT_EQ(refusal(run(1, 2)), "a run of moving entities that is too long");
  EXPECT_EQ(refusal(run(0xfffffffeu, 0xffffffffu)), "a run of moving entities that is too long");
}

TEST_F(DeltaDecoderTest, AnUnknownIdOrOneBeyondTheLimitIsRefused) {
  const auto changed = [](std::uint32_t id) {
    return [id](core::BitWriter& bits) {
      write_counts(bits, 0, 1);
      bits.write_golomb(id, wire::id_order);
    };
  };
  EXPECT_EQ(refusal(changed(900)), "a change of an unknown id");
  EXPECT_EQ(refusal(changed(0xffffffffu)), "a change of an unknown id");
  const auto lost = [](std::uint32_t id, std::size_t times) {
    return [id, times](core::BitWriter& bits) {
      write_counts(bits, 0, 0);
      write_count(bits, 0);
      write_count(bits, times);
      for (std::size_t i = 0; i < times; ++i) write_lost(bits, id, true);
    };
  };
  EXPECT_EQ(refusal(lost(0xffffffffu, 1)), "an id beyond the limit");
  EXPECT_EQ(refusal(lost(0x80000000u, 2)), "an id beyond the limit") << "the sum of gaps does not wrap round";
  EXPECT_EQ(refusal(lost(1u << 19, 2)), "an id beyond the limit");
  EXPECT_EQ(refusal([](core::BitWriter& bits) { write_until_prototype(bits, 1u << 20, {1, 1}, 0); }),
            "an id beyond the limit");
  EXPECT_EQ(refusal([](core::BitWriter& bits) {
              bits.write_golomb(1, wire::moving_count_order);
              bits.write_golomb(5000, wire::first_id_order);
              bits.write_golomb(0, wire::run_order);
            }),
            "more moving entities than there are");
  EXPECT_EQ(refusal(lost(900, 1)), "") << "the delta with its gain may have been lost";
}

TEST_F(DeltaDecoderTest, AnImpossibleHandleIsRefused) {
  const auto entity = [](ecs::Entity which) {
    return [which](core::BitWriter& bits) { write_until_prototype(bits, 900, which, 0); };
  };
  EXPECT_EQ(refusal(entity({5, 0})), "an impossible entity handle");
  EXPECT_EQ(refusal(entity({MirroredWorld::entities_max, 1})), "an impossible entity handle");
  EXPECT_EQ(refusal(entity({0xffffffffu, 1})), "an impossible entity handle");
  EXPECT_EQ(refusal([](core::BitWriter& bits) {
              write_until_prototype(bits, 900, {MirroredWorld::entities_max - 1, 1}, 0);
              write_count(bits, 0);
            }),
            "");
}

TEST_F(DeltaDecoderTest, AnUnannouncedPrototypeIsRefused) {
  const auto prototype = [](std::uint32_t id) {
    return [id](core::BitWriter& bits) {
      write_until_prototype(bits, 900, {900, 1}, id);
      write_count(bits, 0);
    };
  };
  EXPECT_EQ(refusal(prototype(800)), "a prototype that was not announced");
  EXPECT_EQ(refusal(prototype(0xffffffffu)), "a prototype that was not announced");
  EXPECT_EQ(refusal(prototype(0)), "") << "the empty one is always known";
  ASSERT_TRUE(mirror->add_prototypes({{{801, 0, {}}}}));
  EXPECT_EQ(refusal(prototype(800)), "a prototype that was not announced") << "an id between announced ones";
}

TEST_F(DeltaDecoderTest, AnEntityWithInvalidValuesIsRefused) {
  ASSERT_TRUE(mirror->add_names({{"Velocity"}}));
  ASSERT_TRUE(mirror->add_prototypes({{{800, 0, {{core::StringId32("Velocity"), core::StringId32("Velocity")}}}}}));
  EXPECT_EQ(refusal([](core::BitWriter& bits) {
              write_until_prototype(bits, 900, {900, 1}, 800);
              for (int i = 0; i < 20; ++i) bits.write(~0u, 32);
            }),
            "an entity that cannot be decoded");
}

TEST_F(DeltaDecoderTest, AMalformedCourseIsAMalformedDelta) {
  const core::StringId32 transform("Transform");
  ASSERT_TRUE(mirror->add_names({{"Transform"}}));
  ASSERT_TRUE(mirror->add_prototypes({{{800, 0, {{transform, transform}}}}}));
  const std::uint32_t not_a_number = 0x7fc00000;  // the bits of a float
  const std::pair<std::uint32_t, std::uint32_t> malformed[] = {
      {header.tick, 64},  // began before tick 1
      {~0u, 64},          // begins in the next tick
      {1, 0},             // does not move
      {1, wire::course_velocity_max + 1},
      {1, not_a_number},
  };
  for (const auto& [age, velocity] : malformed) {
    const core::Status applied = apply(gained_on_course(age, velocity));
    ASSERT_FALSE(applied.ok()) << age << ", " << velocity;
    EXPECT_STREQ(applied.error().reason, "malformed delta");
    EXPECT_EQ(applied.error().message, "an entity that cannot be decoded");
  }
  EXPECT_EQ(refusal(gained_on_course(header.tick - 1, wire::course_velocity_max)), "");
}

TEST_F(DeltaDecoderTest, AnUnknownAcknowledgementIsRefused) {
  const WriteBits nothing = [](core::BitWriter& bits) { write_counts(bits, 0, 0); };
  for (const std::uint32_t ack : {source.ack() + 1, 0xffffffffu}) {
    header.ack = ack;
    EXPECT_EQ(refusal(nothing), "it is encoded against an acknowledgement that was not sent");
  }
  for (std::uint32_t i = 1; i <= Mirror::acknowledged_kept + 1; ++i) mirror->acknowledged(source.ack() + i);
  for (const std::uint32_t ack : {0u, source.ack()}) {
    header.ack = ack;
    EXPECT_EQ(refusal(nothing), "it is encoded against an acknowledgement that is forgotten");
  }
}

TEST_F(DeltaDecoderTest, AChangeOfALostEntityIsRefused) {
  const std::uint32_t id = 0;
  const WriteBits lost = [&](core::BitWriter& bits) {
    write_counts(bits, 0, 0);
    write_count(bits, 0);
    write_count(bits, 1);
    write_lost(bits, id, true);
  };
  ASSERT_EQ(refusal(lost), "");
  ++header.sequence;
  ++header.tick;
  EXPECT_EQ(refusal([&](core::BitWriter& bits) {
              write_counts(bits, 0, 1);
              bits.write_golomb(id, wire::id_order);
            }),
            "a change of an entity that has no state");
}

TEST_F(DeltaDecoderTest, AnIdInTwoListsIsRefused) {
  EXPECT_EQ(refusal([&](core::BitWriter& bits) {
              write_until_prototype(bits, 0, {900, 1}, 0);
              write_count(bits, 1);
              write_lost(bits, 0, true);
            }),
            "two entries of one id");
}

TEST_F(DeltaDecoderTest, AChangeOlderThanItsEntityIsRefused) {
  header.tick = 1;
  EXPECT_EQ(refusal([&](core::BitWriter& bits) {
              write_counts(bits, 0, 1);
              bits.write_golomb(0, wire::id_order);
            }),
            "a change of an entity that has no state");
}

}  // namespace
}  // namespace mobula::client
