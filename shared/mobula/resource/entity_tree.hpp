// The entities of a compiled level or prefab by their names: the tree of paths that they were written as.
#pragma once

#include <mobula/resource/resource.hpp>
#include <string>
#include <vector>

namespace mobula::resource {

class EntityTree {
 public:
  // Of a whole file: a client's copy has no names. All must live as long. `closed`: a prefab.
  EntityTree(const EntityResource& entities, const Resource& names, bool closed);

  // At the top of the paths, rising.
  [[nodiscard]] const std::vector<std::uint32_t>& top() const { return top_; }
  // Whose paths go through the entity, rising.
  [[nodiscard]] const std::vector<std::uint32_t>& children(std::uint32_t entity) const { return children_[entity]; }
  // Whether the entity hangs below another though its path does not go through it.
  [[nodiscard]] bool attached(std::uint32_t entity) const { return above_[entity] != entities_.parent_index[entity]; }
  // "flame", "lane.7".
  [[nodiscard]] std::string name(std::uint32_t entity) const;
  // From anywhere in a level: "/gate/flame". Within a prefab "flame", "../flame", ".".
  [[nodiscard]] std::string path(std::uint32_t from, std::uint32_t to) const;

 private:
  [[nodiscard]] std::vector<std::uint32_t> line(std::uint32_t entity) const;

  const EntityResource& entities_;
  const Resource& names_;
  bool closed_;
  std::vector<std::uint32_t> above_;  // what the path goes through; no_parent at the top
  std::vector<std::uint32_t> top_;
  std::vector<std::vector<std::uint32_t>> children_;
};

}  // namespace mobula::resource
