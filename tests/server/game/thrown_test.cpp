#include <gtest/gtest.h>

#include <mobula/server/game/thrown.hpp>
#include <stdexcept>

namespace mobula::server {
namespace {

TEST(Thrown, SaysWhatWasThrown) {
  EXPECT_FALSE(thrown_by([] {}));
  EXPECT_EQ(thrown_by([] { throw std::runtime_error("out of luck"); })->what, "out of luck");
  EXPECT_EQ(thrown_by([] { throw std::bad_alloc(); })->what, "not enough memory");
  EXPECT_EQ(thrown_by([] { throw 1; })->what, "an unknown exception");
}

}  // namespace
}  // namespace mobula::server
