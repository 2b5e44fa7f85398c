#include <mobula/core/assert.hpp>

#include <cstdio>
#include <cstdlib>

namespace mobula::core {

void assert_failed(const char* expression, const char* file, int line, std::string_view message) {
  std::fprintf(stderr, "%s:%d: assert failed: %s: %.*s\n", file, line, expression, static_cast<int>(message.size()),
               message.data());
  std::abort();
}

}  // namespace mobula::core
