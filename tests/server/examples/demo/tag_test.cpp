// Tags: judged by what the player saw, and blocked by obstacles.
#include <mobula/schema/demo_events_generated.h>

#include <gtest/gtest.h>

#include <examples/demo/compilers.hpp>
#include <examples/demo/tag.hpp>
#include <mobula/client/mirror/world_pose.hpp>
#include <resource/test_level.hpp>
#include <server/examples/demo/predicted_demo.hpp>

namespace demo::tag_test {
namespace {

namespace core = mobula::core;
namespace client = mobula::client;
using mobula::engine::Vec3;
using test::PredictedDemo;

constexpr core::Nanoseconds ms = core::millisecond;
constexpr mobula::transport::NetworkConditions far{.latency = 150 * ms};

// An empty field, with walls of these heights across the line from (0, 0) to (0, 8); 0 for none.
std::shared_ptr<const mobula::resource::Resource> field(float height) {
  std::string wall;
  if (height > 0)
    wall = R"("wall":{"components":{"Transform":{"position":[0,0,4]},"Obstacle":{"half_x":3,"half_z":0.2,"height":)" +
           std::to_string(height) + "}}}";
  return mobula::test::load_compiled(mobula::test::compile_files({{"level.json", R"({"prefabs":{
      "avatar":{"spawnable":true,"components":{"Transform":{},"Avatar":{},"Name":{}}},
      "pickup":{"components":{"Transform":{},"Pickup":{}}},
      "coin":{"prefab":"pickup","spawnable":true},
      "medkit":{"prefab":"pickup","spawnable":true},
      "key":{"prefab":"pickup","spawnable":true}},
    "entities":{)" + wall + "}}"}},
                                                                 mobula::test::demo_schema(), component_compilers()));
}

// Two players: one tags, the other is its target.
class Duel {
 public:
  explicit Duel(float wall = 0, const mobula::transport::NetworkConditions& conditions = far)
      : demo(field(wall), conditions), tagger(demo.join("ada")), target(demo.join("bob")) {
    demo.ticks(60);
    demo.put(tagger.avatar(), 0, 0);
    demo.put(target.avatar(), 0, 8);
    demo.ticks(60);
  }
  // Returns the middle of the target as the tagger's client draws it at this moment.
  Vec3 drawn() {
    client::Mirror& mirror = *tagger.client.connection.mirror();
    const double view = tagger.client.connection.clock()->view_tick(demo.village.now);
    mirror.set_view_tick(view);
    Vec3 at = client::sample_world(mirror, target.avatar(), view).value().position;
    at.y += avatar_height / 2;
    return at;
  }
  // Aims at a place and gives the command.
  void tag(const Vec3& at) {
    const Vec3 from = demo.truth().get<const Pose>(tagger.avatar()).position;  // it stands still
    const Vec3 aim = unit_of({at.x - from.x, at.y - (from.y + aim_height), at.z - from.z});
    tagger.client.input->set_command(client::tag_command(aim.x, aim.y, aim.z));
    demo.ticks(20);
  }
  static Vec3 unit_of(const Vec3& v) {
    const float length = std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
    return {v.x / length, v.y / length, v.z / length};
  }
  std::uint32_t tags() { return demo.truth().get<const Avatar>(tagger.avatar()).tags; }

  static std::size_t events_of(const PredictedDemo::Guest& guest) {
    std::size_t count = 0;
    for (const core::Bytes& event : guest.events)
      count += flatbuffers::GetRoot<events::Event>(event.data())->body_as_Tagged() != nullptr ? 1 : 0;
    return count;
  }

  PredictedDemo demo;
  PredictedDemo::Guest& tagger;
  PredictedDemo::Guest& target;
};

TEST(Tag, HitsARunningAvatarWhereItWasDrawn) {
  Duel duel;
  duel.target.client.input->set_command(mobula::test::move_command(1, 0));
  duel.demo.ticks(20);
  const Vec3 drawn = duel.drawn();
  const Vec3 present = duel.demo.truth().get<const Pose>(duel.target.avatar()).position;
  ASSERT_GT(present.x - drawn.x, avatar_radius) << "the present place is another";
  duel.tag(drawn);
  EXPECT_EQ(duel.tags(), 1u);
  EXPECT_EQ(Duel::events_of(duel.tagger), 1u);
  EXPECT_EQ(Duel::events_of(duel.target), 1u);
  EXPECT_EQ(duel.demo.village.server->stats().rewind.refusals.size(), 0u);
}

TEST(Tag, MissesWhereTheAvatarIsNotDrawn) {
  Duel duel;
  duel.target.client.input->set_command(mobula::test::move_command(1, 0));
  duel.demo.ticks(20);
  Vec3 present = duel.demo.truth().get<const Pose>(duel.target.avatar()).position;
  present.y += avatar_height / 2;
  duel.tag(present);
  EXPECT_EQ(duel.tags(), 0u);
  EXPECT_EQ(Duel::events_of(duel.target), 0u);
  EXPECT_EQ(duel.demo.village.server->stats().rewind.views, 1u) << "it was judged";
}

TEST(Tag, AWallIsInTheWay) {
  Duel duel(3);
  duel.tag(duel.drawn());
  EXPECT_EQ(duel.tags(), 0u);
  EXPECT_EQ(duel.demo.village.server->stats().rewind.views, 1u) << "it was judged";
}

TEST(Tag, PassesOverALowWall) {
  Duel duel(1);
  duel.tag(duel.drawn());
  EXPECT_EQ(duel.tags(), 1u);
}

TEST(Tag, ReachesTwentyMetres) {
  for (const float distance : {19.0f, 21.0f}) {
    Duel duel;
    duel.demo.put(duel.target.avatar(), 0, distance);
    duel.demo.ticks(30);
    duel.tag(duel.drawn());
    EXPECT_EQ(duel.tags(), distance < tag_range ? 1u : 0u) << distance;
  }
}

}  // namespace
}  // namespace demo::tag_test
