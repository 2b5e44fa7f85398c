#include <mobula/core/assert.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/result.hpp>

namespace mobula::core::detail {

void result_has_no_value(const Error& error) {
  check_failed(core::format("value of a failed Result: {}: {}", error.reason, error.message));
}

void result_has_no_error() { check_failed("error of a Result that holds a value"); }

}  // namespace mobula::core::detail
