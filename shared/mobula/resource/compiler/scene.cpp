#include <algorithm>
#include <array>
#include <mobula/core/format.hpp>
#include <mobula/resource/compiler/placements.hpp>
#include <mobula/resource/compiler/scene.hpp>
#include <mobula/resource/limits.hpp>

namespace mobula::resource {
namespace {

using Kind = JsonValue::Kind;

constexpr std::array<std::string_view, 5> entity_members{"prefab", "components", "children", "parent", "server_only"};
constexpr std::array<std::string_view, 10> placement_members{
    "prefab", "name", "components", "children", "parent", "server_only", "at", "grid", "scatter", "position_to"};

std::string path_key(std::uint32_t above, std::string_view name) { return core::format("{}/{}", above, name); }

}  // namespace

void Scene::add_level(const Sources& sources) {
  for (const std::unique_ptr<JsonValue>& document : sources.documents) {
    if (const JsonValue* entities = document->find("entities")) add_entities(*entities);
    const JsonValue* placements = document->find("placements");
    if (placements == nullptr || placements->kind != Kind::array) continue;
    for (const JsonValue& placement : placements->items)
      if (expect(placement, Kind::object, "a placement", diagnostics_)) add_placement(placement);
  }
  index_paths();
  attach();
  sort_by_depth_first();
}

void Scene::add_prefab(const Node& node) {
  closed_ = true;
  if (!has_room(node, 1, node.place)) return;
  add_tree(node, ".", no_parent, nullptr);
  index_paths();
}

void Scene::add_entities(const JsonValue& entities) {
  for (const JsonMember& member : entities.members) {
    if (full_) return;
    if (!check_name(member.name, member.place, diagnostics_) ||
        !expect(member.value, Kind::object, member.name, diagnostics_))
      continue;
    std::optional<Node> node = prefabs_.build_top(member.name, member.place, member.value, entity_members);
    if (!node || !has_room(*node, 1, member.place)) continue;
    node->parent = member.value.find("parent");
    nodes_.push_back(std::move(*node));
    add_tree(nodes_.back(), member.name, no_parent, nullptr);
  }
}

void Scene::add_placement(const JsonValue& placement) {
  if (full_) return;
  const JsonValue* name = placement.find("name");
  if (name == nullptr || placement.find("prefab") == nullptr)
    return diagnostics_.error(placement.place, "a placement without name or prefab; expected both");
  if (!expect(*name, Kind::string, "name", diagnostics_) || !check_name(name->text, name->place, diagnostics_)) return;
  if (prefabs_.find_type(transform_component) == nullptr)
    return diagnostics_.error(placement.place, "placements need a component Transform in the schema");
  std::optional<Node> node = prefabs_.build_top(name->text, placement.place, placement, placement_members);
  std::vector<JsonValue> instances = expand_placement(placement, diagnostics_);
  if (!node) return count_lost(instances.size(), placement.place);
  if (!has_room(*node, instances.size(), placement.place)) return;
  node->place = name->place;
  node->parent = placement.find("parent");
  nodes_.push_back(std::move(*node));
  for (std::size_t i = 0; i < instances.size(); ++i) {
    placed_.push_back(std::move(instances[i]));
    add_tree(nodes_.back(), core::format("{}.{}", name->text, i), no_parent, &placed_.back());
  }
}

bool Scene::has_room(const Node& node, std::size_t copies, Place place) {
  if (lost_ + entities_.size() + node.total * copies <= limits::entities) return true;
  if (!full_) diagnostics_.error(place, core::format("too many entities; at most {}", limits::entities));
  full_ = true;
  return false;
}

// Counts instances of a node that could not be built. Otherwise each placement of it could request a full level.
void Scene::count_lost(std::size_t copies, Place place) {
  lost_ += copies;
  has_room({}, 0, place);
}

void Scene::add_tree(const Node& node, std::string name, std::uint32_t above, const JsonValue* placed) {
  const auto index = static_cast<std::uint32_t>(entities_.size());
  entities_.push_back({std::move(name), above, above, &node, placed});
  for (const Node& child : node.children) add_tree(child, child.name, index, nullptr);
}

void Scene::index_paths() {
  by_path_.clear();
  for (std::uint32_t i = 0; i < entities_.size(); ++i) {
    const SceneEntity& entity = entities_[i];
    const auto [first, fresh] = by_path_.emplace(path_key(entity.above, entity.name), i);
    if (fresh) continue;
    diagnostics_.error(entity.node->place, [&, at = entities_[first->second].node->place] {
      return core::format("entity '{}' is defined twice (first at {}); names must be unique", entity.name,
                          diagnostics_.describe(at));
    });
  }
}

// Resolves "parent" paths. Only top-level entities have them.
void Scene::attach() {
  for (std::uint32_t i = 0; i < entities_.size(); ++i) {
    const JsonValue* parent = entities_[i].node->parent;
    if (parent != nullptr && entities_[i].above == no_parent) entities_[i].parent = resolve(i, *parent);
  }
  check_depths();
}

// Computes each entity's depth from its parent's. Visits each chain of parents once, however long it is.
void Scene::check_depths() {
  static constexpr std::uint32_t unknown = 0;
  static constexpr std::uint32_t open = ~0u;    // on the current chain
  static constexpr std::uint32_t cyclic = ~1u;  // in a cycle, or below one
  std::vector<std::uint32_t> depths(entities_.size(), unknown);
  std::vector<std::uint32_t> line;
  for (std::uint32_t i = 0; i < entities_.size(); ++i) {
    std::uint32_t at = i;
    for (; at != no_parent && depths[at] == unknown; at = entities_[at].parent) {
      depths[at] = open;
      line.push_back(at);
    }
    std::uint32_t depth = at == no_parent ? 0 : depths[at];
    if (depth == open) {
      report_cycle(at);
      depth = cyclic;
    }
    for (; !line.empty(); line.pop_back()) {
      depths[line.back()] = depth == cyclic ? cyclic : ++depth;
      if (depth != cyclic) check_depth(line.back(), depth);
    }
  }
}

void Scene::report_cycle(std::uint32_t first) {
  std::uint32_t at = first;
  do {
    const Node& node = *entities_[at].node;
    diagnostics_.error(node.parent != nullptr ? node.parent->place : node.place,
                       core::format("parents form a cycle: {} is its own ancestor", path_of(at)));
    at = entities_[at].parent;
  } while (at != first);
}

void Scene::check_depth(std::uint32_t entity, std::uint32_t depth) {
  if (depth > limits::hierarchy_depth)
    diagnostics_.error(entities_[entity].node->place,
                       core::format("nested too deep; at most {} levels", limits::hierarchy_depth));
}

// Sorts depth first, so that parents precede children and families are contiguous. Children keep the order written,
// followed by those attached by a path.
void Scene::sort_by_depth_first() {
  if (diagnostics_.failed()) return;  // parents may form cycles, and nothing will be written
  const auto count = static_cast<std::uint32_t>(entities_.size());
  std::vector<std::vector<std::uint32_t>> children(count);
  std::vector<std::uint32_t> open;
  for (const bool attached : {true, false}) {
    for (std::uint32_t i = count; i-- > 0;) {
      const SceneEntity& entity = entities_[i];
      if (entity.parent == no_parent && !attached) open.push_back(i);
      if (entity.parent != no_parent && attached == (entity.above == no_parent)) children[entity.parent].push_back(i);
    }
  }
  std::vector<std::uint32_t> order;  // old indices
  while (!open.empty()) {
    const std::uint32_t next = open.back();
    open.pop_back();
    order.push_back(next);
    open.insert(open.end(), children[next].begin(), children[next].end());
  }
  std::vector<std::uint32_t> new_index(count);
  for (std::uint32_t i = 0; i < count; ++i) new_index[order[i]] = i;
  std::vector<SceneEntity> sorted;
  sorted.reserve(count);
  for (const std::uint32_t old : order) {
    SceneEntity& entity = sorted.emplace_back(std::move(entities_[old]));
    if (entity.above != no_parent) entity.above = new_index[entity.above];
    if (entity.parent != no_parent) entity.parent = new_index[entity.parent];
  }
  entities_ = std::move(sorted);
  index_paths();
}

std::string Scene::path_of(std::uint32_t entity) const {
  std::string path;
  for (; entity != no_parent; entity = entities_[entity].above) path.insert(0, "/" + entities_[entity].name);
  return path.empty() ? "/" : path;
}

std::uint32_t Scene::step(std::uint32_t from, std::string_view name, const JsonValue& path) const {
  const auto found = by_path_.find(path_key(from, name));
  if (found != by_path_.end()) return found->second;
  diagnostics_.error(path.place, [&] {
    std::vector<std::string_view> known;
    for (const SceneEntity& entity : entities_)
      if (entity.above == from) known.push_back(entity.name);
    return core::format("'{}' leads nowhere: there is no '{}' in {}{}", path.text, name, path_of(from),
                        did_you_mean(name, known));
  });
  return no_parent;
}

std::uint32_t Scene::resolve(std::uint32_t from, const JsonValue& path) const {
  if (!expect(path, Kind::string, "an entity's path", diagnostics_)) return no_parent;
  std::string_view left = path.text;
  std::uint32_t at = left.empty() ? no_parent : from;
  if (left.starts_with('/')) {
    if (closed_) {
      diagnostics_.error(path.place,
                         core::format("'{}' leads out of a spawnable prefab; expected a path within it", path.text));
      return no_parent;
    }
    at = no_parent;
    left.remove_prefix(1);
  }
  while (!left.empty()) {
    const std::size_t slash = left.find('/');
    const std::string_view name = left.substr(0, slash);
    left.remove_prefix(slash == std::string_view::npos ? left.size() : slash + 1);
    if (name == ".") continue;
    if (name == "..") {
      if (at == no_parent || (closed_ && entities_[at].above == no_parent)) {
        diagnostics_.error(path.place,
                           core::format("'{}' leads out of the {}", path.text, closed_ ? "prefab" : "level"));
        return no_parent;
      }
      at = entities_[at].above;
    } else {
      at = step(at, name, path);
      if (at == no_parent) return no_parent;
    }
  }
  if (at == no_parent) diagnostics_.error(path.place, core::format("'{}' leads to no entity", path.text));
  return at;
}

}  // namespace mobula::resource
