// Failure: the end of a process whose program has a mistake.
#pragma once

#include <string_view>

namespace mobula::core {

/// Reports the failure, and aborts.
[[noreturn, gnu::cold]] void fail(std::string_view text);

/// Reports a failure of the calling thread. It need not return.
using FailureReport = void (*)(std::string_view text);

/// Sets how failures are reported. By default a line on standard error does. process/failure_report.hpp does more.
void set_failure_report(FailureReport report);

}  // namespace mobula::core
