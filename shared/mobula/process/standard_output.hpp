// Results of programs on standard output. A program whose output is lost, as on a full disk, does not end with status
// 0. For the main thread.
#pragma once

#include <mobula/core/result.hpp>
#include <string_view>

namespace mobula::process {

/// Writes text to standard output at once. Keeps the first error for printed() and end_output().
void print(std::string_view text);
/// Returns whether all that was printed has been written. Errors: "not written".
core::Status printed();
/// Returns the exit status of a program: `status` if all that was printed has been written. Otherwise it reports the
/// error on standard error, and returns 1 in place of 0.
int end_output(std::string_view program, int status);

}  // namespace mobula::process
