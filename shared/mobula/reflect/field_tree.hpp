// Tree of a component's flat fields ("position.x"), as written in JSON.
#pragma once

#include <cstdint>
#include <mobula/reflect/schema.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace mobula::reflect {

struct FieldNode {
  std::string name;
  const Field* field = nullptr;     // null for a struct or an array of structs
  std::uint32_t array_count = 1;    // more than 1 for an array of structs
  std::vector<FieldNode> children;  // by offset; empty unless it is a struct

  /// Returns a child by name; null if there is none.
  [[nodiscard]] const FieldNode* find(std::string_view child) const;
};

/// Builds the tree, which points into the component.
FieldNode field_tree(const Component& component);

}  // namespace mobula::reflect
