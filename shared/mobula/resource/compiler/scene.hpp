// Entities of a level or prefab in a list: parents before children, each with its path. Points into nodes of Prefabs,
// or into those it owns.
#pragma once

#include <deque>
#include <mobula/resource/compiler/prefabs.hpp>
#include <mobula/resource/resource.hpp>
#include <unordered_map>

namespace mobula::resource {

struct SceneEntity {
  std::string name;
  std::uint32_t above = no_parent;   // entity above in its path
  std::uint32_t parent = no_parent;  // differs from `above` if "parent" is given
  const Node* node = nullptr;
  const JsonValue* placed = nullptr;  // components of a placed instance, override the node's
};

class Scene {
 public:
  Scene(Prefabs& prefabs, Diagnostics& diagnostics) : prefabs_(prefabs), diagnostics_(diagnostics) {}

  /// Adds the entities and placements of all documents. Errors go to the diagnostics.
  void add_level(const Sources& sources);
  /// Adds one prefab. Its root has the path ".". No path may lead out of it.
  void add_prefab(const Node& node);

  [[nodiscard]] const std::vector<SceneEntity>& entities() const { return entities_; }
  /// Returns the entity at a path relative to another: "/gate/torch", "../torch", "torch", ".". Reports an error and
  /// returns no_parent if there is none.
  std::uint32_t resolve(std::uint32_t from, const JsonValue& path) const;

 private:
  void add_entities(const JsonValue& entities);
  void add_placement(const JsonValue& placement);
  void add_tree(const Node& node, std::string name, std::uint32_t above, const JsonValue* placed);
  bool has_room(const Node& node, std::size_t copies, Place place);
  void count_lost(std::size_t copies, Place place);
  void attach();
  void check_depths();
  void report_cycle(std::uint32_t first);
  void check_depth(std::uint32_t entity, std::uint32_t depth);
  void sort_by_depth_first();
  std::uint32_t step(std::uint32_t from, std::string_view name, const JsonValue& path) const;
  [[nodiscard]] std::string path_of(std::uint32_t entity) const;
  void index_paths();

  Prefabs& prefabs_;
  Diagnostics& diagnostics_;
  bool closed_ = false;   // true for a prefab, whose paths stay inside
  bool full_ = false;     // the level is full: reported once, nothing more is added
  std::size_t lost_ = 0;  // instances of entities that could not be built
  std::deque<Node> nodes_;
  std::deque<JsonValue> placed_;
  std::vector<SceneEntity> entities_;
  std::unordered_map<std::string, std::uint32_t> by_path_;  // key "above/name"; never iterated
};

}  // namespace mobula::resource
