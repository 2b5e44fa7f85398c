#include <mobula/reflect/field_tree.hpp>

namespace mobula::reflect {
namespace {

FieldNode& child_of(FieldNode& node, std::string_view name) {
  for (FieldNode& child : node.children)
    if (child.name == name) return child;
  return node.children.emplace_back(FieldNode{std::string(name), nullptr, 1, {}});
}

}  // namespace

const FieldNode* FieldNode::find(std::string_view child) const {
  for (const FieldNode& node : children)
    if (node.name == child) return &node;
  return nullptr;
}

FieldNode field_tree(const Component& component) {
  FieldNode root;
  for (const Field& field : component.fields) {
    FieldNode* node = &root;
    const std::string_view path = field.path;
    std::size_t begin = 0;
    for (std::size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.', begin)) {
      node = &child_of(*node, path.substr(begin, dot - begin));
      if (field.count > 1 && field.array_at == dot) node->array_count = field.count;
      begin = dot + 1;
    }
    child_of(*node, path.substr(begin)).field = &field;
  }
  return root;
}

}  // namespace mobula::reflect
