#include <algorithm>
#include <mobula/resource/compiler/name_uses.hpp>

namespace mobula::resource {

NameUses::NameUses(const Resource& whole, const Resource& clients) {
  for (const std::string_view text : whole.names())
    names_.emplace(core::StringId32(text), Name{text, Audience::server, std::nullopt});
  for (const std::string_view text : clients.names()) names_.at(core::StringId32(text)).in_file = Audience::everyone;
}

std::optional<std::string_view> NameUses::find(core::StringId32 id, Audience audience) const {
  const auto found = names_.find(id);
  if (found == names_.end()) return std::nullopt;
  const bool known = audience == Audience::server || found->second.in_file == Audience::everyone;
  return known ? std::optional(found->second.text) : std::nullopt;
}

void NameUses::use(core::StringId32 id, Audience audience) {
  const auto found = names_.find(id);
  if (found == names_.end()) return;
  std::optional<Audience>& used = found->second.used;
  if (used != Audience::everyone) used = audience;
}

std::vector<NameUses::Unused> NameUses::unused() const {
  std::vector<Unused> unused;
  for (const auto& [id, name] : names_) {
    const bool brought = name.used == Audience::everyone || name.used == name.in_file;
    if (!brought) unused.push_back({name.text, name.in_file});
  }
  std::ranges::sort(unused);
  return unused;
}

}  // namespace mobula::resource
