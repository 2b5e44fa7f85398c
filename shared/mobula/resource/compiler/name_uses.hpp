// Names of a file that its JSON brings in, and for which part. The remaining names have to be listed.
#pragma once

#include <mobula/resource/resource.hpp>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace mobula::resource {

class NameUses {
 public:
  /// Both must outlive this.
  NameUses(const Resource& whole, const Resource& clients);

  /// Returns the text if the part of the file for `audience` has it.
  [[nodiscard]] std::optional<std::string_view> find(core::StringId32 id, Audience audience) const;
  /// Records that the JSON brings the name into that part.
  void use(core::StringId32 id, Audience audience);

  struct Unused {
    std::string_view text;
    Audience audience;
    auto operator<=>(const Unused&) const = default;
  };
  /// Returns names of the file that no use brings in, sorted.
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
