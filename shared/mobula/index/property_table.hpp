// Table of all paths of all component types of a schema, computed properties included.
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
  /// The schema must outlive this.
  explicit PropertyTable(const reflect::Schema& schema);

  /// Adds a computed property. Errors: "unknown component", "name collision" (with a field or another computed
  /// property), "bad property".
  core::Status add(std::string_view component, ComputedProperty property);

  /// A path, and its element or whole_array.
  struct Found {
    const PropertyNode* node;
    std::uint32_t element;
  };
  /// Finds a path of a pool's components. Errors: "no such property", "out of range".
  [[nodiscard]] core::Result<Found> find(const ecs::Pool& pool, std::string_view path) const;

  /// Returns fields by offset, then computed properties. Structs appear as their fields.
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
