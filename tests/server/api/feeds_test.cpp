#include <gtest/gtest.h>

#include <mobula/core/random.hpp>
#include <mobula/ecs/registry_guests.hpp>
#include <mobula/hierarchy/world_transform.hpp>
#include <mobula/schema/engine.hpp>
#include <server/api/api_world.hpp>
#include <set>

namespace mobula::server {
namespace {

using nlohmann::json;

// State of a page after the map's frames: index to [generation, prototype, x, z].
class Page {
 public:
  // Applies a frame. Returns whether it completes a pass over all entities.
  bool apply(const json& frame) {
    if (frame.at("reset")) shown_.clear();
    const json& came = frame.at("came");
    for (std::size_t i = 0; i < came.size(); i += 7)
      shown_[came[i]] = {came[i + 1], came[i + 2], came[i + 4], came[i + 6]};
    const json& moved = frame.at("moved");
    for (std::size_t i = 0; i < moved.size(); i += 4) {
      const auto known = shown_.find(moved[i]);
      EXPECT_NE(known, shown_.end()) << "a moving entity is known";
      if (known != shown_.end()) known->second = {known->second[0], known->second[1], moved[i + 1], moved[i + 3]};
    }
    for (const json& index : frame.at("went"))
      EXPECT_EQ(shown_.erase(index.get<std::int64_t>()), 1u) << "a removed entity is known";
    EXPECT_EQ(frame.at("shown"), shown_.size());
    return frame.at("complete");
  }
  [[nodiscard]] const std::map<std::int64_t, std::array<std::int64_t, 4>>& shown() const { return shown_; }

 private:
  std::map<std::int64_t, std::array<std::int64_t, 4>> shown_;
};

class ApiFeeds : public testing::Test {
 protected:
  std::map<std::int64_t, std::array<std::int64_t, 4>> truth(float low, float high) {
    std::map<std::int64_t, std::array<std::int64_t, 4>> all;
    world.registry().view<const hierarchy::WorldTransform>().each(
        [&](ecs::Entity entity, const hierarchy::WorldTransform& at) {
          if (at.position.x < low || at.position.x > high) return;
          all[entity.index] = {entity.generation, world.registry().prototype(entity), std::lround(100 * at.position.x),
                               std::lround(100 * at.position.z)};
        });
    return all;
  }
  // Applies frames until the page has passed over all entities twice.
  void catch_up(Page& page, admin::Feed& feed) {
    int complete = 0;
    for (int frames = 0; complete < 2 && frames < 1000; ++frames) complete += page.apply(world.frame(feed)) ? 1 : 0;
    EXPECT_EQ(complete, 2);
  }

  test::ApiWorld world;
};

TEST_F(ApiFeeds, TheMapEqualsTheWorldAfterRandomChanges) {
  const std::shared_ptr<admin::Feed> everywhere = world.subscribe({{"subscribe", "map"}}).value();
  const std::shared_ptr<admin::Feed> strip = world.subscribe({{"subscribe", "map"}, {"x", {-20, 20}}}).value();
  Page all;
  Page some;
  core::Random random(11);
  std::vector<ecs::Entity> made;
  for (int round = 0; round < 30; ++round) {
    ecs::Registry& registry = world.registry();
    for (int i = 0; i < 20; ++i) {
      const auto which = random.below(static_cast<std::uint32_t>(made.size()) + 1);
      if (which == made.size()) {
        made.push_back(registry.create());
        registry.add<engine::Transform>(made.back()).position.x = random.uniform(-50, 50);
      } else if (random.chance(1, 4)) {
        registry.destroy(made[which]);
        made.erase(made.begin() + which);
      } else if (random.chance(1, 5) && !registry.has<engine::Parent>(made[which])) {
        registry.add<engine::Parent>(made[which]);  // changes the prototype, but moves no entity
      } else {
        registry.get<engine::Transform>(made[which]).position.x = random.uniform(-50, 50);
      }
    }
    world.ticks(1 + round % 3);
    all.apply(world.frame(*everywhere));
    if (round % 4 == 0) some.apply(world.frame(*strip));
  }
  catch_up(all, *everywhere);
  catch_up(some, *strip);
  EXPECT_EQ(all.shown(), truth(-1e9f, 1e9f));
  EXPECT_EQ(some.shown(), truth(-20, 20));
  EXPECT_LT(some.shown().size(), all.shown().size());
}

TEST_F(ApiFeeds, SendsAnUnchangedEntityOnce) {
  const std::shared_ptr<admin::Feed> feed = world.subscribe({{"subscribe", "map"}}).value();
  Page page;
  catch_up(page, *feed);
  const json frame = world.frame(*feed);
  EXPECT_EQ(frame["reset"], false);
  EXPECT_TRUE(frame["came"].empty() && frame["moved"].empty() && frame["went"].empty()) << frame.dump();
}

// An entity that flies, one that jumps, and one below the latter.
TEST_F(ApiFeeds, TheMapMarksJumps) {
  World& game_world = world.village.server->world();
  const ecs::Entity flies = *game_world.create(engine::Transform{});
  const ecs::Entity jumps = *game_world.create(engine::Transform{});
  const ecs::Entity rides = *game_world.create(engine::Transform{}, engine::Parent{.entity = jumps});
  world.ticks(2);
  const std::shared_ptr<admin::Feed> feed = world.subscribe({{"subscribe", "map"}}).value();
  Page page;
  catch_up(page, *feed);
  const auto cut_after = [&](bool cut) {
    for (const ecs::Entity entity : {flies, jumps}) world.registry().get<engine::Transform>(entity).position.x += 5;
    if (cut) game_world.cut(jumps);
    world.ticks(1);
    const json frame = world.frame(*feed);
    page.apply(frame);
    std::set<std::uint32_t> moved;
    for (std::size_t i = 0; i < frame["moved"].size(); i += 4) moved.insert(frame["moved"][i].get<std::uint32_t>());
    for (const ecs::Entity entity : {flies, jumps, rides}) EXPECT_TRUE(moved.contains(entity.index)) << frame.dump();
    return frame["cut"].get<std::set<std::uint32_t>>();
  };
  const std::set<std::uint32_t> both{jumps.index, rides.index};
  EXPECT_EQ(cut_after(true), both) << "the first call adds Cuts";
  EXPECT_EQ(cut_after(false), std::set<std::uint32_t>{});
  EXPECT_EQ(cut_after(true), both);
  EXPECT_EQ(cut_after(false), std::set<std::uint32_t>{});
  EXPECT_EQ(page.shown(), truth(-1e9f, 1e9f));
}

// Ghosts are entities of other zones. Neither their coming nor their going moves an entity.
TEST_F(ApiFeeds, TheMapLeavesGhostsOutOnRequest) {
  const ecs::Entity entity = *world.village.server->world().create(engine::Transform{});
  world.ticks(2);
  const std::shared_ptr<admin::Feed> all = world.subscribe({{"subscribe", "map"}}).value();
  const std::shared_ptr<admin::Feed> own = world.subscribe({{"subscribe", "map"}, {"ghosts", false}}).value();
  Page with;
  Page without;
  const auto shows = [&](Page& page, admin::Feed& feed) {
    catch_up(page, feed);
    return page.shown().contains(entity.index);
  };
  EXPECT_TRUE(shows(without, *own));
  ecs::Guests(world.registry()).set_ghost(entity, true);
  EXPECT_FALSE(shows(without, *own));
  EXPECT_TRUE(shows(with, *all));
  ecs::Guests(world.registry()).set_ghost(entity, false);
  world.village.server->set_zone_stats({.crossings_in = 1});
  EXPECT_TRUE(shows(without, *own)) << "it has arrived, and stands where it stood";
  EXPECT_FALSE(world.subscribe({{"subscribe", "map"}, {"ghosts", 1}}));
}

TEST_F(ApiFeeds, AFullMapReportsItAndTakesMoreLater) {
  const std::shared_ptr<admin::Feed> feed = world.subscribe({{"subscribe", "map"}, {"entities_max", 10}}).value();
  Page page;
  catch_up(page, *feed);
  EXPECT_EQ(page.shown().size(), 10u);
  EXPECT_EQ(world.frame(*feed)["truncated"], true);
  std::vector<ecs::Entity> shown;
  for (const auto& [index, what] : page.shown())
    shown.push_back({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(what[0])});
  for (std::size_t i = 0; i < 4; ++i)
    if (world.registry().valid(shown[i])) world.village.server->world().destroy_tree(shown[i]);
  world.ticks(1);
  catch_up(page, *feed);
  EXPECT_EQ(page.shown().size(), 10u) << "others take the free places";
}

TEST_F(ApiFeeds, TheOverviewHasEachTickOnce) {
  world.ticks(5);
  const std::shared_ptr<admin::Feed> feed = world.subscribe({{"subscribe", "overview"}}).value();
  json frame = world.frame(*feed);
  const json columns = frame["columns"];
  ASSERT_EQ(frame["rows"].size(), 5u);
  std::uint64_t tick = 0;
  const auto expect_rows = [&](const json& rows) {
    for (const json& row : rows) {
      EXPECT_EQ(row.size(), columns.size());
      EXPECT_EQ(row[0], ++tick);
    }
  };
  expect_rows(frame["rows"]);
  for (int i = 1; i < 40; ++i) {
    world.ticks(i % 7);
    frame = world.frame(*feed);
    EXPECT_EQ(frame["rows"].size(), static_cast<std::size_t>(i % 7));
    expect_rows(frame["rows"]);
  }
  world.ticks(600);
  frame = world.frame(*feed);
  EXPECT_EQ(frame["missed"], 600 - 512);
  EXPECT_EQ(frame["rows"].size(), 512u);
  EXPECT_EQ(frame["rows"].back()[0], tick + 600);
}

TEST_F(ApiFeeds, TheOverviewShowsNewcomersUntilTheyArrive) {
  const std::shared_ptr<admin::Feed> feed = world.subscribe({{"subscribe", "overview"}}).value();
  world.ticks(3);
  EXPECT_EQ(world.frame(*feed)["newcomers"]["arrived"], 0);
  world.village.join("anna");
  std::int64_t present = 0;
  for (int i = 0; i < 30; ++i) {
    world.ticks(1);
    const json frame = world.frame(*feed);
    present = std::max<std::int64_t>(present, frame["newcomers"]["present"]);
    EXPECT_EQ(frame["rows"].back().back(), frame["newcomers"]["present"]) << frame["columns"].back();
  }
  EXPECT_EQ(present, 1);
  world.ticks(1);
  const json at_last = world.frame(*feed)["newcomers"];
  EXPECT_EQ(at_last, (json{{"present", 0}, {"waiting", 0}, {"longest_wait", 0.0}, {"arrived", 1}}));
}

TEST_F(ApiFeeds, TopicsEqualTheirQueries) {
  world.village.join("anna");
  world.ticks(30);
  const std::string handle = world.get("/api/sessions/1")["entity"];
  const std::pair<json, std::string> cases[] = {
      {{{"subscribe", "systems"}}, "/api/systems"},
      {{{"subscribe", "sessions"}, {"world", "world"}}, "/api/sessions?limit=200"},
      {{{"subscribe", "session"}, {"player", 1}}, "/api/sessions/1"},
      {{{"subscribe", "entity"}, {"handle", handle}}, "/api/entities/" + handle}};
  for (const auto& [subscription, query] : cases) {
    const std::shared_ptr<admin::Feed> feed = world.subscribe(subscription).value();
    EXPECT_EQ(world.frame(*feed), world.get(query)) << subscription.dump();
  }
}

TEST_F(ApiFeeds, AnInvalidSubscriptionIsAnError) {
  const std::pair<json, const char*> cases[] = {
      {{{"subscribe", "map"}, {"x", 7}}, "x: expected [low, high], two numbers"},
      {{{"subscribe", "map"}, {"z", {3, 2}}}, "z: expected [low, high], two numbers"},
      {{{"subscribe", "map"}, {"z", {"a", 2}}}, "z: expected [low, high], two numbers"},
      {{{"subscribe", "map"}, {"entities_max", 0}}, "entities_max: expected a whole number from 1 to 20000"},
      {{{"subscribe", "map"}, {"entities_max", 1e9}}, "entities_max: expected a whole number from 1 to 20000"},
      {{{"subscribe", "map"}, {"wrld", "x"}}, "there is no 'wrld' (did you mean 'world'?)"},
      {{{"subscribe", "map"}, {"world", 7}}, "world: expected a name"},
      {{{"subscribe", "session"}}, "player is missing"},
      {{{"subscribe", "entity"}}, "handle is missing"}};
  for (const auto& [subscription, message] : cases) {
    const auto feed = world.subscribe(subscription);
    ASSERT_FALSE(feed.ok()) << subscription.dump();
    EXPECT_EQ(feed.error().message, message);
  }
  const std::pair<json, const char*> later[] = {{{{"subscribe", "map"}, {"world", "x"}}, "no such world"},
                                                {{{"subscribe", "overview"}, {"world", "x"}}, "no such world"},
                                                {{{"subscribe", "session"}, {"player", 3}}, "no such player"},
                                                {{{"subscribe", "session"}, {"player", "many"}}, "bad request"},
                                                {{{"subscribe", "entity"}, {"handle", {1, 2}}}, "bad request"},
                                                {{{"subscribe", "entity"}, {"handle", "1.77"}}, "stale handle"}};
  for (const auto& [subscription, reason] : later) {
    const core::Result<std::string> frame = world.subscribe(subscription).value()->next()();
    ASSERT_FALSE(frame.ok()) << subscription.dump();
    EXPECT_STREQ(frame.error().reason, reason) << subscription.dump();
  }
}

}  // namespace
}  // namespace mobula::server
