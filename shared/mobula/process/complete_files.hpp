// Complete files: reading, mapping, and atomic replacement.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>
#include <mobula/core/shared_bytes.hpp>
#include <string>
#include <vector>

namespace mobula::process {

/// Reads a file. Errors: "missing" (or not readable), "too large".
core::Result<core::Bytes> read_file(const std::string& path, std::size_t limit);
/// Reads a file that is a regular one: a pipe or a device could keep the caller waiting. Errors: those of read_file.
core::Result<core::Bytes> read_regular_file(const std::string& path, std::size_t limit);

/// Maps a regular file read-only, aligned to 16. Errors: those of read_file.
core::Result<core::SharedBytes> map_file(const std::string& path, std::size_t limit);

struct NewFile {
  std::string path;
  core::ByteView content;
};

/// Writes files beside their destinations, then renames them. Readers see the old or the new content, and no file
/// changes if one cannot be written. A late failure of a rename does not undo earlier renames. Links are followed;
/// destinations that are not regular files stay. Errors: "not written".
core::Status write_files(const std::vector<NewFile>& files);

/// Returns whether two paths lead to the same file, existing or not.
bool same_file(const std::string& a, const std::string& b);

}  // namespace mobula::process
