#include <mobula/index/name_table.hpp>

namespace mobula::index {

core::Result<core::StringId32> NameTable::add(std::string_view text) {
  const core::StringId32 id(text);
  const auto [place, added] = texts_.try_emplace(id, text);
  if (!added && place->second != text)
    return core::Error{"name collision", "\"" + std::string(text) + "\" has the hash of \"" + place->second + "\""};
  return id;
}

const std::string* NameTable::find(core::StringId32 id) const {
  const auto found = texts_.find(id);
  return found == texts_.end() ? nullptr : &found->second;
}

std::string NameTable::text(core::StringId32 id) const {
  const std::string* known = find(id);
  return known == nullptr ? core::to_string(id) : *known;
}

}  // namespace mobula::index
