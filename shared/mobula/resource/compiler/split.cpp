#include <algorithm>
#include <mobula/resource/compiler/split.hpp>

namespace mobula::resource {
namespace {

bool is_hidden(const reflect::Field& field) { return field.owner_only || field.not_sent; }

// Returns the instances that clients may have.
DraftColumn without_marked(const DraftColumn& column) {
  DraftColumn kept;
  std::size_t reference = 0;
  for (std::size_t i = 0; i < column.entity_index.size(); ++i) {
    const std::uint32_t begin = column.row_begin[i];
    const auto end =
        i + 1 < column.row_begin.size() ? column.row_begin[i + 1] : static_cast<std::uint32_t>(column.data.size());
    const auto start = static_cast<std::uint32_t>(kept.data.size());
    for (; reference < column.references.size() && column.references[reference].offset < end; ++reference) {
      const auto [offset, target] = column.references[reference];
      if (!column.server_only[i]) kept.references.push_back({start + offset - begin, target});
    }
    if (column.server_only[i]) continue;
    kept.entity_index.push_back(column.entity_index[i]);
    kept.row_begin.push_back(start);
    kept.data.insert(kept.data.end(), column.data.begin() + begin, column.data.begin() + end);
  }
  return kept;
}

// Returns the hidden values of a component: (offset, size).
std::vector<std::pair<std::uint32_t, std::uint32_t>> hidden_parts(const reflect::Component& component) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> parts;
  for (const reflect::Field& field : component.fields)
    for (std::uint32_t i = 0; i < field.count && is_hidden(field); ++i)
      parts.emplace_back(field.offset + i * field.stride, field.size);
  return parts;
}

void blank(const reflect::Component& component, DraftColumn& column) {
  const auto parts = hidden_parts(component);
  for (std::byte* row = column.data.data(); row != column.data.data() + column.data.size(); row += component.size)
    for (const auto& [offset, size] : parts) std::memcpy(row + offset, component.default_value.data() + offset, size);
  std::erase_if(column.references, [&](const Reference& reference) {
    return std::ranges::any_of(parts,
                               [&](const auto& part) { return part.first == reference.offset % component.size; });
  });
}

DraftColumn for_clients(const DraftColumn& column, const reflect::Component* component) {
  if (component != nullptr && component->not_sent) return {};
  DraftColumn kept = without_marked(column);
  if (component != nullptr) blank(*component, kept);
  return kept;
}

// Makes prototypes from all columns of an entity. Columns of `over` replace those of `under`.
void make_prototypes(Draft& draft, const Draft::Columns& under, const Draft::Columns& over,
                     const reflect::Schema& schema) {
  std::vector<std::vector<ComponentKey>> keys(draft.num_entities());
  const auto take = [&](const Draft::ColumnKey& key, const DraftColumn& column) {
    if (schema.find(key.second.type) == nullptr) return;
    for (const std::uint32_t entity : column.entity_index) keys[entity].push_back(key.second);
  };
  for (const auto& [key, column] : under)
    if (!over.contains(key)) take(key, column);
  for (const auto& [key, column] : over) take(key, column);
  std::map<std::vector<ComponentKey>, std::uint32_t> known;
  for (std::vector<ComponentKey>& each : keys) {
    std::sort(each.begin(), each.end());
    const auto [found, fresh] = known.emplace(each, static_cast<std::uint32_t>(draft.prototypes.size()));
    if (fresh) draft.prototypes.push_back(each);
    draft.prototype_of.push_back(found->second);
  }
}

}  // namespace

SplitDraft split(Draft draft, const reflect::Schema& schema) {
  SplitDraft parts;
  for (auto& [key, column] : draft.columns) {
    DraftColumn visible = for_clients(column, schema.find(key.second.type));
    const bool all = same_instances(visible, column);
    if (!visible.entity_index.empty()) parts.clients.columns.emplace(key, std::move(visible));
    if (!all) parts.server.columns.emplace(key, std::move(column));
  }
  parts.clients.columns.merge(draft.ready[static_cast<std::size_t>(Audience::everyone)]);
  parts.server.columns.merge(draft.ready[static_cast<std::size_t>(Audience::server)]);
  parts.clients.parent_index = draft.parent_index;
  parts.server.parent_index = std::move(draft.parent_index);
  parts.server.names = std::move(draft.names);
  parts.server.attached = std::move(draft.attached);
  make_prototypes(parts.clients, parts.clients.columns, {}, schema);
  make_prototypes(parts.server, parts.clients.columns, parts.server.columns, schema);
  return parts;
}

}  // namespace mobula::resource
