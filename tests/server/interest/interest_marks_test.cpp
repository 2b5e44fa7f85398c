#include <gtest/gtest.h>

#include <mobula/core/random.hpp>
#include <mobula/server/interest/interest_marks.hpp>
#include <string>

namespace mobula::server {
namespace {

// Marks of one byte wrap often.
TEST(InterestMarks, AQueryKnowsNothingOfFormerOnes) {
  InterestMarks<std::uint8_t> marks;
  marks.make_room(50);
  core::Random random(1);
  for (int look = 0; look < 1000; ++look) {
    marks.begin();
    std::string model(50, '-');
    for (int i = 0; i < 40; ++i) {
      const std::uint32_t index = random.below(50);
      const std::uint32_t kind = random.below(4);
      model[index] = "srxp"[kind];
      if (kind == 0) marks.note_visible(index);
      if (kind == 1) marks.note_relevant(index);
      if (kind == 2) marks.note_refused(index);
      if (kind == 3) marks.note_with_parents(index);
    }
    for (std::uint32_t index = 0; index < 50; ++index) {
      ASSERT_EQ(marks.visible_only(index), model[index] == 's') << look;
      ASSERT_EQ(marks.relevant(index), model[index] == 'r' || model[index] == 'p') << look;
      ASSERT_EQ(marks.with_parents(index), model[index] == 'p') << look;
      ASSERT_EQ(marks.refused(index), model[index] == 'x') << look;
      ASSERT_EQ(marks.decided(index), std::string("rxp").find(model[index]) != std::string::npos) << look;
    }
  }
}

TEST(InterestMarks, KeepTheirContentWhenTheyGrow) {
  InterestMarks<> marks;
  marks.make_room(1);
  marks.begin();
  marks.note_relevant(0);
  marks.make_room(1000);
  marks.make_room(10);
  EXPECT_EQ(marks.size(), 1000u);
  EXPECT_TRUE(marks.relevant(0));
  EXPECT_FALSE(marks.relevant(999));
}

}  // namespace
}  // namespace mobula::server
