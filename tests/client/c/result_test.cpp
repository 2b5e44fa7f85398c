#include <gtest/gtest.h>

#include <c/result.hpp>
#include <client/c/guest.hpp>
#include <set>
#include <string>
#include <thread>

namespace mobula::c {
namespace {

TEST(CResult, EveryResultHasATextOfItsOwn) {
  std::set<std::string> texts;
  int results = 0;
  for (mobula_result result = MOBULA_ERROR_TOO_MANY_CLIENTS; result <= MOBULA_NOTHING; ++result, ++results)
    texts.insert(mobula_strerror(result));
  EXPECT_EQ(texts.size(), static_cast<std::size_t>(results));
  EXPECT_FALSE(texts.contains(mobula_strerror(-12345)));
  EXPECT_STREQ(mobula_strerror(12345), mobula_strerror(-12345));
}

TEST(CResult, AnErrorsTextStaysUntilTheNextError) {
  EXPECT_EQ(fail(MOBULA_ERROR_BUSY, "first"), MOBULA_ERROR_BUSY);
  EXPECT_EQ(test::error_text(), "first");
  EXPECT_EQ(test::error_text(), "first") << "reading it is no error";
  EXPECT_EQ(fail(MOBULA_ERROR_CLOSED, "second"), MOBULA_ERROR_CLOSED);
  EXPECT_EQ(test::error_text(), "second");
}

TEST(CResult, ATextThatIsTooLongIsCut) {
  fail(MOBULA_ERROR_CLOSED, std::string(5000, 'x'));
  EXPECT_EQ(test::error_text(), std::string(511, 'x'));
}

TEST(CResult, AThreadDoesNotSeeAnothersError) {
  fail(MOBULA_ERROR_CLOSED, "mine");
  std::thread([] {
    EXPECT_EQ(test::error_text(), "");
    fail(MOBULA_ERROR_CLOSED, "another's");
  }).join();
  EXPECT_EQ(test::error_text(), "mine");
}

TEST(CResult, AShortBufferForTheTextChangesNoText) {
  fail(MOBULA_ERROR_CLOSED, "the reason");
  std::uint32_t length = 0;
  EXPECT_EQ(mobula_error_text(nullptr, 0, nullptr), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_error_text(nullptr, 1, &length), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_error_text(nullptr, 0, &length), MOBULA_ERROR_BUFFER_TOO_SMALL);
  EXPECT_EQ(length, 10u);
  EXPECT_EQ(test::error_text(), "the reason");
}

}  // namespace
}  // namespace mobula::c
