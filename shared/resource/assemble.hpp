// Compiles every component of a scene and sorts the results into columns and prototypes.
#pragma once

#include <mobula/resource/draft.hpp>
#include <mobula/resource/scene.hpp>

namespace mobula::resource {

// Texts by hash, of one file. Two names of one hash are told.
class NameTable {
 public:
  explicit NameTable(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}
  core::StringId32 intern(std::string_view text, Place place);
  [[nodiscard]] const std::map<core::StringId32, std::string>& all() const { return names_; }

 private:
  Diagnostics& diagnostics_;
  std::map<core::StringId32, std::string> names_;
};

// What the parts of one compilation share.
struct Workshop {
  const reflect::Schema& schema;
  Diagnostics& diagnostics;
  NameTable& names;
  std::map<const reflect::Component*, FieldNode> fields;
};

// check_only: whether references lead somewhere is not asked. A prefab that no one spawns by itself may point
// out of itself.
enum class References { resolve, check_only };

// Errors are told.
Draft assemble(const Scene& scene, const Prefabs& prefabs, Workshop& workshop, References references);

}  // namespace mobula::resource
