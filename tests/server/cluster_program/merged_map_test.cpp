// Frames of zones' feeds, and a page that applies the merged ones.
#include <gtest/gtest.h>

#include <cluster/merged_map.hpp>
#include <map>
#include <mobula/core/random.hpp>
#include <seeds.hpp>

namespace mobula::cluster {
namespace merged_map_test {

using nlohmann::json;

json frame(const json& came, const json& moved = json::array(), const json& went = json::array()) {
  return {{"reset", false}, {"complete", true},     {"truncated", false}, {"came", came},
          {"moved", moved}, {"cut", json::array()}, {"went", went}};
}
json first(const json& came) {
  json begun = frame(came);
  begun["reset"] = true;
  return begun;
}

// State of a page: generation, zone, owner and place by index.
using Shown = std::map<std::int64_t, std::vector<std::int64_t>>;

void show(Shown& shown, const json& frame) {
  const auto values = [&](const char* name) { return frame[name].get<std::vector<std::int64_t>>(); };
  const std::vector<std::int64_t> came = values("came");
  for (std::size_t i = 0; i < came.size(); i += 7) shown[came[i]] = {&came[i + 1], &came[i] + 7};
  const std::vector<std::int64_t> moved = values("moved");
  for (std::size_t i = 0; i < moved.size(); i += 4) {
    ASSERT_TRUE(shown.contains(moved[i]));
    std::copy_n(&moved[i + 1], 3, shown[moved[i]].begin() + 3);
  }
  for (const std::int64_t index : values("went")) EXPECT_EQ(shown.erase(index), 1u);
}

TEST(MergedMap, EntitiesHaveTheirZoneForThePrototype) {
  MergedMap map(2, 10);
  ASSERT_TRUE(map.apply(0, first({5, 1, 99, 0, 10, 20, 30})));
  ASSERT_TRUE(map.apply(1, first({7, 2, 98, 3, -1, -2, -3})));
  Shown shown;
  const json taken = map.take();
  EXPECT_TRUE(taken["reset"]);
  EXPECT_EQ(taken["shown"], 2);
  show(shown, taken);
  EXPECT_EQ(shown, (Shown{{5, {1, 0, 0, 10, 20, 30}}, {7, {2, 1, 3, -1, -2, -3}}}));
  EXPECT_FALSE(map.take()["reset"]);
  EXPECT_TRUE(map.take()["came"].empty());
}

TEST(MergedMap, ACrossingEntityStaysInEitherOrderOfTheFrames) {
  for (const bool arrives_first : {true, false}) {
    MergedMap map(2, 10);
    ASSERT_TRUE(map.apply(0, first({5, 1, 0, 0, 0, 0, 0})));
    ASSERT_TRUE(map.apply(1, first(json::array())));
    Shown shown;
    show(shown, map.take());
    const json leaves = frame(json::array(), json::array(), {5});
    const json arrives = frame({5, 1, 0, 0, 1, 0, 0});
    ASSERT_TRUE(arrives_first ? map.apply(1, arrives) : map.apply(0, leaves));
    ASSERT_TRUE(arrives_first ? map.apply(0, leaves) : map.apply(1, arrives));
    show(shown, map.take());
    EXPECT_EQ(shown, (Shown{{5, {1, 1, 0, 1, 0, 0}}}));
  }
}

TEST(MergedMap, AFeedThatBeginsAnewReplacesItsZone) {
  MergedMap map(2, 10);
  ASSERT_TRUE(map.apply(0, first({5, 1, 0, 0, 0, 0, 0, 6, 1, 0, 0, 0, 0, 0})));
  ASSERT_TRUE(map.apply(1, first({7, 1, 0, 0, 0, 0, 0})));
  Shown shown;
  show(shown, map.take());
  json begun = first({6, 1, 0, 0, 4, 0, 0});
  begun["complete"] = false;
  ASSERT_TRUE(map.apply(0, begun));
  show(shown, map.take());
  EXPECT_EQ(shown.size(), 3u) << "the rest may follow";
  ASSERT_TRUE(map.apply(0, frame(json::array())));
  show(shown, map.take());
  EXPECT_EQ(shown, (Shown{{6, {1, 0, 0, 4, 0, 0}}, {7, {1, 1, 0, 0, 0, 0}}}));
}

// A zone's feed begins anew while an entity that it had is in another zone, which loses it before the new frames are
// complete.
TEST(MergedMap, AnEntityOfTwoZonesIsLostOnce) {
  MergedMap map(2, 10);
  ASSERT_TRUE(map.apply(1, first({7, 1, 0, 0, 0, 0, 0})));
  ASSERT_TRUE(map.apply(0, first({7, 1, 0, 0, 0, 0, 0})));
  Shown shown;
  show(shown, map.take());
  json begun = first(json::array());
  begun["complete"] = false;
  ASSERT_TRUE(map.apply(1, begun));
  ASSERT_TRUE(map.apply(0, frame(json::array(), json::array(), {7})));
  show(shown, map.take());
  EXPECT_EQ(shown.size(), 1u) << "the other zone may still have it";
  ASSERT_TRUE(map.apply(1, frame(json::array())));
  show(shown, map.take());
  EXPECT_TRUE(shown.empty());
}

TEST(MergedMap, IsCompleteWhenAllReadableZonesAre) {
  MergedMap map(2, 10);
  map.set_readable(0, true);
  map.set_readable(1, true);
  ASSERT_TRUE(map.apply(0, first(json::array())));
  EXPECT_FALSE(map.take()["complete"]);
  map.set_readable(1, false);
  EXPECT_TRUE(map.take()["complete"]);
}

TEST(MergedMap, LeavesEntitiesBeyondTheMaximumOut) {
  MergedMap map(1, 1);
  ASSERT_TRUE(map.apply(0, first({5, 1, 0, 0, 0, 0, 0, 6, 1, 0, 0, 0, 0, 0})));
  const json taken = map.take();
  EXPECT_TRUE(taken["truncated"]);
  EXPECT_EQ(taken["shown"], 1);
  ASSERT_TRUE(map.apply(0, frame(json::array(), {6, 1, 1, 1}, {6})));
  EXPECT_TRUE(map.take()["went"].empty());
  ASSERT_TRUE(map.apply(0, first({5, 1, 0, 0, 0, 0, 0})));
  EXPECT_FALSE(map.take()["truncated"]) << "its feed began anew, with all of its entities";
}

TEST(MergedMap, RefusesFramesOfAnotherForm) {
  MergedMap map(1, 10);
  for (const json& bad : {json(3), json::object(), frame({1, 2}), frame({1, 2, 3, 4, 5, 6, "x"}),
                          frame(json::array(), {1, 2, 3}), frame(json::array(), json::array(), "all")})
    EXPECT_FALSE(map.apply(0, bad)) << bad;
  EXPECT_EQ(map.take()["shown"], 0);
}

// Zones with entities that move, cross, are spawned and despawned. Each zone's feed sends its differences when it is
// its turn, and begins anew now and then.
class Zones {
 public:
  explicit Zones(std::uint64_t seed) : random_(seed) {}

  void change() {
    const std::int64_t index = random_.below(20);
    Entity& entity = all_[static_cast<std::size_t>(index)];
    switch (random_.below(4)) {
      case 0: entity = {entity.generation + 1, random_.below(zones), 0}; break;
      case 1: entity.zone = gone; break;
      case 2:
        if (entity.zone != gone) entity.zone = random_.below(zones);
        break;
      default: ++entity.x; break;
    }
  }
  // Sends what has changed in a zone.
  void feed(MergedMap& map, std::uint32_t zone) {
    Sent& sent = sent_[zone];
    const bool anew = random_.chance(1, 8);
    if (anew) sent.clear();
    json came = json::array();
    json moved = json::array();
    json went = json::array();
    for (std::int64_t i = 0; i < 20; ++i) {
      const Entity& now = all_[static_cast<std::size_t>(i)];
      const auto before = sent.find(i);
      if (now.zone != zone) {
        if (before != sent.end()) went.push_back(i);
        sent.erase(i);
      } else if (before == sent.end() || before->second.generation != now.generation) {
        for (const std::int64_t value :
             {i, now.generation, std::int64_t{0}, std::int64_t{0}, now.x, std::int64_t{0}, std::int64_t{0}})
          came.push_back(value);
        sent[i] = now;
      } else if (before->second.x != now.x) {
        for (const std::int64_t value : {i, now.x, std::int64_t{0}, std::int64_t{0}}) moved.push_back(value);
        sent[i] = now;
      }
    }
    json built = frame(came, moved, went);
    built["reset"] = anew;
    ASSERT_TRUE(map.apply(zone, built));
  }
  [[nodiscard]] Shown truth() const {
    Shown shown;
    for (std::int64_t i = 0; i < 20; ++i) {
      const Entity& now = all_[static_cast<std::size_t>(i)];
      if (now.zone != gone) shown[i] = {now.generation, now.zone, 0, now.x, 0, 0};
    }
    return shown;
  }

  static constexpr std::uint32_t zones = 3;
  static constexpr std::uint32_t gone = 99;

 private:
  struct Entity {
    std::int64_t generation = 0;
    std::uint32_t zone = gone;
    std::int64_t x = 0;
  };
  using Sent = std::map<std::int64_t, Entity>;

  core::Random random_;
  std::array<Entity, 20> all_{};
  std::array<Sent, zones> sent_{};
};

TEST(MergedMap, ShowsWhatAllZonesHave) {
  test::for_each_seed(1, test::few_or_all(20, 200), 300, [](std::uint64_t seed) {
    core::Random random(seed + 1000);
    Zones zones(seed);
    MergedMap map(Zones::zones, 100);
    Shown shown;
    for (int step = 0; step < 300; ++step) {
      zones.change();
      if (random.chance(1, 3)) zones.feed(map, random.below(Zones::zones));
      if (random.chance(1, 5)) show(shown, map.take());
      if (!random.chance(1, 20)) continue;
      // A zone that has lost an entity to another one may send that before or after the other.
      std::uint32_t order[] = {0, 1, 2};
      std::swap(order[0], order[random.below(3)]);
      for (const std::uint32_t zone : order) zones.feed(map, zone);
      show(shown, map.take());
      ASSERT_EQ(shown, zones.truth()) << step;
    }
  });
}

}  // namespace merged_map_test
}  // namespace mobula::cluster
