#include <mobula/client/mirror/stale_entities.hpp>

#include <gtest/gtest.h>

namespace mobula::client::stale_entities_test {
namespace {

// A number of one word: k and the velocity follow it.
const wire::CourseUnit& number() {
  static const wire::CourseUnit unit = [] {
    wire::CourseUnit made{.parts = 1, .first = 0, .course = 1};
    made.max[0] = ~0u;
    return made;
  }();
  return unit;
}

// A course that began at a tick, of an entity that was lost at another one.
StaleCourses course_since(ecs::Tick began, ecs::Tick lost = 2 * wire::path_age_max) {
  return {.all = {{3, 0, &number()}}, .words = {100, 32, 0, began}, .lost = lost};
}

std::vector<ecs::Entity> followers(StaleEntities& stale, ecs::Tick tick) {
  std::vector<ecs::Entity> found;
  stale.each_under_way(tick, [&](ecs::Entity entity, const StaleCourses& /*courses*/, const StaleCourse& course) {
    EXPECT_EQ(course.pool, 3u);
    found.push_back(entity);
  });
  return found;
}

TEST(StaleEntities, TheOldestIsTheFirst) {
  StaleEntities stale;
  for (std::uint32_t i = 0; i < StaleEntities::max; ++i) {
    EXPECT_FALSE(stale.is_full());
    stale.add({i, 1}, {});
  }
  EXPECT_TRUE(stale.is_full());
  EXPECT_EQ(stale.oldest(), (ecs::Entity{0, 1}));
  stale.erase({0, 1});
  EXPECT_EQ(stale.oldest(), (ecs::Entity{1, 1}));
  EXPECT_FALSE(stale.is_full());
  EXPECT_FALSE(stale.contains({0, 1}));
  EXPECT_FALSE(stale.contains({1, 2})) << "another entity of the index";
  EXPECT_TRUE(stale.contains({5, 1}));
}

TEST(StaleEntities, OnlyThoseWithACourseAreUnderWay) {
  StaleEntities stale;
  stale.add({1, 1}, course_since(10));
  stale.add({2, 1}, {});
  EXPECT_EQ(followers(stale, 20), (std::vector<ecs::Entity>{{1, 1}}));
  EXPECT_EQ(stale.courses({1, 1})->all.size(), 1u);
  EXPECT_TRUE(stale.courses({2, 1})->all.empty());
  EXPECT_EQ(stale.courses({7, 1}), nullptr);
}

TEST(StaleEntities, ACourseEndsWithItsGreatestAge) {
  StaleEntities stale;
  stale.add({1, 1}, course_since(10));
  EXPECT_EQ(followers(stale, 9 + wire::path_age_max).size(), 1u);
  EXPECT_EQ(followers(stale, 10 + wire::path_age_max).size(), 1u) << "its last value";
  EXPECT_TRUE(followers(stale, 11 + wire::path_age_max).empty());
  EXPECT_TRUE(stale.contains({1, 1}));
}

TEST(StaleEntities, ACourseEndsSomeTicksAfterTheLoss) {
  StaleEntities stale;
  stale.add({1, 1}, course_since(10, 15));
  EXPECT_EQ(followers(stale, 14 + StaleCourses::ticks_max).size(), 1u);
  EXPECT_EQ(followers(stale, 15 + StaleCourses::ticks_max).size(), 1u) << "its last value";
  EXPECT_TRUE(followers(stale, 16 + StaleCourses::ticks_max).empty());
}

// The deltas around its last tick may have been lost.
TEST(StaleEntities, ACourseHasTheValueOfItsLastTickInLaterOnes) {
  const wire::CourseUnit unit = [] {
    reflect::Field field;
    field.high = ~0u;
    field.step = 1;
    field.steps = ~0u;
    wire::CourseUnit made = number();
    made.quantisers[0] = reflect::Quantiser(field);
    return made;
  }();
  const auto value = [&](ecs::Tick tick) {
    StaleCourses courses = course_since(10, 15);
    courses.all[0].unit = &unit;
    float written = 0;
    courses.write(courses.all[0], tick, reinterpret_cast<std::byte*>(&written));
    return written;
  };
  EXPECT_EQ(value(20), 110.0f);
  EXPECT_EQ(value(15 + StaleCourses::ticks_max), 105.0f + StaleCourses::ticks_max);
  EXPECT_EQ(value(40 + StaleCourses::ticks_max), 105.0f + StaleCourses::ticks_max);
}

TEST(StaleEntities, TheLastTickIsNotBeyondTheGreatest) {
  EXPECT_EQ(course_since(1, ~0u - 3).end(), ~0u);
  EXPECT_EQ(course_since(1, 3).end(), 3 + StaleCourses::ticks_max);
}

TEST(StaleEntities, OnlyCoursesUnderWayUseMemory) {
  StaleEntities stale;
  stale.add({1, 1}, {});
  EXPECT_EQ(stale.kept_words(), 0u);
  stale.add({2, 1}, course_since(10, 15));
  stale.add({3, 1}, course_since(10, 16));
  const std::size_t one = stale.courses({2, 1})->kept_words();
  EXPECT_GE(one, 4 + sizeof(StaleCourse) / sizeof(std::uint32_t));
  EXPECT_EQ(stale.kept_words(), 2 * one);
  followers(stale, 15 + StaleCourses::ticks_max);
  EXPECT_EQ(stale.kept_words(), one);
  stale.erase({3, 1});
  EXPECT_EQ(stale.kept_words(), 0u);
}

}  // namespace
}  // namespace mobula::client::stale_entities_test
