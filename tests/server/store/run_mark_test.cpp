#include <gtest/gtest.h>

#include <fstream>
#include <mobula/core/assert.hpp>
#include <mobula/server/store/run_mark.hpp>
#include <server/store/test_folder.hpp>

namespace mobula::store {
namespace {

struct RunMarkTest : testing::Test {
  TestFolder folder;
  std::string path = folder.file("world.db.lock");

  [[nodiscard]] RunMark mark() const { return RunMark(std::move(*FileLock::acquire(path))); }
  [[nodiscard]] std::string last_end() const { return mark().last_end(); }
};

TEST_F(RunMarkTest, ARunThatFinishesLeavesNothing) {
  {
    RunMark run = mark();
    EXPECT_EQ(run.last_end(), "");
    run.begin();
    run.finish();
  }
  EXPECT_EQ(last_end(), "");
}

TEST_F(RunMarkTest, ARunThatStopsIsNoticedOnce) {
  mark().begin();
  EXPECT_EQ(last_end(), "it was killed or ended by a second Ctrl-C, or the machine stopped");
  EXPECT_EQ(last_end(), "it was killed or ended by a second Ctrl-C, or the machine stopped")
      << "a start that never ticks keeps it";
}

TEST_F(RunMarkTest, AFailedCheckIsRemembered) {
  const auto run_and_fail = [&] {
    RunMark run = mark();
    run.begin();
    MOBULA_CHECK(false, "the sky has fallen");
  };
  EXPECT_DEATH(run_and_fail(), "the sky has fallen");
  EXPECT_NE(last_end().find("check failed: the sky has fallen"), std::string::npos) << last_end();
}

TEST_F(RunMarkTest, ACheckThatFailsBeforeTheFirstTickIsRemembered) {
  const auto fail = [&] {
    const RunMark run = mark();
    MOBULA_CHECK(false, "the ground is missing");
  };
  EXPECT_DEATH(fail(), "the ground is missing");
  EXPECT_NE(last_end().find("check failed: the ground is missing"), std::string::npos) << last_end();
}

TEST_F(RunMarkTest, ANotedFailureIsRememberedUntilARunFinishes) {
  {
    RunMark run = mark();
    run.begin();
    run.fail("the game threw");
  }
  EXPECT_EQ(last_end(), "the game threw");
  {
    RunMark run = mark();
    run.begin();
    run.finish();
  }
  EXPECT_EQ(last_end(), "");
}

TEST_F(RunMarkTest, AnyBytesAreShownAsOnePrintableLine) {
  std::ofstream(path) << "\x1b[31m\n" << std::string(100'000, 'x');
  const std::string shown = last_end();
  EXPECT_LT(shown.size(), 1100u);
  EXPECT_EQ(shown.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace mobula::store
