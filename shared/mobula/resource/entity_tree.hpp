// Paths of the entities of a compiled level or prefab, as written in its source.
#pragma once

#include <mobula/resource/resource.hpp>
#include <string>
#include <vector>

namespace mobula::resource {

class EntityTree {
 public:
  /// Makes the tree of a complete file; a client's copy has no names. The arguments must outlive it. `closed` is set
  /// for prefabs.
  EntityTree(const EntityResource& entities, const Resource& names, bool closed);

  /// Returns the entities at the top of the paths, ascending.
  [[nodiscard]] const std::vector<std::uint32_t>& top() const { return top_; }
  /// Returns the entities directly below one in the paths, ascending.
  [[nodiscard]] const std::vector<std::uint32_t>& children(std::uint32_t entity) const { return children_[entity]; }
  /// Returns whether the entity has a parent that is not part of its path.
  [[nodiscard]] bool attached(std::uint32_t entity) const { return above_[entity] != entities_.parent_index[entity]; }
  /// Returns the last part of the path: "flame", "lane.7".
  [[nodiscard]] std::string name(std::uint32_t entity) const;
  /// Returns the path from one entity to another: "/gate/flame" in a level; "flame", "../flame", "." within a prefab.
  [[nodiscard]] std::string path(std::uint32_t from, std::uint32_t to) const;

 private:
  [[nodiscard]] std::vector<std::uint32_t> line(std::uint32_t entity) const;

  const EntityResource& entities_;
  const Resource& names_;
  bool closed_;
  std::vector<std::uint32_t> above_;  // entity above in the path; no_parent at the top
  std::vector<std::uint32_t> top_;
  std::vector<std::vector<std::uint32_t>> children_;
};

}  // namespace mobula::resource
