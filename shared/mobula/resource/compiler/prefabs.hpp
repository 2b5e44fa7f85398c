// Prefabs and entities with their inheritance resolved: a tree of nodes. The JSON of each component stands in layers,
// base prefabs first. Nodes point into the documents, which must outlive them.
#pragma once

#include <map>
#include <mobula/reflect/schema.hpp>
#include <mobula/resource/compiler/component_compiler.hpp>
#include <mobula/resource/compiler/sources.hpp>
#include <mobula/resource/engine_components.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mobula::resource {

/// Checks for the component that the compiler makes from the hierarchy.
bool is_parent_component(const reflect::Component& component);

/// A component type that can be compiled: in the schema, with a registered compiler, or both.
struct CompiledType {
  std::string name;
  const reflect::Component* component = nullptr;
  const ComponentCompiler* compiler = nullptr;  // null for compile_fields
};

struct ComponentNode {
  std::string_view name;  // name of the instance
  const CompiledType* type = nullptr;
  Place place;
  std::vector<const JsonValue*> layers;
};

struct Node {
  std::string name;
  Place place;
  std::vector<ComponentNode> components;
  std::vector<Node> children;
  std::uint32_t total = 1;            // number of entities in the tree
  std::uint32_t depth = 1;            // number of levels of the tree
  const JsonValue* parent = nullptr;  // "parent" of a top-level entity: a path
  bool server_only = false;           // with all its descendants
};

class Prefabs {
 public:
  Prefabs(const Sources& sources, const reflect::Schema& schema, const CompilerTable& compilers,
          Diagnostics& diagnostics);

  /// Checks the number of nodes in the sources before any is built. Reports an error if it exceeds the limit.
  bool fit(const Sources& sources);
  /// Returns a prefab. Reports an error at `place` and returns null for an unknown or wrong one.
  const Node* find(const std::string& name, Place place);
  /// Returns the JSON of a prefab of names().
  [[nodiscard]] const JsonValue& source(const std::string& name) const { return prefabs_.at(name).source->value; }
  /// Returns all names, sorted, with whether the prefab may be spawned at run time.
  [[nodiscard]] std::vector<std::pair<std::string, bool>> names() const;
  /// Builds a top-level entity or placement. `known` lists the members that it may have.
  std::optional<Node> build_top(std::string name, Place place, const JsonValue& value,
                                std::span<const std::string_view> known);
  /// Returns a component type. Null if it cannot be compiled.
  [[nodiscard]] const CompiledType* find_type(std::string_view name) const;

 private:
  struct Entry {
    const JsonMember* source = nullptr;
    enum class State { untouched, open, done } state = State::untouched;
    bool spawnable = false;
    std::optional<Node> node;
    std::optional<std::uint64_t> count;  // computed by fit()
  };

  void collect(const JsonValue& prefabs);
  std::uint64_t count(const JsonValue& value, bool changes, std::uint32_t depth);
  std::uint64_t count_prefab(const std::string& name, std::uint32_t depth);
  bool overlay(Node& node, const JsonValue& value, std::uint32_t depth);
  void overlay_components(Node& node, const JsonValue& components);
  void overlay_component(Node& node, const JsonMember& member);
  void remove_component(Node& node, const JsonMember& member);
  bool overlay_children(Node& node, const JsonValue& children, std::uint32_t depth);
  std::optional<Node> build(std::string name, Place place, const JsonValue& value, std::uint32_t depth);
  const CompiledType* type_of(const JsonMember& member);
  bool count_nodes(std::uint32_t more, Place place);

  Diagnostics& diagnostics_;
  std::map<std::string, CompiledType, std::less<>> types_;
  std::map<std::string, Entry> prefabs_;
  std::vector<std::string> open_;  // prefabs that are being built
  std::uint64_t nodes_ = 0;
};

/// Checks that the text can be an element of a path. Reports an error if not.
bool check_name(std::string_view name, Place place, Diagnostics& diagnostics);

}  // namespace mobula::resource
