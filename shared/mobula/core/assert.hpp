// A programmer's mistake stops the process with its place and a sentence.
// Bytes from outside never get here: they are refused through Result.
#pragma once

#include <string_view>

namespace mobula::core {

[[noreturn]] void assert_failed(const char* expression, const char* file, int line, std::string_view message);

}  // namespace mobula::core

// A macro, because it must see the expression's text, cost nothing where asserts
// are off, and build its message only on failure.
#ifdef MOBULA_ASSERTS
#define MOBULA_ASSERT(expression, message)              \
  (static_cast<bool>(expression) ? static_cast<void>(0) \
                                 : ::mobula::core::assert_failed(#expression, __FILE__, __LINE__, (message)))
#else
#define MOBULA_ASSERT(expression, message) static_cast<void>(sizeof(static_cast<bool>(expression)))
#endif
