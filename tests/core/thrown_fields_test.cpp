#include <gtest/gtest.h>

#include <mobula/core/log.hpp>
#include <mobula/core/thrown_fields.hpp>
#include <stdexcept>

namespace mobula::core {
namespace {

// Calls code that throws. Returns the fields of the handler.
template <class Code>
LogFields thrown_by(Code&& code) {
  try {
    code();
  } catch (const std::runtime_error&) {
    return thrown_log_fields();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

void fail_in(std::string_view hook) {
  const LogScope about({.running = hook});
  throw std::runtime_error("no luck");
}

TEST(ThrownFields, AreThoseOfTheInnermostScope) {
  const LogFields thrown = thrown_by([] {
    const LogScope tick({.tick = 7});
    fail_in("move");
  });
  EXPECT_EQ(thrown.tick, 7u);
  EXPECT_EQ(thrown.running, "move");
  EXPECT_EQ(log_fields().tick, LogFields::none);
}

TEST(ThrownFields, WithoutAScopeAreThoseOfTheHandler) {
  const LogScope tick({.tick = 7});
  EXPECT_EQ(thrown_by([] { throw std::runtime_error("no luck"); }).tick, 7u);
}

TEST(ThrownFields, AreThoseOfTheLastException) {
  const LogFields thrown = thrown_by([] {
    const LogScope tick({.tick = 7});
    EXPECT_EQ(thrown_by([] { fail_in("caught before"); }).running, "caught before");
    fail_in("move");
  });
  EXPECT_EQ(thrown.running, "move");
}

TEST(ThrownFields, ADestructorThatLogsDoesNotChangeThem) {
  struct Logging {
    ~Logging() { const LogScope about({.running = "destructor"}); }
  };
  const LogFields thrown = thrown_by([] {
    const Logging logging;
    fail_in("move");
  });
  EXPECT_EQ(thrown.running, "move");
}

}  // namespace
}  // namespace mobula::core
