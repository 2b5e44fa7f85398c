#include <algorithm>
#include <array>
#include <mobula/core/format.hpp>
#include <mobula/resource/compiler/prefabs.hpp>
#include <mobula/resource/limits.hpp>
#include <unordered_map>

namespace mobula::resource {
namespace {

using Kind = JsonValue::Kind;

constexpr std::array<std::string_view, 6> prefab_members{"prefab",   "spawnable",   "components",
                                                         "children", "server_only", "columns"};
constexpr std::array<std::string_view, 4> child_members{"prefab", "components", "children", "server_only"};

// Updates total and depth from the children.
void measure(Node& node) {
  node.total = 1;
  node.depth = 1;
  for (const Node& child : node.children) {
    node.total += child.total;
    node.depth = std::max(node.depth, child.depth + 1);
  }
}

std::string too_many_nodes() {
  return core::format("too many entities in prefabs: more than {}", limits::authored_nodes);
}

template <class Map>
std::vector<std::string_view> keys_of(const Map& map) {
  std::vector<std::string_view> keys;
  for (const auto& [key, value] : map) keys.push_back(key);
  return keys;
}

}  // namespace

bool is_parent_component(const reflect::Component& component) {
  return component.name == parent_component && std::ranges::find(component.fields, reflect::FieldKind::entity,
                                                                 &reflect::Field::kind) != component.fields.end();
}

bool check_name(std::string_view name, Place place, Diagnostics& diagnostics) {
  if (!name.empty() && name != "." && name != ".." && name.find('/') == std::string_view::npos &&
      name.size() <= limits::name_bytes)
    return true;
  diagnostics.error(place, core::format("'{}' cannot be a name; expected 1 to {} bytes without '/', not '.' or '..'",
                                        name, limits::name_bytes));
  return false;
}

Prefabs::Prefabs(const Sources& sources, const reflect::Schema& schema, const CompilerTable& compilers,
                 Diagnostics& diagnostics)
    : diagnostics_(diagnostics) {
  for (const reflect::Component& component : schema.components())
    types_[component.name] = {component.name, &component, nullptr};
  for (const auto& [name, compiler] : compilers.all()) {
    CompiledType& type = types_[name];
    type.name = name;
    type.compiler = &compiler;
  }
  for (const std::unique_ptr<JsonValue>& document : sources.documents)
    if (const JsonValue* prefabs = document->find("prefabs")) collect(*prefabs);
}

void Prefabs::collect(const JsonValue& prefabs) {
  for (const JsonMember& member : prefabs.members) {
    check_name(member.name, member.place, diagnostics_);
    if (!expect(member.value, Kind::object, member.name, diagnostics_)) continue;
    refuse_unknown_members(member.value, prefab_members, diagnostics_);
    Entry& entry = prefabs_[member.name];
    if (entry.source != nullptr) {
      if (entry.source->place.file == member.place.file) continue;  // reported as a duplicate name
      diagnostics_.error(member.place, [&] {
        return core::format("prefab '{}' is defined twice (first at {}); names must be unique", member.name,
                            diagnostics_.describe(entry.source->place));
      });
      continue;
    }
    entry.source = &member;
    if (const JsonValue* spawnable = member.value.find("spawnable"))
      entry.spawnable = expect(*spawnable, Kind::boolean, "spawnable", diagnostics_) && spawnable->boolean;
  }
}

std::vector<std::pair<std::string, bool>> Prefabs::names() const {
  std::vector<std::pair<std::string, bool>> names;
  for (const auto& [name, entry] : prefabs_)
    if (entry.source != nullptr) names.emplace_back(name, entry.spawnable);
  return names;
}

const CompiledType* Prefabs::find_type(std::string_view name) const {
  const auto found = types_.find(name);
  return found == types_.end() ? nullptr : &found->second;
}

const Node* Prefabs::find(const std::string& name, Place place) {
  const auto found = prefabs_.find(name);
  if (found == prefabs_.end()) {
    diagnostics_.error(
        place, [&] { return core::format("there is no prefab '{}'{}", name, did_you_mean(name, keys_of(prefabs_))); });
    return nullptr;
  }
  Entry& entry = found->second;
  if (entry.source == nullptr) return nullptr;  // not an object, already reported
  if (entry.state == Entry::State::open) {
    std::vector<std::string> circle(std::find(open_.begin(), open_.end(), name), open_.end());
    circle.push_back(name);
    diagnostics_.error(place, core::format("prefabs form a cycle: {}", fmt::join(circle, " -> ")));
    return nullptr;
  }
  if (entry.state == Entry::State::untouched) {
    if (open_.size() == limits::prefab_depth) {
      diagnostics_.error(place, core::format("prefabs are nested too deep; at most {} levels", limits::prefab_depth));
      return nullptr;
    }
    entry.state = Entry::State::open;
    open_.push_back(name);
    entry.node = build(name, entry.source->place, entry.source->value, 1);
    open_.pop_back();
    entry.state = Entry::State::done;
  }
  return entry.node ? &*entry.node : nullptr;
}

std::optional<Node> Prefabs::build_top(std::string name, Place place, const JsonValue& value,
                                       std::span<const std::string_view> known) {
  refuse_unknown_members(value, known, diagnostics_);
  return build(std::move(name), place, value, 1);
}

std::optional<Node> Prefabs::build(std::string name, Place place, const JsonValue& value, std::uint32_t depth) {
  Node node;
  if (const JsonValue* prefab = value.find("prefab")) {
    if (!expect(*prefab, Kind::string, "prefab", diagnostics_)) return std::nullopt;
    const Node* base = find(prefab->text, prefab->place);
    if (base == nullptr || !count_nodes(base->total, prefab->place)) return std::nullopt;
    if (base->depth + depth - 1 > limits::hierarchy_depth) {
      diagnostics_.error(prefab->place, core::format("nested too deep; at most {} levels", limits::hierarchy_depth));
      return std::nullopt;
    }
    node = *base;
  } else if (!count_nodes(1, place)) {
    return std::nullopt;
  }
  node.name = std::move(name);
  node.place = place;
  if (!overlay(node, value, depth)) return std::nullopt;
  return node;
}

bool Prefabs::count_nodes(std::uint32_t more, Place place) {
  const bool reported = nodes_ > limits::authored_nodes;
  nodes_ += more;
  if (nodes_ <= limits::authored_nodes) return true;
  if (!reported) diagnostics_.error(place, too_many_nodes());
  return false;
}

bool Prefabs::fit(const Sources& sources) {
  std::uint64_t nodes = 0;
  const auto take = [&](const JsonValue& value, Place place) {
    nodes += count(value, false, 0);
    if (nodes > limits::authored_nodes) diagnostics_.error(place, too_many_nodes());
    return nodes <= limits::authored_nodes;
  };
  for (const std::unique_ptr<JsonValue>& document : sources.documents) {
    for (const std::string_view part : {"prefabs", "entities", "placements"}) {
      const JsonValue* all = document->find(part);
      if (all == nullptr) continue;
      for (const JsonMember& member : all->members)
        if (!take(member.value, member.place)) return false;
      for (const JsonValue& item : all->items)
        if (!take(item, item.place)) return false;
    }
  }
  return true;
}

// Returns the minimum number of nodes that are built for the value. With `changes`, a value without a prefab of its own
// may change an inherited node instead of making one, so it does not count. count_nodes() counts the rest.
std::uint64_t Prefabs::count(const JsonValue& value, bool changes, std::uint32_t depth) {
  std::uint64_t total = changes ? 0 : 1;
  if (const JsonValue* prefab = value.find("prefab")) {
    total = count_prefab(prefab->text, depth);
    changes = true;
  }
  const JsonValue* children = value.find("children");
  if (children == nullptr) return total;
  for (const JsonMember& child : children->members)
    total = std::min<std::uint64_t>(total + count(child.value, changes, depth), limits::authored_nodes + 1);
  return total;
}

// Cycles and prefabs that are nested too deep, which find() reports, count as 0.
std::uint64_t Prefabs::count_prefab(const std::string& name, std::uint32_t depth) {
  const auto found = prefabs_.find(name);
  if (found == prefabs_.end() || found->second.source == nullptr || depth == limits::prefab_depth) return 0;
  Entry& entry = found->second;
  if (!entry.count) {
    entry.count = 0;
    entry.count = count(entry.source->value, false, depth + 1);
  }
  return *entry.count;
}

bool Prefabs::overlay(Node& node, const JsonValue& value, std::uint32_t depth) {
  if (const JsonValue* hidden = value.find("server_only"))
    node.server_only = expect(*hidden, Kind::boolean, "server_only", diagnostics_) && hidden->boolean;
  const JsonValue* components = value.find("components");
  if (components != nullptr && expect(*components, Kind::object, "components", diagnostics_))
    overlay_components(node, *components);
  bool good = true;
  const JsonValue* children = value.find("children");
  if (children != nullptr && expect(*children, Kind::object, "children", diagnostics_))
    good = overlay_children(node, *children, depth + 1);
  measure(node);
  return good;
}

void Prefabs::overlay_components(Node& node, const JsonValue& components) {
  for (const JsonMember& member : components.members) {
    // Each component has a column. Checked here, so that later loops over an entity's components are short.
    if (node.components.size() > limits::columns)
      return diagnostics_.error(member.place, core::format("too many components; at most {}", limits::columns));
    if (!check_name(member.name, member.place, diagnostics_)) continue;
    if (member.value.kind == Kind::null) {
      remove_component(node, member);
    } else if (expect(member.value, Kind::object, member.name, diagnostics_)) {
      overlay_component(node, member);
    }
  }
}

void Prefabs::remove_component(Node& node, const JsonMember& member) {
  if (std::erase_if(node.components, [&](const ComponentNode& each) { return each.name == member.name; }) > 0) return;
  diagnostics_.error(member.value.place,
                     core::format("'{}' is null; expected an object, as there is no inherited '{}' to remove",
                                  member.name, member.name));
}

void Prefabs::overlay_component(Node& node, const JsonMember& member) {
  const auto inherited = std::find_if(node.components.begin(), node.components.end(),
                                      [&](const ComponentNode& each) { return each.name == member.name; });
  if (inherited == node.components.end()) {
    if (const CompiledType* type = type_of(member))
      node.components.push_back({member.name, type, member.place, {&member.value}});
    return;
  }
  if (const JsonValue* type = member.value.find(type_member); type != nullptr && type->text != inherited->type->name) {
    return diagnostics_.error(type->place, core::format("'{}' is a {} in the prefab; expected that type or none",
                                                        member.name, inherited->type->name));
  }
  inherited->layers.push_back(&member.value);
}

const CompiledType* Prefabs::type_of(const JsonMember& member) {
  std::string_view name = member.name;
  Place place = member.place;
  if (const JsonValue* type = member.value.find(type_member)) {
    if (!expect(*type, Kind::string, "$type", diagnostics_)) return nullptr;
    name = type->text;
    place = type->place;
  }
  const CompiledType* found = find_type(name);
  if (name == parent_component) {
    diagnostics_.error(place,
                       "'Parent' follows from where an entity stands; expected it among the parent's \"children\", "
                       "or \"parent\" with a path");
    return nullptr;
  }
  if (found == nullptr) {
    diagnostics_.error(place, [&] {
      return core::format("'{}' is not a component{}; expected one of the schema's, or a name with \"$type\"", name,
                          did_you_mean(name, keys_of(types_)));
    });
  } else if (name != member.name && find_type(member.name) != nullptr) {
    diagnostics_.error(member.place,
                       core::format("'{}' is a component itself; expected another name for a {}", member.name, name));
    return nullptr;
  }
  return found;
}

bool Prefabs::overlay_children(Node& node, const JsonValue& children, std::uint32_t depth) {
  bool good = true;
  // Reserves first: the names that the map points to must not move.
  node.children.reserve(node.children.size() + children.members.size());
  std::unordered_map<std::string_view, Node*> by_name;
  for (Node& child : node.children) by_name.emplace(child.name, &child);
  for (const JsonMember& member : children.members) {
    if (!check_name(member.name, member.place, diagnostics_) ||
        !expect(member.value, Kind::object, member.name, diagnostics_))
      continue;
    if (depth > limits::hierarchy_depth) {
      diagnostics_.error(member.place, core::format("nested too deep; at most {} levels", limits::hierarchy_depth));
      return false;
    }
    refuse_unknown_members(member.value, child_members, diagnostics_);
    const auto inherited = by_name.find(member.name);
    if (inherited == by_name.end()) {
      std::optional<Node> child = build(member.name, member.place, member.value, depth);
      good = good && child.has_value();
      if (child) by_name.emplace(member.name, &node.children.emplace_back(std::move(*child)));
    } else if (const JsonValue* prefab = member.value.find("prefab")) {
      diagnostics_.error(prefab->place,
                         core::format("child '{}' comes from a prefab; expected no other prefab for it", member.name));
    } else {
      good = overlay(*inherited->second, member.value, depth) && good;
    }
  }
  return good;
}

}  // namespace mobula::resource
