// Log fields of the place where an exception was thrown. The exception leaves the scopes that set them.
#pragma once

#include <mobula/core/log_record.hpp>

namespace mobula::core {

/// Returns the fields of the innermost LogScope that an exception has left in this thread. Valid in the handler that
/// catches it, until that makes a LogScope of its own. Without any, the fields of the thread's lines.
[[nodiscard]] const LogFields& thrown_log_fields();

}  // namespace mobula::core
