// Every path of every component type of a schema, with the computed properties that types bring.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <mobula/index/property.hpp>
#include <unordered_map>
#include <vector>

namespace mobula::index {

class PropertyTable {
 public:
  // The schema must live as long.
  explicit PropertyTable(const reflect::Schema& schema);

  // Reasons: "unknown component", "name collision" (with a field or another computed one), "bad property".
  core::Status add(std::string_view component, ComputedProperty property);

  // A path and the element it names, or whole_array. Reasons: "no such property", "out of range".
  struct Found {
    const PropertyNode* node;
    std::uint32_t element;
  };
  [[nodiscard]] core::Result<Found> find(const ecs::Pool& pool, std::string_view path) const;

  // Fields by offset, then what is computed. Structs are not among them: their fields are.
  [[nodiscard]] std::vector<const PropertyNode*> all(core::StringId32 type) const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view path) const { return std::hash<std::string_view>()(path); }
  };
  struct Type {
    const reflect::Component* component;
    reflect::FieldNode tree;
    std::unordered_map<std::string, PropertyNode, Hash, std::equal_to<>> nodes;  // by path
    std::list<ComputedProperty> computed;
  };

  static void add_tree(Type& type, const reflect::FieldNode& tree, const std::string& path);
  static core::Result<Found> find_element(const Type& type, std::string_view path);
  static core::Error unknown(const Type& type, const ecs::Pool& pool, std::string_view path);

  std::unordered_map<core::StringId32, std::unique_ptr<Type>> types_;
};

}  // namespace mobula::index
