#include <gtest/gtest.h>

#include <map>
#include <mobula/client/prediction/effect_table.hpp>
#include <mobula/core/random.hpp>
#include <seeds.hpp>
#include <set>

namespace mobula::client::effect_table_test {
namespace {

using Kind = EffectNotice::Kind;

constexpr core::StringId32 bang("bang");
constexpr core::StringId32 puff("puff");

prediction::Effect effect(std::uint64_t key, ecs::Tick tick, core::StringId32 name = bang) {
  return {.name = name, .key = key, .tick = tick, .payload = {}};
}

std::vector<Kind> kinds(const EffectTable& table) {
  std::vector<Kind> all;
  for (std::size_t i = 0; i < table.notices(); ++i) all.push_back(table.notice(i).kind);
  return all;
}

TEST(EffectTable, BeginsAnEffectOnceThoughItsTickIsReplayed) {
  EffectTable table;
  table.begin_pass(9);
  table.emit(effect(1, 10));
  EXPECT_EQ(kinds(table), (std::vector{Kind::begun}));
  table.clear_notices();
  table.begin_pass(9);
  table.emit(effect(1, 10));
  table.emit(effect(1, 10));
  EXPECT_TRUE(kinds(table).empty());
  table.settle(10);
  EXPECT_EQ(kinds(table), (std::vector{Kind::confirmed}));
  table.begin_pass(10);
  table.emit(effect(1, 11));
  EXPECT_EQ(table.running(), 0u);
}

TEST(EffectTable, DistinguishesNamesAndKeys) {
  EffectTable table;
  table.begin_pass(0);
  table.emit(effect(1, 1));
  table.emit(effect(2, 1));
  table.emit(effect(1, 1, puff));
  EXPECT_EQ(table.running(), 3u);
}

TEST(EffectTable, CancelsWhatTheReconciledTickLacks) {
  EffectTable table;
  table.begin_pass(9);
  table.emit(effect(1, 10));
  table.begin_pass(9);  // the replay does not emit it
  table.clear_notices();
  table.settle(9);
  EXPECT_TRUE(kinds(table).empty());
  table.settle(10);
  EXPECT_EQ(kinds(table), (std::vector{Kind::cancelled}));
}

TEST(EffectTable, FollowsAnEffectToALaterTick) {
  EffectTable table;
  table.begin_pass(9);
  table.emit(effect(1, 10));
  table.clear_notices();
  table.begin_pass(9);
  table.emit(effect(1, 12));
  table.settle(11);
  EXPECT_TRUE(kinds(table).empty());
  table.settle(12);
  EXPECT_EQ(kinds(table), (std::vector{Kind::confirmed}));
  EXPECT_EQ(table.notice(0).effect.tick, 12u);
}

TEST(EffectTable, KeepsThePayload) {
  EffectTable table;
  const core::Bytes payload(5, std::byte{7});
  table.begin_pass(0);
  table.emit({.name = bang, .key = 1, .tick = 1, .payload = payload});
  table.settle(1);
  for (std::size_t i = 0; i < 2; ++i) {
    const core::ByteView kept = table.notice(i).effect.payload;
    EXPECT_EQ(core::Bytes(kept.begin(), kept.end()), payload);
  }
}

TEST(EffectTable, DropsWhatDoesNotFitAndRecovers) {
  EffectTable table;
  table.begin_pass(0);
  for (std::uint64_t key = 0; key < EffectTable::effects_max + 3; ++key) table.emit(effect(key, 1));
  EXPECT_EQ(table.running(), EffectTable::effects_max);
  EXPECT_EQ(table.dropped(), 3u);
  table.settle(1 + EffectTable::remembered_ticks + 1);
  table.emit(effect(999, 200));
  EXPECT_EQ(table.running(), 1u);
  EXPECT_EQ(table.dropped(), 3u);
}

// Twelve effects in each tick, which are computed 22 ticks ahead of the reconciled one and again at random.
TEST(EffectTable, ALivelyClientBeginsEachEffectOnce) {
  constexpr std::uint64_t per_tick = 12;
  constexpr ecs::Tick ahead = 22;
  core::Random random(1);
  EffectTable table;
  std::size_t begun = 0;
  std::size_t confirmed = 0;
  for (ecs::Tick last = ahead + 1; last <= 500; ++last) {
    const ecs::Tick from = random.chance(1, 4) ? last - ahead : last - 1;
    table.clear_notices();
    table.begin_pass(from);
    for (ecs::Tick tick = from + 1; tick <= last; ++tick)
      for (std::uint64_t i = 0; i < per_tick; ++i) table.emit(effect(std::uint64_t{tick} << 8 | i, tick));
    table.settle(last - ahead);
    for (const Kind kind : kinds(table)) ++(kind == Kind::begun ? begun : confirmed);
  }
  EXPECT_GE(begun, per_tick * (500 - ahead));
  EXPECT_EQ(begun - confirmed, per_tick * ahead);
  EXPECT_EQ(table.running(), per_tick * ahead);
  EXPECT_EQ(table.dropped(), 0u);
}

TEST(EffectTable, ANewEffectTakesThePlaceOfTheOldestEnded) {
  EffectTable table;
  for (std::uint64_t key = 0; key < EffectTable::effects_max; ++key) table.emit(effect(key, key < 2 ? 1 : 2));
  table.settle(1);
  table.clear_notices();
  table.emit(effect(9999, 3));
  table.emit(effect(9998, 3));
  EXPECT_EQ(kinds(table), (std::vector{Kind::begun, Kind::begun}));
  EXPECT_EQ(table.dropped(), 0u);
  table.emit(effect(9997, 3));
  EXPECT_EQ(table.dropped(), 1u) << "all others run";
  for (std::uint64_t key = 2; key < EffectTable::effects_max; ++key) table.emit(effect(key, 2));
  EXPECT_EQ(table.notices(), 2u) << "none has begun again";
}

TEST(EffectTable, ARecurringEffectBeginsEachTimeByItsTick) {
  constexpr ecs::Entity runner{7, 3};
  EffectTable table;
  std::size_t begun = 0;
  for (ecs::Tick tick = 1; tick <= 1000; ++tick) {
    table.clear_notices();
    if (tick % 40 == 0) table.emit(effect(prediction::effect_key(runner, tick), tick));
    for (const Kind kind : kinds(table)) begun += kind == Kind::begun ? 1 : 0;
    table.settle(tick);
  }
  EXPECT_EQ(begun, 25u);
}

TEST(EffectTable, ACancelledEffectDoesNotBeginAgain) {
  EffectTable table;
  table.begin_pass(0);
  table.emit(effect(1, 1));
  table.cancel_running();
  EXPECT_EQ(kinds(table), (std::vector{Kind::begun, Kind::cancelled}));
  table.begin_pass(1);
  table.emit(effect(1, 3));
  table.settle(3);
  EXPECT_EQ(table.notices(), 2u);
}

TEST(EffectTable, AnEndedEffectIsRememberedWhileItIsEmitted) {
  EffectTable table;
  table.begin_pass(0);
  table.emit(effect(1, 1));
  table.cancel_running();
  for (const ecs::Tick tick : {150u, 151u}) {
    table.begin_pass(tick - 1);
    table.emit(effect(1, tick));
    table.settle(tick);
  }
  EXPECT_EQ(kinds(table), (std::vector{Kind::begun, Kind::cancelled}));
  table.settle(151 + EffectTable::remembered_ticks);
  table.emit(effect(1, 300));
  EXPECT_EQ(table.running(), 0u);
  table.settle(300 + EffectTable::remembered_ticks + 1);
  table.emit(effect(1, 430));
  EXPECT_EQ(table.running(), 1u) << "it is forgotten";
}

TEST(EffectTable, CancelsAllInTheEnd) {
  EffectTable table;
  table.begin_pass(0);
  table.emit(effect(1, 1));
  table.settle(1);
  table.emit(effect(2, 2));
  table.clear_notices();
  table.clear();
  EXPECT_EQ(kinds(table), (std::vector{Kind::cancelled}));
  EXPECT_EQ(table.running(), 0u);
  table.emit(effect(2, 2));
  EXPECT_EQ(table.running(), 1u) << "names and keys begin anew";
}

// A history whose ticks are computed again at random, with other effects each time. The effects of a tick's last
// computation before it is settled are the truth.
TEST(EffectTable, EndsEachEffectAsTheLastReplayHadIt) {
  test::for_each_seed(1, 12, 300, [](std::uint64_t seed) {
    core::Random random(seed);
    EffectTable table;
    std::map<ecs::Tick, std::set<std::uint64_t>> history;
    std::set<std::uint64_t> begun;
    std::map<std::uint64_t, Kind> ended;
    ecs::Tick settled = 0;
    ecs::Tick last = 0;
    const auto compute = [&](ecs::Tick from, ecs::Tick to) {
      table.begin_pass(from);
      for (ecs::Tick tick = from + 1; tick <= to; ++tick) {
        history[tick].clear();
        for (std::uint64_t i = 0; i < 3; ++i)
          if (random.chance(1, 3)) history[tick].insert(std::uint64_t{tick} * 4 + i);
        for (const std::uint64_t key : history[tick]) table.emit(effect(key, tick));
      }
    };
    const auto follow = [&] {
      for (std::size_t i = 0; i < table.notices(); ++i) {
        const EffectNotice notice = table.notice(i);
        if (notice.kind == Kind::begun) {
          ASSERT_TRUE(begun.insert(notice.effect.key).second);
        } else {
          ASSERT_TRUE(begun.contains(notice.effect.key));
          ASSERT_TRUE(ended.emplace(notice.effect.key, notice.kind).second);
        }
      }
      table.clear_notices();
    };
    for (int i = 0; i < 300; ++i) {
      const ecs::Tick next = last + random.below(3);
      compute(random.chance(1, 3) ? settled + random.below(last - settled + 1) : last, next);
      last = next;
      follow();
      if (random.chance(1, 2)) settled += random.below(last - settled + 1);
      table.settle(settled);
      follow();
      ASSERT_EQ(table.dropped(), 0u);
      for (const std::uint64_t key : begun) {
        const auto tick = static_cast<ecs::Tick>(key / 4);
        ASSERT_EQ(ended.contains(key), tick <= settled);
        if (tick <= settled) ASSERT_EQ(ended[key], history[tick].contains(key) ? Kind::confirmed : Kind::cancelled);
      }
    }
  });
}

}  // namespace
}  // namespace mobula::client::effect_table_test
