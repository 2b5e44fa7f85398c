#include <algorithm>
#include <mobula/resource/field_tree.hpp>

namespace mobula::resource {
namespace {

FieldNode& child_of(FieldNode& node, std::string_view name) {
  for (FieldNode& child : node.children)
    if (child.name == name) return child;
  return node.children.emplace_back(FieldNode{std::string(name), nullptr, 1, {}});
}

void collect(const FieldNode& node, std::vector<const reflect::Field*>& leaves) {
  if (node.field != nullptr) leaves.push_back(node.field);
  for (const FieldNode& child : node.children) collect(child, leaves);
}

// An array of structs shows in its leaves: all repeat as often, at one stride that spans them all.
// (Arrays in a struct follow one another instead.)
void find_struct_arrays(FieldNode& node, bool inside_array) {
  if (node.field == nullptr && !inside_array && !node.name.empty()) {
    std::vector<const reflect::Field*> leaves;
    collect(node, leaves);
    const reflect::Field& first = *leaves.front();
    const bool repeats = std::all_of(leaves.begin(), leaves.end(), [&](const reflect::Field* leaf) {
      return leaf->count == first.count && leaf->stride == first.stride && leaf->offset - first.offset < first.stride;
    });
    if (first.count > 1 && repeats) {
      node.array_count = first.count;
      inside_array = true;
    }
  }
  for (FieldNode& child : node.children) find_struct_arrays(child, inside_array);
}

}  // namespace

const FieldNode* FieldNode::find(std::string_view child) const {
  for (const FieldNode& node : children)
    if (node.name == child) return &node;
  return nullptr;
}

FieldNode field_tree(const reflect::Component& component) {
  FieldNode root;
  for (const reflect::Field& field : component.fields) {
    FieldNode* node = &root;
    std::string_view path = field.path;
    for (std::size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.')) {
      node = &child_of(*node, path.substr(0, dot));
      path.remove_prefix(dot + 1);
    }
    child_of(*node, path).field = &field;
  }
  find_struct_arrays(root, false);
  return root;
}

}  // namespace mobula::resource
