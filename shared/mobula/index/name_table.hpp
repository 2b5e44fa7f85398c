// From a name's hash back to its text, for people and tools. Two texts of one hash are refused.
#pragma once

#include <mobula/core/result.hpp>
#include <mobula/core/string_id.hpp>
#include <string>
#include <string_view>
#include <unordered_map>

namespace mobula::index {

class NameTable {
 public:
  // Refused: "name collision". Adding a known name again is fine.
  core::Result<core::StringId32> add(std::string_view text);

  // The text, or the hash as eight hex digits if the name was never added.
  [[nodiscard]] std::string text(core::StringId32 id) const;
  // Null if the name was never added.
  [[nodiscard]] const std::string* find(core::StringId32 id) const;
  [[nodiscard]] bool contains(core::StringId32 id) const { return texts_.contains(id); }
  [[nodiscard]] std::size_t size() const { return texts_.size(); }

 private:
  std::unordered_map<core::StringId32, std::string> texts_;
};

}  // namespace mobula::index
