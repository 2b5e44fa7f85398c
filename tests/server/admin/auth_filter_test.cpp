#include <gtest/gtest.h>

#include <mobula/server/admin/auth_filter.hpp>

namespace mobula::server::admin {
namespace {

// A token is wrong if it differs at any place or in length.
TEST(AuthFilter, AcceptsOnlyTheExactToken) {
  const std::string token = "correct horse battery";
  const AuthFilter filter(token);
  EXPECT_TRUE(filter.is_token(token));
  for (std::size_t i = 0; i < token.size(); ++i) {
    std::string other = token;
    other[i] ^= 1;
    EXPECT_FALSE(filter.is_token(other));
    EXPECT_FALSE(filter.is_token(token.substr(0, i)));
  }
  EXPECT_FALSE(filter.is_token(token + "y"));
}

TEST(AuthFilter, AnswersARequestThatCannotNameItsHost) {
  const AuthFilter filter("");
  Request request;
  EXPECT_TRUE(filter.refuse(request, Access::everyone));
  request.without_host = true;
  EXPECT_FALSE(filter.refuse(request, Access::everyone));
  request.origin = "http://evil.example";
  EXPECT_TRUE(filter.refuse(request, Access::everyone)) << "pages are refused in any case";
}

}  // namespace
}  // namespace mobula::server::admin
