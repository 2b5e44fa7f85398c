// Checks and assertions: a programming error stops the process with its location and a message.
//
//   MOBULA_CHECK    in every build: mistakes of a game that are found in O(1), such as a stale handle
//   MOBULA_ASSERT   in builds with asserts: invariants of our own, and what is expensive to find
//
// Input from outside must not trigger either: it is refused through Result.
#pragma once

#include <string_view>

namespace mobula::core {

/// Logs the message with its place and a backtrace, then aborts the process (core/failure.hpp).
[[noreturn, gnu::cold]] void assert_failed(const char* expression, const char* file, int line,
                                           std::string_view message);
/// Does the same for a check.
[[noreturn, gnu::cold]] void check_failed(const char* file, int line, std::string_view message);
/// Fails without the place, which the backtrace shows.
[[noreturn, gnu::cold]] void check_failed(std::string_view message);

}  // namespace mobula::core

// Macros because they need the place of the expression and build their message only on failure. A disabled assert costs
// nothing.
#define MOBULA_CHECK(expression, message) \
  (static_cast<bool>(expression) ? static_cast<void>(0) : ::mobula::core::check_failed(__FILE__, __LINE__, (message)))
#ifdef MOBULA_ASSERTS
#define MOBULA_ASSERT(expression, message)              \
  (static_cast<bool>(expression) ? static_cast<void>(0) \
                                 : ::mobula::core::assert_failed(#expression, __FILE__, __LINE__, (message)))
#else
#define MOBULA_ASSERT(expression, message) static_cast<void>(sizeof(static_cast<bool>(expression)))
#endif
