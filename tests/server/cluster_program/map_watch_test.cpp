#include <cluster/map_topic.hpp>
#include <server/cluster_program/watched_cluster.hpp>

namespace mobula::cluster {
namespace map_watch_test {

using nlohmann::json;

class MapWatchTest : public testing::Test {
 protected:
  // Takes frames until the map has this number of entities and is complete. Returns where they are: x by index.
  std::map<int, int> wait_for(MapWatch& watch, std::size_t entities) {
    std::map<int, int> shown;
    const auto apply = [&] {
      watch.update(now += 10 * core::millisecond);
      const json frame = watch.take();
      for (std::size_t i = 0; i < frame["came"].size(); i += 7) {
        shown[frame["came"][i]] = frame["came"][i + 4];
        zones[frame["came"][i]] = frame["came"][i + 2];
      }
      for (std::size_t i = 0; i < frame["moved"].size(); i += 4) shown[frame["moved"][i]] = frame["moved"][i + 1];
      return shown.size() == entities && frame["complete"] == true;
    };
    EXPECT_TRUE(of.wait(apply)) << shown.size();
    return shown;
  }
  MapWatch watch(const MapRequest& request) {
    return {context, request, find_map(of.control.directory(), request.map).value()};
  }

  test::WatchedCluster of;
  core::Nanoseconds now = core::second;
  const MapWatch::Context context{of.events, of.control, of.addresses};
  std::map<int, int> zones;
};

TEST_F(MapWatchTest, ShowsTheEntitiesOfAllZones) {
  MapWatch all = watch({.map = "land", .entities_max = 100});
  wait_for(all, 2);
  EXPECT_EQ(zones, (std::map<int, int>{{5, 0}, {7, 1}}));
  const json order = json::parse(of.west.text(of.west.ordered));
  EXPECT_EQ(order["world"], "land.w");
  EXPECT_EQ(order["ghosts"], false);
  EXPECT_FALSE(order.contains("x"));
}

TEST_F(MapWatchTest, AsksForAPartWhereZonesAreInIt) {
  MapWatch part = watch({.map = "land", .x = {-20, -10}, .entities_max = 100});
  wait_for(part, 1);
  EXPECT_EQ(zones, (std::map<int, int>{{5, 0}}));
  EXPECT_EQ(json::parse(of.west.text(of.west.ordered))["x"], json({-20, -10}));
  EXPECT_EQ(of.east->text(of.east->ordered), "") << "the east is not in this part";
}

TEST_F(MapWatchTest, GoesOnWithoutANodeAndFollowsAZoneToAnother) {
  MapWatch all = watch({.map = "land", .entities_max = 100});
  wait_for(all, 2);
  EXPECT_EQ(all.take()["unread"], json::array());
  of.east.reset();
  ASSERT_TRUE(of.wait([&] {
    all.update(now += 10 * core::millisecond);
    const json frame = all.take();
    return frame["complete"] == true && frame["unread"] == json({1});
  })) << "the east is not shown";
  of.east.emplace(9);
  of.add_key_of_node("c", {.game = "game", .admin = of.east->url(), .worlds_max = 4});
  of.add_open_world("land.e", "c", {"udp:127.0.0.1:7778"});
  of.run(core::second);
  EXPECT_TRUE(of.wait([&] {
    all.update(now += 10 * core::millisecond);
    const json frame = all.take();
    return frame["went"] == json({7}) && frame["came"][0] == 9 && frame["unread"].empty();
  })) << "what the other node does not have is gone";
}

TEST_F(MapWatchTest, FramesOfAnotherTokenAreNotAskedFor) {
  const test::StandInNode guarded(11, "a-long-bearer-token");
  of.add_key_of_node("d", {.game = "game", .admin = guarded.url(), .worlds_max = 4});
  of.add_open_world("land.e", "d", {"udp:127.0.0.1:7778"});
  of.run(core::second);
  MapWatch without = watch({.map = "land", .entities_max = 100});
  wait_for(without, 1);
  EXPECT_EQ(without.take()["unread"], json({1}));
  const MapWatch::Context with_token{of.events, of.control, of.addresses, "a-long-bearer-token"};
  MapWatch with(with_token, {.map = "land", .entities_max = 100}, find_map(of.control.directory(), "land").value());
  wait_for(with, 2);
  EXPECT_TRUE(zones.contains(11));
}

TEST_F(MapWatchTest, RequestsAreChecked) {
  EXPECT_EQ(parse_map_request(R"({"world": "land"})")->entities_max, 5000u);
  const core::Result<MapRequest> part = parse_map_request(R"({"world": "land", "z": [1, 2], "entities_max": 20000})");
  EXPECT_EQ(part->z[1], 2);
  EXPECT_EQ(part->x[1], std::numeric_limits<float>::infinity());
  for (const char* bad : {"{}", R"({"world": 3})", R"({"world": "land", "x": 3})", R"({"world": "land", "x": [2, 1]})",
                          R"({"world": "land", "x": [0, 1e300]})", R"({"world": "land", "z": [-1e39, 0]})",
                          R"({"world": "land", "z": [1, "2"]})", R"({"world": "land", "entities_max": 0})",
                          R"({"world": "land", "entities_max": 20001})", R"({"world": "land", "entities_max": -1})"})
    EXPECT_FALSE(parse_map_request(bad)) << bad;
}

TEST_F(MapWatchTest, UnknownMapsAreNamed) {
  EXPECT_STREQ(find_map(of.control.directory(), "sea").error().reason, "no such map");
  of.cluster.store.commit({.puts = {{"c/maps/bad", "{"}}});
  of.run(core::second);
  EXPECT_STREQ(find_map(of.control.directory(), "bad").error().reason, "bad record");
}

TEST_F(MapWatchTest, ASubscriberEndsWithItsFeed) {
  MapTopic maps(context);
  const server::admin::Topic topic = maps.topic();
  std::shared_ptr<server::admin::Feed> feed = topic.subscribe(R"({"world": "land"})").value();
  EXPECT_EQ(maps.watches(), 0u);
  EXPECT_EQ(json::parse(feed->next()().value())["world"], "land");
  EXPECT_EQ(maps.watches(), 1u);
  feed.reset();
  maps.update(now);
  EXPECT_EQ(maps.watches(), 0u);
  feed = topic.subscribe(R"({"world": "sea"})").value();
  EXPECT_STREQ(feed->next()().error().reason, "no such map");
  EXPECT_FALSE(topic.subscribe("{}"));
}

TEST_F(MapWatchTest, AMapThatHasChangedIsWatchedAnew) {
  MapTopic maps(context);
  const std::shared_ptr<server::admin::Feed> feed = maps.topic().subscribe(R"({"world": "land"})").value();
  EXPECT_TRUE(feed->next()().ok());
  maps.update(now);
  EXPECT_EQ(maps.watches(), 1u);
  const server::ZoneMap map = find_map(of.control.directory(), "land").value();
  of.cluster.store.commit({.puts = {{"c/maps/land", map.split("e", {.at = 9, .name = "far"})->to_json()}}});
  of.run(core::second);
  maps.update(now);
  EXPECT_EQ(maps.watches(), 0u);
  EXPECT_EQ(json::parse(feed->next()().value())["reset"], true);
  maps.update(now);
  EXPECT_EQ(maps.watches(), 1u);
}

}  // namespace map_watch_test
}  // namespace mobula::cluster
