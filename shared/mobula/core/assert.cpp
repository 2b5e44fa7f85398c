#include <mobula/core/assert.hpp>
#include <mobula/core/failure.hpp>
#include <mobula/core/format.hpp>

namespace mobula::core {

void assert_failed(const char* expression, const char* file, int line, std::string_view message) {
  fail(core::format("{}:{}: assert failed: {}: {}", file, line, expression, message));
}

void check_failed(std::string_view message) { fail(core::format("check failed: {}", message)); }

void check_failed(const char* file, int line, std::string_view message) {
  fail(core::format("{}:{}: check failed: {}", file, line, message));
}

}  // namespace mobula::core
