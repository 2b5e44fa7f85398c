// Maps hashes of names to their texts, for tools and messages. A second text with the same hash is refused.
#pragma once

#include <mobula/core/result.hpp>
#include <mobula/core/string_id.hpp>
#include <string>
#include <string_view>
#include <unordered_map>

namespace mobula::index {

class NameTable {
 public:
  /// Adds a name. Adding a known name again has no effect. Errors: "name collision".
  core::Result<core::StringId32> add(std::string_view text);

  /// Returns the text, or the hash as eight hex digits if the name was never added.
  [[nodiscard]] std::string text(core::StringId32 id) const;
  /// Returns the text, null if the name was never added.
  [[nodiscard]] const std::string* find(core::StringId32 id) const;
  [[nodiscard]] bool contains(core::StringId32 id) const { return texts_.contains(id); }
  [[nodiscard]] std::size_t size() const { return texts_.size(); }

 private:
  std::unordered_map<core::StringId32, std::string> texts_;
};

}  // namespace mobula::index
