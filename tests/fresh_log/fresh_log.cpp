// Each test logs as the first one of its process does: the limit of repeated lines does not depend on tests before it.
#include <gtest/gtest.h>

#include <mobula/core/log_repeats.hpp>

namespace mobula::test {
namespace {

class FreshLog : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo& /*test*/) override { core::restart_log_repeats(); }
};

[[maybe_unused]] const bool listens = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new FreshLog);  // which owns it
  return true;
}();

}  // namespace
}  // namespace mobula::test
