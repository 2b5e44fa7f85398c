// Whole files, read and written at once.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>
#include <string>
#include <vector>

namespace mobula::resource {

// Reasons: "missing" (or not readable), "too large".
core::Result<core::Bytes> read_file(const std::string& path, std::size_t limit);

struct NewFile {
  std::string path;
  core::ByteView content;
};

// Writes all beside their places, then renames: whoever looks sees the old content or the new, never a part, and
// no new file if one cannot be written. (A rename that fails late does not bring back what earlier ones replaced.)
// Links are followed; what is there and no regular file stays as it is. Reason: "not written".
core::Status write_files(const std::vector<NewFile>& files);

// Whether two paths lead to one file, or will once it is there.
bool same_file(const std::string& a, const std::string& b);

}  // namespace mobula::resource
