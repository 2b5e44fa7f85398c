// A shared key of 32 bytes as a text file: 64 hex digits, and whitespace after them.
#pragma once

#include <mobula/core/content_hash.hpp>
#include <mobula/core/result.hpp>
#include <string>

namespace mobula::core {

struct KeyFile {
  SecretKey key;
  bool others_may_read = false;  // others than its owner: worth a warning
};

// Refused with "cannot read" or "malformed".
Result<KeyFile> load_key_file(const std::string& path);

// A new key in a new file that its owner alone may read. Refused with "exists" or "cannot write": what is there is
// never touched, and nothing half-written stays.
Result<SecretKey> create_key_file(const std::string& path);

}  // namespace mobula::core
