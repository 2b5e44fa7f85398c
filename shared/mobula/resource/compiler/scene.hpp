// The entities of a level or prefab one by one: parents before children, each with its path.
// Points into nodes of Prefabs, or into those it owns.
#pragma once

#include <deque>
#include <mobula/resource/compiler/prefabs.hpp>
#include <mobula/resource/resource.hpp>
#include <unordered_map>

namespace mobula::resource {

struct SceneEntity {
  std::string name;
  std::uint32_t above = no_parent;   // what its path goes through
  std::uint32_t parent = no_parent;  // differs from `above` where "parent" is given
  const Node* node = nullptr;
  const JsonValue* placed = nullptr;  // of a placed instance: components that go over the node's
};

class Scene {
 public:
  Scene(Prefabs& prefabs, Diagnostics& diagnostics) : prefabs_(prefabs), diagnostics_(diagnostics) {}

  // The entities and placements of all documents. Errors are told.
  void add_level(const Sources& sources);
  // One prefab, whose root has the path ".", and from which no path leads out.
  void add_prefab(const Node& node);

  [[nodiscard]] const std::vector<SceneEntity>& entities() const { return entities_; }
  // The entity that a path leads to from another: "/gate/torch", "../torch", "torch", ".". no_parent, with an
  // error told, if it leads nowhere.
  std::uint32_t resolve(std::uint32_t from, const JsonValue& path) const;

 private:
  void add_entities(const JsonValue& entities);
  void add_placement(const JsonValue& placement);
  void add_tree(const Node& node, std::string name, std::uint32_t above, const JsonValue* placed);
  bool has_room(const Node& node, std::size_t copies, Place place);
  void lose(std::size_t copies, Place place);
  void attach();
  void check_depths();
  void tell_circle(std::uint32_t first);
  void check_depth(std::uint32_t entity, std::uint32_t depth);
  void sort_by_depth_first();
  std::uint32_t step(std::uint32_t from, std::string_view name, const JsonValue& path) const;
  [[nodiscard]] std::string path_of(std::uint32_t entity) const;
  void index_paths();

  Prefabs& prefabs_;
  Diagnostics& diagnostics_;
  bool closed_ = false;   // a prefab: paths stay inside
  bool full_ = false;     // told once; nothing more is added
  std::size_t lost_ = 0;  // instances of what could not be built
  std::deque<Node> nodes_;
  std::deque<JsonValue> placed_;
  std::vector<SceneEntity> entities_;
  std::unordered_map<std::string, std::uint32_t> by_path_;  // "above/name": looked up, never iterated
};

}  // namespace mobula::resource
