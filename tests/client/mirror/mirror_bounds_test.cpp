// Memory that a hostile server can make a mirror use with deltas that are valid one by one.
#include <gtest/gtest.h>

#include <client/apply_delta.hpp>
#include <client/raw_delta.hpp>
#include <mobula/client/mirror/mirror.hpp>
#include <mobula/core/format.hpp>
#include <server/hamlet.hpp>

#include "ecs/allocations.hpp"

namespace mobula::client {
namespace {

constexpr std::uint32_t entities_max = 1u << 22;
constexpr std::uint32_t components = 32;  // Name components of the prototype with id 1

class MirrorBoundsTest : public testing::Test {
 protected:
  MirrorBoundsTest() {
    wire::Names names;
    wire::Prototype prototype{.id = 1, .hash = 0, .components = {}};
    for (std::uint32_t i = 0; i < components; ++i) {
      names.texts.push_back(core::format("name {}", i));
      prototype.components.push_back({core::StringId32("Name"), core::StringId32(names.texts.back())});
    }
    EXPECT_TRUE(mirror->add_names(names).ok());
    EXPECT_TRUE(mirror->add_prototypes({{prototype}}).ok());
  }

  struct Entry {
    std::uint32_t id;
    ecs::Entity entity;
  };
  // Applies a delta that gains these entities, in order of their ids, with a prototype and default values.
  core::Status gain(std::span<const Entry> entries, std::uint32_t prototype) {
    return apply([&](core::BitWriter& bits) {
      test::write_count(bits, entries.size());
      std::uint32_t next = 0;
      for (const Entry& entry : entries) {
        test::write_gained(bits, entry.id - next, entry.entity, prototype);
        next = entry.id + 1;
        for (std::uint32_t i = 0; prototype != 0 && i < components; ++i) bits.write_bool(false);
      }
      test::write_count(bits, 0);
    });
  }
  // Applies a delta that loses these ids.
  core::Status lose(std::span<const std::uint32_t> ids, bool destroyed) {
    return apply([&](core::BitWriter& bits) {
      test::write_count(bits, 0);
      test::write_count(bits, ids.size());
      std::uint32_t next = 0;
      for (const std::uint32_t id : ids) {
        test::write_lost(bits, id - next, destroyed);
        next = id + 1;
      }
    });
  }
  [[nodiscard]] static std::string reason(const core::Status& status) {
    return status ? "" : std::string(status.error().reason) + ": " + status.error().message;
  }

  std::uint32_t sequence = 0;    // last sequence sent
  std::uint32_t ticks_more = 0;  // difference of tick and sequence
  std::unique_ptr<Mirror> mirror = std::move(*Mirror::make(test::game_schema(), entities_max));

 private:
  // Applies a delta without baselines, moving and changed entities.
  core::Status apply(const test::WriteBits& write) {
    ++sequence;
    return test::apply_delta(*mirror, test::raw_lists({.sequence = sequence, .tick = sequence + ticks_more}, write));
  }
};

TEST_F(MirrorBoundsTest, MemoryOfTheHighestIdIsBounded) {
  const ecs::test::CountedBytes bytes;
  const std::uint32_t highest[] = {wire::ids_max - 1};
  const std::uint32_t beyond[] = {wire::ids_max};
  EXPECT_EQ(reason(lose(beyond, true)), "malformed delta: an id beyond the limit");
  EXPECT_LT(bytes.held(), 1 << 20);
  EXPECT_EQ(reason(lose(highest, true)), "") << "the delta with its gain may have been lost";
  EXPECT_LT(bytes.held(), 32 << 20);
  mirror->check();
}

TEST_F(MirrorBoundsTest, StatesOfOneEntityAreLimited) {
  const Entry entry[] = {{5, {77, 1}}};
  for (std::size_t i = 0; i < EntityVersions::states_max; ++i) ASSERT_EQ(reason(gain(entry, 1)), "");
  const std::uint64_t hash = mirror->hash();
  EXPECT_EQ(reason(gain(entry, 1)), "malformed delta: more states of an entity than there can be deltas in flight");
  EXPECT_EQ(mirror->hash(), hash);
  mirror->check();
}

TEST_F(MirrorBoundsTest, StatesOfAllEntitiesAreLimited) {
  std::vector<Entry> entries;
  for (std::uint32_t i = 0; i < 400; ++i) entries.push_back({i, {i * 7, 1}});
  const ecs::test::CountedBytes bytes;
  core::Status gained = core::Done{};
  std::size_t deltas = 0;
  for (; gained && deltas < EntityVersions::states_max; ++deltas) gained = gain(entries, 1);
  EXPECT_EQ(reason(gained), "too much to keep: the states of all entities exceed 33554432 words");
  EXPECT_GT(deltas, 256u);
  EXPECT_LT(bytes.held(), std::int64_t{512} << 20) << "vectors may have twice the capacity";
  EXPECT_EQ(mirror->size(), 400u);
  mirror->check();

  // Lost entities make room.
  std::vector<std::uint32_t> ids;
  for (const Entry& entry : entries) ids.push_back(entry.id);
  EXPECT_EQ(reason(lose(ids, true)), "");
  EXPECT_EQ(reason(gain(entries, 1)), "");
  mirror->check();
}

// A state of a wider prototype widens all earlier states of its entity.
TEST_F(MirrorBoundsTest, WidenedStatesAreCountedBeforeTheyAreStored) {
  std::vector<Entry> entries;
  for (std::uint32_t i = 0; i < 400; ++i) entries.push_back({i, {i * 7, 1}});
  for (std::size_t i = 1; i < EntityVersions::states_max; ++i) ASSERT_EQ(reason(gain(entries, 0)), "");
  const ecs::test::CountedBytes bytes;
  EXPECT_EQ(reason(gain(entries, 1)), "too much to keep: the states of all entities exceed 33554432 words");
  EXPECT_LT(bytes.held(), 16 << 20);
  mirror->check();
}

// A hostile server spawns a destroyed entity again, and then sends its composition in a late delta.
TEST_F(MirrorBoundsTest, AVisibleEntityMayGetALateComposition) {
  const ecs::Entity entity{77, 1};
  const Entry first[] = {{0, entity}};
  const Entry second[] = {{1, entity}};
  const std::uint32_t id[] = {0};
  ASSERT_EQ(reason(gain(first, 0)), "");
  ASSERT_EQ(reason(lose(id, true)), "");
  sequence = 3;
  ASSERT_EQ(reason(gain(second, 0)), "");
  ASSERT_TRUE(mirror->registry().valid(entity));
  sequence = 2;
  ticks_more = 2;
  ASSERT_EQ(reason(gain(second, 1)), "");
  mirror->check();
  EXPECT_NE(mirror->registry().prototype(entity), ecs::empty_prototype);
}

// Gains many entities with distant handles and changing ids. A step that is linear in their number would take too long.
TEST_F(MirrorBoundsTest, ManyEntitiesMayBeGainedAndLost) {
  constexpr std::uint32_t many = 1u << 15;
  constexpr std::uint32_t at_once = 2048;
  for (std::uint32_t round = 0; round < 3; ++round) {
    for (std::uint32_t first = 0; first < many; first += at_once) {
      std::vector<Entry> entries;
      for (std::uint32_t i = first; i < first + at_once; ++i)
        entries.push_back({i * 2 + round % 2, {(i ^ round) * 127, 1 + round}});
      ASSERT_EQ(reason(gain(entries, 0)), "");
    }
    EXPECT_EQ(mirror->registry().entities().size(), many);
  }
  mirror->check();
  std::vector<std::uint32_t> ids;
  for (std::uint32_t id = 0; id < 2 * many; ++id) ids.push_back(id);
  for (std::uint32_t first = 0; first < 2 * many; first += at_once)
    ASSERT_EQ(reason(lose(std::span(ids).subspan(first, at_once), first % (2 * at_once) == 0)), "");
  mirror->check();
  EXPECT_EQ(mirror->size(), 0u);
  EXPECT_LE(mirror->registry().entities().size(), 64u) << "stale entities";
}

}  // namespace
}  // namespace mobula::client
