// Prefabs and entities as they are written, with what they inherit put in: a tree of nodes, each with
// components whose JSON stands in layers, base prefabs first.
// Nodes point into the documents, which must outlive them.
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

// Whether it is the component that the compiler makes of the hierarchy.
bool tells_parents(const reflect::Component& component);

// A component type that can be compiled: of the schema, or of a compiler of its own, or both.
struct CompiledType {
  std::string name;
  const reflect::Component* component = nullptr;
  const ComponentCompiler* compiler = nullptr;  // null: compile_fields
};

struct ComponentNode {
  std::string_view name;  // of the instance
  const CompiledType* type = nullptr;
  Place place;
  std::vector<const JsonValue*> layers;
};

struct Node {
  std::string name;
  Place place;
  std::vector<ComponentNode> components;
  std::vector<Node> children;
  std::uint32_t total = 1;            // entities of the tree
  std::uint32_t depth = 1;            // levels of the tree
  const JsonValue* parent = nullptr;  // "parent": a path; of entities at the top
  bool server_only = false;           // with all that hangs below it
};

class Prefabs {
 public:
  Prefabs(const Sources& sources, const reflect::Schema& schema, const CompilerTable& compilers,
          Diagnostics& diagnostics);

  // Whether all nodes of the sources are few enough to be built; if not, that is told once. Builds nothing.
  bool fit(const Sources& sources);
  // Null, with an error told at `place`, for an unknown or wrong prefab.
  const Node* find(const std::string& name, Place place);
  // The JSON of a prefab that names() has.
  [[nodiscard]] const JsonValue& source(const std::string& name) const { return prefabs_.at(name).source->value; }
  // All names, sorted, with whether the prefab may be spawned at run time.
  [[nodiscard]] std::vector<std::pair<std::string, bool>> names() const;
  // An entity or placement at the top. `known`: the members that it may have.
  std::optional<Node> build_top(std::string name, Place place, const JsonValue& value,
                                std::span<const std::string_view> known);
  // Null if no such component can be compiled.
  [[nodiscard]] const CompiledType* find_type(std::string_view name) const;

 private:
  struct Entry {
    const JsonMember* source = nullptr;
    enum class State { untouched, open, done } state = State::untouched;
    bool spawnable = false;
    std::optional<Node> node;
    std::optional<std::uint64_t> count;  // as fit() finds it
  };

  void collect(const JsonValue& prefabs);
  std::uint64_t count(const JsonValue& value, bool changes, std::uint32_t depth);
  std::uint64_t count_prefab(const std::string& name, std::uint32_t depth);
  bool overlay(Node& node, const JsonValue& value, std::uint32_t depth);
  void overlay_components(Node& node, const JsonValue& components);
  void overlay_component(Node& node, const JsonMember& member);
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

// Whether the text can be a step of a path; if not, that is told.
bool check_name(std::string_view name, Place place, Diagnostics& diagnostics);

}  // namespace mobula::resource
