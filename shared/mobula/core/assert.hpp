// Assertions: a programming error stops the process with its location and a message.
// Input from outside must not trigger one: it is refused through Result.
#pragma once

#include <string_view>

namespace mobula::core {

[[noreturn]] void assert_failed(const char* expression, const char* file, int line, std::string_view message);

}  // namespace mobula::core

// A macro because it needs the text of the expression, costs nothing when asserts are off, and builds its message only
// on failure.
#ifdef MOBULA_ASSERTS
#define MOBULA_ASSERT(expression, message)              \
  (static_cast<bool>(expression) ? static_cast<void>(0) \
                                 : ::mobula::core::assert_failed(#expression, __FILE__, __LINE__, (message)))
#else
#define MOBULA_ASSERT(expression, message) static_cast<void>(sizeof(static_cast<bool>(expression)))
#endif
