// Key file: a shared key of 32 bytes as 64 hex digits and optional trailing whitespace.
#pragma once

#include <mobula/core/content_hash.hpp>
#include <mobula/core/result.hpp>
#include <string>
#include <string_view>

namespace mobula::process {

/// Content of a key file.
struct KeyFile {
  core::SecretKey key;
  bool others_may_read = false;  // by others than its owner; deserves a warning
};

/// Reads a key. Errors: "cannot read", "malformed".
core::Result<KeyFile> load_key_file(const std::string& path);
/// Reads the key that a backend shares, and logs a warning of `module` if others may read the file. Errors: those of
/// load_key_file().
core::Result<core::SecretKey> load_shared_key(const std::string& path, std::string_view module);

/// Creates a random key in a new file that only its owner may read. Errors: "exists", "cannot write". An existing file
/// is never changed, and no partial file remains.
core::Result<core::SecretKey> create_key_file(const std::string& path);

}  // namespace mobula::process
