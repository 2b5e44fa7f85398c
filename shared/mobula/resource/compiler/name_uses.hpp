// Which names of a file follow from what is written of it, and for whom: the others have to be listed.
#pragma once

#include <mobula/resource/resource.hpp>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace mobula::resource {

class NameUses {
 public:
  // Both must live as long.
  NameUses(const Resource& whole, const Resource& clients);

  // The text, if the part of the file that is for them has it.
  [[nodiscard]] std::optional<std::string_view> find(core::StringId32 id, Audience audience) const;
  // Says that what is written brings the name into that part.
  void use(core::StringId32 id, Audience audience);

  struct Unused {
    std::string_view text;
    Audience audience;
    auto operator<=>(const Unused&) const = default;
  };
  // Names that the file has where no use brings them, sorted.
  [[nodiscard]] std::vector<Unused> unused() const;

 private:
  struct Name {
    std::string_view text;
    Audience in_file = Audience::everyone;
    std::optional<Audience> used;
  };

  std::unordered_map<core::StringId32, Name> names_;
};

}  // namespace mobula::resource
