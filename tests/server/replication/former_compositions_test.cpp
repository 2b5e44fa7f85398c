#include <gtest/gtest.h>

#include <mobula/core/random.hpp>
#include <mobula/server/replication/former_compositions.hpp>
#include <optional>
#include <seeds.hpp>
#include <vector>

namespace mobula::server {
namespace {

// Random ends of compositions, and the reference model: a search of their list.
class FormerHistory {
 public:
  explicit FormerHistory(std::uint64_t seed) : former_(prototypes_), random_(seed) {}

  void run(ecs::Tick ticks) {
    for (now_ = 1; now_ <= ticks; ++now_) {
      for (std::uint32_t more = random_.below(6); more > 0; --more) end(random_.below(indices));
      forgotten_ = now_ > kept_ticks ? now_ - kept_ticks : 0;
      former_.forget_before(forgotten_);
      compare();
      if (testing::Test::HasFatalFailure()) return;
    }
  }
  [[nodiscard]] std::uint64_t found() const { return found_; }
  [[nodiscard]] std::uint32_t size() const { return former_.size(); }

 private:
  static constexpr std::uint32_t indices = 12;
  static constexpr ecs::Tick kept_ticks = 9;

  struct Ended {
    ecs::Entity entity;
    ecs::Tick since;
    ecs::Tick until;
    ValueLog::Place first;  // the first of its two rows
  };

  // Some compositions end in the tick in which they began. An index is empty for a while after others.
  void end(std::uint32_t index) {
    const ecs::Tick since = std::min(now_, begun_[index] + random_.below(2));
    const Ended ended{{index, now_}, since, now_, 10 * places_++};
    former_.add(ended.entity, ecs::empty_prototype, ended.since, ended.until);
    former_.add_row(ended.first);
    former_.add_row(ended.first + 1);
    ended_.push_back(ended);
    begun_[index] = now_;
  }
  // Ticks in which two compositions of an index could be found do not count: at the end of a tick it has one.
  [[nodiscard]] std::optional<Ended> search(std::uint32_t index, ecs::Tick tick) const {
    for (auto each = ended_.rbegin(); each != ended_.rend(); ++each)
      if (each->entity.index == index && each->since <= tick && tick < each->until) return *each;
    return std::nullopt;
  }
  void compare() {
    for (std::uint32_t index = 0; index < indices + 2; ++index)
      for (ecs::Tick tick = forgotten_; tick <= now_ + 1; ++tick) {
        const std::optional<Ended> expected = search(index, tick);
        const FormerCompositions::Composition* const found = former_.find(index, tick);
        ASSERT_EQ(found != nullptr, expected.has_value()) << "index " << index << ", tick " << tick << " in " << now_;
        if (found == nullptr) continue;
        ASSERT_EQ(found->entity, expected->entity) << "index " << index << ", tick " << tick << " in " << now_;
        ASSERT_EQ(former_.place(*found, 0), expected->first);
        ASSERT_EQ(former_.place(*found, 1), expected->first + 1);
        ++found_;
      }
  }

  ecs::PrototypeTable prototypes_;
  FormerCompositions former_;
  core::Random random_;
  ecs::Tick now_ = 0;
  ecs::Tick forgotten_ = 0;
  std::uint64_t places_ = 1;
  std::array<ecs::Tick, indices> begun_{};
  std::vector<Ended> ended_;
  std::uint64_t found_ = 0;
};

TEST(FormerCompositions, FindsWhatASearchFinds) {
  test::for_each_seed(1, test::few_or_all(8, 20), 200, [](std::uint64_t seed) {
    FormerHistory history(seed);
    history.run(200);
    EXPECT_GT(history.found(), 1000u);
    EXPECT_LT(history.size(), 100u) << "the old ones are forgotten";
  });
}

TEST(FormerCompositions, AreNoneForAnIndexThatNothingHad) {
  ecs::PrototypeTable prototypes;
  FormerCompositions former(prototypes);
  EXPECT_EQ(former.find(0, 1), nullptr);
  former.add({.index = 3, .generation = 1}, ecs::empty_prototype, 1, 4);
  EXPECT_EQ(former.find(2, 2), nullptr);
  EXPECT_EQ(former.find(7, 2), nullptr);
  EXPECT_NE(former.find(3, 2), nullptr);
  EXPECT_EQ(former.find(3, 4), nullptr);
}

}  // namespace
}  // namespace mobula::server
