// Results of the C interface: a code for the caller, and a text of what was wrong for people.
//
// The text belongs to the thread that made the call. So it is also there when no client is, and a second thread that
// finds a client busy does not overwrite the first one's.
#pragma once

#include <c/mobula_client.h>

#include <mobula/core/result.hpp>
#include <string_view>

namespace mobula::c {

/// Sets the text of this thread's last error and returns `code`. A text beyond 511 bytes is cut.
mobula_result fail(mobula_result code, std::string_view text);
inline mobula_result fail(mobula_result code, const core::Error& error) { return fail(code, error.message); }
/// Refuses a parameter that is null. Returns MOBULA_ERROR_INVALID_ARGUMENT.
mobula_result refuse_null(std::string_view parameter);

}  // namespace mobula::c
