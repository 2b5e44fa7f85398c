#include <algorithm>
#include <mobula/core/format.hpp>
#include <mobula/core/text.hpp>
#include <mobula/resource/compiler/workshop.hpp>
#include <mobula/resource/limits.hpp>

namespace mobula::resource {

core::StringId32 NameTable::intern(std::string_view text, Place place, Audience audience) {
  const core::StringId32 id(text);
  if (!core::is_printable(text)) diagnostics_.error(place, "a name has control characters in it; expected plain text");
  const auto [found, fresh] = names_.emplace(id, Entry{std::string(text), audience});
  if (!fresh && found->second.text != text)
    diagnostics_.error(place, core::format("'{}' and '{}' have the same hash; expected another name for one of them",
                                           text, found->second.text));
  if (audience == Audience::everyone) found->second.audience = audience;
  return id;
}

std::map<core::StringId32, std::string> NameTable::of(Audience audience) const {
  std::map<core::StringId32, std::string> names;
  for (const auto& [id, entry] : names_)
    if (entry.audience == audience) names.emplace(id, entry.text);
  return names;
}

std::uint64_t StaticTable::add(core::StringId32 type, core::ByteView data, Place place, Audience audience) {
  const std::uint64_t id = static_id(type, data);
  const auto [found, fresh] = statics_.try_emplace(id, Entry{type, {data.begin(), data.end()}, audience});
  const Entry& known = found->second;
  if (!fresh && (known.type != type || !std::ranges::equal(known.data, data)))
    diagnostics_.error(place, "two static resources have the same hash; change one of them a little");
  if (statics_.size() > limits::statics)
    diagnostics_.error(place, core::format("too many static resources; at most {}", limits::statics));
  if (audience == Audience::everyone) found->second.audience = audience;
  return id;
}

std::map<std::uint64_t, Static> StaticTable::of(Audience audience) const {
  std::map<std::uint64_t, Static> statics;
  for (const auto& [id, entry] : statics_)
    if (entry.audience == audience) statics.emplace(id, Static{id, entry.type, entry.data});
  return statics;
}

}  // namespace mobula::resource
