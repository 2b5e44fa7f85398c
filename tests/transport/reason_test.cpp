#include <gtest/gtest.h>

#include <mobula/transport/reason.hpp>
#include <set>

namespace mobula::transport {
namespace {

TEST(Reason, EveryCodeHasItsOwnName) {
  std::set<std::string_view> names;
  for (int code = 0; code < static_cast<int>(ReasonCode::count); ++code) {
    names.insert(to_string(static_cast<ReasonCode>(code)));
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(ReasonCode::count));
  EXPECT_EQ(names.count(""), 0u);
  EXPECT_EQ(to_string(ReasonCode::replaced), "replaced");
}

TEST(Reason, FormatsNameAndText) {
  EXPECT_EQ(to_string(Reason{ReasonCode::server_full, "64 of 64 sessions are taken"}),
            "server full: 64 of 64 sessions are taken");
  EXPECT_EQ(to_string(Reason{ReasonCode::left, ""}), "left");
}

}  // namespace
}  // namespace mobula::transport
