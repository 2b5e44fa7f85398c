#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <mobula/core/random.hpp>
#include <mobula/server/interest/interest_grid.hpp>
#include <set>

namespace mobula::server {
namespace {

using engine::Vec3;
using Found = std::map<std::uint32_t, bool>;  // whether it may enter, by index

struct ReferenceGrid {
  struct At {
    std::uint32_t group;
    std::uint8_t layer;
    Vec3 position;
  };

  [[nodiscard]] Found search(std::uint32_t group, std::span<const Vec3> viewpoints,
                             std::span<const Layer> layers) const {
    Found found;
    for (const auto& [index, at] : in) {
      if (at.group != group) continue;
      if (at.layer == InterestGrid::everywhere) {
        found[index] = true;
        continue;
      }
      const float enter = layers[at.layer].radius;
      const float leave = leave_radius(layers[at.layer]);
      for (const Vec3& viewpoint : viewpoints) {
        const float squared = distance_squared(at.position, viewpoint);
        if (squared <= leave * leave) found[index] |= squared <= enter * enter;
      }
    }
    return found;
  }
  static float distance_squared(const Vec3& a, const Vec3& b) {
    const float x = a.x - b.x;
    const float y = a.y - b.y;
    const float z = a.z - b.z;
    return x * x + y * y + z * z;
  }

  std::map<std::uint32_t, At> in;
};

Found search(const InterestGrid& grid, std::uint32_t group, std::span<const Vec3> viewpoints) {
  Found found;
  grid.search(group, viewpoints, [&](std::uint32_t index, bool may_enter) { found[index] |= may_enter; });
  return found;
}

void run_beside_the_model(std::uint64_t seed, std::uint32_t entities, float size, const std::vector<Layer>& layers) {
  SCOPED_TRACE(seed);
  core::Random random(seed);
  InterestGrid grid(layers);
  ReferenceGrid reference;
  const auto anywhere = [&] {
    return Vec3{random.uniform(-size, size), random.uniform(-9, 9), random.uniform(-size, size)};
  };
  std::size_t found = 0;
  for (int step = 0; step < 6000; ++step) {
    const std::uint32_t index = random.below(entities);
    const auto at = reference.in.find(index);
    if (at == reference.in.end()) {
      const std::uint32_t layer = random.below(static_cast<std::uint32_t>(layers.size()) + 1);
      const ReferenceGrid::At added{
          random.below(3), layer == layers.size() ? InterestGrid::everywhere : static_cast<std::uint8_t>(layer),
          anywhere()};
      reference.in.emplace(index, added);
      grid.insert(index, added.group, added.layer, added.position);
    } else if (random.chance(1, 3)) {
      reference.in.erase(at);
      grid.erase(index);
    } else if (at->second.layer != InterestGrid::everywhere) {
      at->second.position = random.chance(1, 8) ? anywhere() : at->second.position;
      at->second.position.x += random.uniform(-1, 1);
      grid.move(index, at->second.position);
    }
    if (step % 20 != 0) continue;
    grid.check();
    ASSERT_EQ(grid.size(), reference.in.size());
    const std::array<Vec3, 2> viewpoints{anywhere(), anywhere()};
    const std::uint32_t group = random.below(4);
    const std::span<const Vec3> all = std::span(viewpoints).first(random.below(3));
    const Found expected = reference.search(group, all, layers);
    found += expected.size();
    ASSERT_EQ(search(grid, group, all), expected);
  }
  EXPECT_GT(found, 300u);
}

TEST(InterestGrid, AgreesWithAReferenceModel) {
  const std::vector<Layer> layers{{"middle", 30}, {"small", 4, 5}, {"wide", 300}};
  for (std::uint64_t seed = 1; seed <= 3; ++seed) run_beside_the_model(seed, 50, 60, layers);
  for (std::uint64_t seed = 4; seed <= 6; ++seed) run_beside_the_model(seed, 1000, 400, layers);
}

// So far away that floats are metres apart, and cells are no longer numbered.
TEST(InterestGrid, AgreesFarFromTheMiddleOfTheWorld) {
  const std::vector<Layer> layers{{"small", 1}, {"huge", 1e5f}};
  for (const float size : {1e6f, 1e8f, 1e12f}) {
    SCOPED_TRACE(size);
    InterestGrid grid(layers);
    ReferenceGrid reference;
    core::Random random(7);
    std::vector<Vec3> all;
    for (std::uint32_t index = 0; index < 1200; ++index) {
      Vec3 position{size * random.uniform(0.5f, 1), 0, -size * random.uniform(0.5f, 1)};
      if (index % 2 == 1) position = all.back();  // beside somebody
      position.x += random.uniform(-2, 2);
      all.push_back(position);
      const auto layer = static_cast<std::uint8_t>(random.below(2));
      reference.in.emplace(index, ReferenceGrid::At{0, layer, position});
      grid.insert(index, 0, layer, position);
    }
    grid.check();
    std::size_t found = 0;
    for (const Vec3& viewpoint : all) {
      const Found expected = reference.search(0, {&viewpoint, 1}, layers);
      ASSERT_EQ(search(grid, 0, {&viewpoint, 1}), expected);
      found += expected.size();
    }
    EXPECT_GT(found, 1200u);
  }
}

TEST(InterestGrid, APositionThatIsNoNumberIsNearNothing) {
  const std::vector<Layer> layers{{"creatures", 10}};
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  InterestGrid grid(layers);
  std::uint32_t index = 0;
  for (const Vec3& odd : {Vec3{nan, 0, 0}, Vec3{0, nan, 0}, Vec3{0, 0, nan}, Vec3{inf, 0, -inf}, Vec3{0, -inf, 0}})
    grid.insert(index++, 0, 0, odd);
  grid.insert(index, 0, 0, {1, 2, 3});
  grid.check();
  const Vec3 here{};
  EXPECT_EQ(search(grid, 0, {&here, 1}), (Found{{index, true}}));
  for (const Vec3& odd : {Vec3{nan, nan, nan}, Vec3{inf, inf, inf}, Vec3{-inf, 0, 0}})
    EXPECT_EQ(search(grid, 0, {&odd, 1}), Found{});
  for (std::uint32_t each = 0; each < index; ++each) grid.move(each, {0, 0, static_cast<float>(each)});
  grid.check();
  EXPECT_EQ(search(grid, 0, {&here, 1}).size(), 6u);
  for (std::uint32_t each = 0; each <= index; ++each) grid.erase(each);
  grid.check();
  EXPECT_EQ(grid.size(), 0u);
}

TEST(InterestGrid, HeightCounts) {
  const std::vector<Layer> layers{{"creatures", 10, 12}};
  InterestGrid grid(layers);
  grid.insert(0, 0, 0, {0, 10, 0});
  grid.insert(1, 0, 0, {0, -11, 0});
  grid.insert(2, 0, 0, {0, 13, 0});
  const Vec3 here{};
  EXPECT_EQ(search(grid, 0, {&here, 1}), (Found{{0, true}, {1, false}}));
}

TEST(InterestGrid, RoomsThatEmptyAreForgotten) {
  const std::vector<Layer> layers{{"creatures", 10}};
  InterestGrid grid(layers);
  const Vec3 here{};
  for (std::uint32_t group = 1; group < 5000; ++group) {
    grid.insert(0, group, 0, here);
    grid.insert(1, group, InterestGrid::everywhere, here);
    EXPECT_EQ(search(grid, group, {&here, 1}).size(), 2u);
    EXPECT_EQ(search(grid, group - 1, {&here, 1}).size(), 0u);
    grid.erase(1);
    grid.erase(0);
  }
  grid.check();
  EXPECT_EQ(grid.section_count_max(), 2u);
}

}  // namespace
}  // namespace mobula::server
