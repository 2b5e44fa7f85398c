#include <algorithm>
#include <mobula/resource/compiler/column_choice.hpp>
#include <mobula/resource/compiler/component_json.hpp>
#include <mobula/resource/compiler/prefabs.hpp>
#include <mobula/resource/compiler/split.hpp>
#include <mobula/resource/limits.hpp>

namespace mobula::resource {
namespace {

class InstanceTexts final : public FieldTexts {
 public:
  InstanceTexts(const FieldColumn& column, std::uint32_t instance, const EntityTree& tree, const NameUses& names,
                NameUses* uses)
      : column_(column), instance_(instance), tree_(tree), names_(names), uses_(uses) {}

  std::optional<std::string_view> name(core::StringId32 id, const reflect::Field& field) override {
    const bool hidden =
        column_.hidden[instance_] || column_.column->component->not_sent || field.owner_only || field.not_sent;
    const Audience audience = hidden ? Audience::server : Audience::everyone;
    const std::optional<std::string_view> text = names_.find(id, audience);
    if (text && uses_ != nullptr) uses_->use(id, audience);
    return text;
  }

  std::optional<std::string> path(std::uint32_t offset) override {
    const std::vector<Reference>& references = column_.column->references;
    const std::uint32_t at = instance_ * column_.column->component->size + offset;
    const auto found = std::ranges::lower_bound(references, at, {}, &Reference::offset);
    if (found == references.end() || found->offset != at) return std::nullopt;
    return tree_.path(column_.column->entity_index[instance_], found->target);
  }

 private:
  const FieldColumn& column_;
  std::uint32_t instance_;
  const EntityTree& tree_;
  const NameUses& names_;
  NameUses* uses_;
};

const Column* find_column(const EntityResource& view, ComponentKey key) {
  const auto found = std::ranges::find(view.columns, key, &Column::key);
  return found == view.columns.end() ? nullptr : &*found;
}

// Compares two columns, of which either may be null.
template <class A, class B>
bool same_column(const A* a, const B* b) {
  return a == nullptr || b == nullptr ? (a == nullptr) == (b == nullptr) : same_instances(*a, *b);
}

const DraftColumn* find_column(const Draft& draft, ComponentKey key) {
  const auto found = draft.columns.find({0, key});
  return found == draft.columns.end() ? nullptr : &found->second;
}

DraftColumn as_draft(const FieldColumn& column) {
  const Column& from = *column.column;
  DraftColumn draft{.entity_index = {from.entity_index.begin(), from.entity_index.end()},
                    .row_begin = {},
                    .data = {from.data.begin(), from.data.end()},
                    .references = from.references,
                    .server_only = column.hidden};
  for (std::uint32_t i = 0; i < from.num_instances; ++i) draft.row_begin.push_back(i * from.component->size);
  return draft;
}

class Chooser {
 public:
  Chooser(const TwoViews& views, const EntityTree& tree, const NameUses& names, const reflect::Schema& schema,
          const CompilerTable& compilers)
      : views_(views), tree_(tree), names_(names), schema_(schema), compilers_(compilers) {}

  ColumnChoice choose() {
    for (const Column& column : views_.server.columns) {
      if (is_made_of_parents(column)) {
        choice_.parents = with_fields(column);
      } else if (may_have_fields(column)) {
        FieldColumn candidate = with_fields(column);
        if (fields_suffice(candidate)) choice_.fields.push_back(std::move(candidate));
      }
    }
    check_split();
    add_raw();
    std::ranges::sort(choice_.fields, {}, &FieldColumn::name);
    return std::move(choice_);
  }

 private:
  [[nodiscard]] std::string_view name_of(const Column& column) const {
    return names_.find(column.key.instance, Audience::server).value_or("");
  }

  [[nodiscard]] static bool is_made_of_parents(const Column& column) {
    static constexpr core::StringId32 parent(parent_component);
    return column.component != nullptr && column.key == ComponentKey{parent, parent} &&
           is_parent_component(*column.component);
  }

  // Returns whether compile_fields makes the type, and the instance name is valid in a list of components.
  [[nodiscard]] bool may_have_fields(const Column& column) const {
    if (column.component == nullptr || column.spawn_order != 0) return false;
    const std::string& type = column.component->name;
    if (type == parent_component || compilers_.find(type) != nullptr) return false;
    const std::string_view name = name_of(column);
    if (name != type && (schema_.find(name) != nullptr || compilers_.find(name) != nullptr)) return false;
    return name != "." && name != ".." && name.size() <= limits::name_bytes && name.find('/') == std::string_view::npos;
  }

  [[nodiscard]] FieldColumn with_fields(const Column& column) const {
    FieldColumn made{&column, name_of(column), reflect::field_tree(*column.component), {}};
    const Column* const clients = find_column(views_.clients, column.key);
    for (const std::uint32_t entity : column.entity_index)
      made.hidden.push_back(clients == nullptr || !std::ranges::binary_search(clients->entity_index, entity));
    return made;
  }

  [[nodiscard]] bool fields_suffice(const FieldColumn& column) const {
    const reflect::Component& component = *column.column->component;
    auto reference = column.column->references.begin();
    for (std::uint32_t i = 0; i < column.column->num_instances; ++i) {
      const auto first = reference;
      while (reference != column.column->references.end() && reference->offset < (i + 1) * component.size) ++reference;
      const JsonValue json = instance_json(column, i, tree_, names_, nullptr);
      if (!recompiles_to(component, column.tree, json, column.column->data.data() + i * component.size,
                         static_cast<std::size_t>(reference - first)))
        return false;
    }
    return true;
  }

  // Compares what the compiler would hide from clients with what they lack. Columns that differ are written raw.
  void check_split() {
    Draft draft;
    draft.parent_index.resize(views_.server.num_entities);
    for (const FieldColumn& column : choice_.fields)
      draft.columns.emplace(std::pair(0, column.column->key), as_draft(column));
    const SplitDraft parts = split(std::move(draft), schema_);
    std::erase_if(choice_.fields, [&](const FieldColumn& column) {
      const ComponentKey key = column.column->key;
      const DraftColumn* const clients = find_column(parts.clients, key);
      const DraftColumn* const server = find_column(parts.server, key);
      return !same_column(find_column(views_.clients, key), clients) ||
             !same_column(column.column, server != nullptr ? server : clients) ||
             (server != nullptr) != is_servers_own(*column.column);
    });
  }

  [[nodiscard]] bool is_servers_own(const Column& column) const {
    const auto* const at = reinterpret_cast<const std::byte*>(column.entity_index.data());
    return at >= views_.server_part.data() && at < views_.server_part.data() + views_.server_part.size();
  }

  [[nodiscard]] bool is_chosen(const Column& column) const {
    return is_made_of_parents(column) ||
           std::ranges::any_of(choice_.fields, [&](const FieldColumn& each) { return each.column->key == column.key; });
  }

  void add_raw() {
    for (const Column& column : views_.clients.columns)
      if (!is_chosen(column)) choice_.raw.push_back({&column, Audience::everyone});
    for (const Column& column : views_.server.columns)
      if (is_servers_own(column) && !is_chosen(column)) choice_.raw.push_back({&column, Audience::server});
  }

  const TwoViews& views_;
  const EntityTree& tree_;
  const NameUses& names_;
  const reflect::Schema& schema_;
  const CompilerTable& compilers_;
  ColumnChoice choice_;
};

}  // namespace

ColumnChoice choose_columns(const TwoViews& views, const EntityTree& tree, const NameUses& names,
                            const reflect::Schema& schema, const CompilerTable& compilers) {
  return Chooser(views, tree, names, schema, compilers).choose();
}

JsonValue instance_json(const FieldColumn& column, std::uint32_t instance, const EntityTree& tree,
                        const NameUses& names, NameUses* uses) {
  const reflect::Component& component = *column.column->component;
  InstanceTexts texts(column, instance, tree, names, uses);
  return component_json(component, column.tree, column.column->data.data() + std::size_t{instance} * component.size,
                        texts);
}

}  // namespace mobula::resource
