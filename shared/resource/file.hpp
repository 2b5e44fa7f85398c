// Whole files, read and written at once.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>
#include <string>

namespace mobula::resource {

// Reasons: "missing" (or not readable), "too large".
core::Result<core::Bytes> read_file(const std::string& path, std::size_t limit);

// Writes beside the file and renames: whoever looks sees the old content or the new, never a part. Reason: "not
// written".
core::Status write_file(const std::string& path, core::ByteView content);

}  // namespace mobula::resource
