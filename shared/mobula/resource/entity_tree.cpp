#include <algorithm>
#include <mobula/core/format.hpp>
#include <mobula/resource/entity_tree.hpp>

namespace mobula::resource {

EntityTree::EntityTree(const EntityResource& entities, const Resource& names, bool closed)
    : entities_(entities),
      names_(names),
      closed_(closed),
      above_(entities.parent_index.begin(), entities.parent_index.end()),
      children_(entities.num_entities) {
  for (const std::uint32_t entity : entities.attached) above_[entity] = no_parent;
  for (std::uint32_t i = 0; i < above_.size(); ++i) (above_[i] == no_parent ? top_ : children_[above_[i]]).push_back(i);
}

std::string EntityTree::name(std::uint32_t entity) const {
  const EntityName& name = entities_.names[entity];
  const std::string_view text = names_.name_of(name.name);
  return name.number == 0 ? std::string(text) : core::format("{}.{}", text, name.number - 1);
}

// Returns the entities from the top down to this one, at most limits::hierarchy_depth.
std::vector<std::uint32_t> EntityTree::line(std::uint32_t entity) const {
  std::vector<std::uint32_t> line;
  for (; entity != no_parent; entity = above_[entity]) line.push_back(entity);
  std::ranges::reverse(line);
  return line;
}

std::string EntityTree::path(std::uint32_t from, std::uint32_t to) const {
  const std::vector<std::uint32_t> target = line(to);
  std::string path;
  if (!closed_) {
    for (const std::uint32_t step : target) path += "/" + name(step);
    return path;
  }
  const std::vector<std::uint32_t> start = line(from);
  const auto [up, down] = std::ranges::mismatch(start, target);
  for (auto step = up; step != start.end(); ++step) path += path.empty() ? ".." : "/..";
  for (auto step = down; step != target.end(); ++step) path += (path.empty() ? "" : "/") + name(*step);
  return path.empty() ? "." : path;
}

}  // namespace mobula::resource
