#include <algorithm>
#include <mobula/core/format.hpp>
#include <mobula/core/text.hpp>
#include <mobula/resource/assemble.hpp>
#include <mobula/resource/limits.hpp>

namespace mobula::resource {
namespace {

class Assembler final : public ComponentContext {
 public:
  Assembler(const Scene& scene, const Prefabs& prefabs, Workshop& workshop, References references)
      : scene_(scene), prefabs_(prefabs), workshop_(workshop), references_(references) {}

  Draft run() {
    add_parents();
    for (entity_ = 0; entity_ < scene_.entities().size(); ++entity_) {
      const SceneEntity& entity = scene_.entities()[entity_];
      draft_.parent_index.push_back(entity.parent);
      for (const ComponentNode& component : components_of(entity)) compile(component);
    }
    if (draft_.columns.size() > limits::columns)
      workshop_.diagnostics.error(scene_.entities().front().node->place,
                                  core::format("too many component names; at most {}", limits::columns));
    make_prototypes();
    return std::move(draft_);
  }

  void error(Place place, std::string message) override { workshop_.diagnostics.error(place, std::move(message)); }

  core::StringId32 string_id(const std::string& text, Place place) override {
    return workshop_.names.intern(text, place);
  }

  // Kept until the last layer has spoken: an override may replace what leads nowhere.
  void reference(std::uint32_t offset, const JsonValue& path) override {
    const auto same = std::find_if(open_references_.begin(), open_references_.end(),
                                   [offset](const auto& each) { return each.first == offset; });
    if (same == open_references_.end()) {
      open_references_.emplace_back(offset, &path);
    } else {
      same->second = &path;
    }
  }

  const FieldNode& fields(const reflect::Component& component) override {
    auto found = workshop_.fields.find(&component);
    if (found == workshop_.fields.end())
      found = workshop_.fields.emplace(&component, reflect::field_tree(component)).first;
    return found->second;
  }

 private:
  // A node's components, with those of a placed instance laid over.
  const std::vector<ComponentNode>& components_of(const SceneEntity& entity) {
    if (entity.placed == nullptr) return entity.node->components;
    placed_ = entity.node->components;
    for (const JsonMember& member : entity.placed->members) {
      const auto same = std::find_if(placed_.begin(), placed_.end(),
                                     [&](const ComponentNode& each) { return each.name == member.name; });
      if (same != placed_.end()) {
        same->layers.push_back(&member.value);
      } else if (member.name == transform_component) {
        placed_.push_back({member.name, prefabs_.find_type(transform_component), member.place, {&member.value}});
      } else {
        error(member.place, core::format("the prefab has no component '{}'", member.name));
      }
    }
    return placed_;
  }

  DraftColumn& column(const CompiledType& type, std::string_view instance, Place place) {
    const ComponentKey key{workshop_.names.intern(type.name, place), workshop_.names.intern(instance, place)};
    return draft_.columns[{type.compiler == nullptr ? 0 : type.compiler->spawn_order, key}];
  }

  void compile(const ComponentNode& node) {
    DraftColumn& into = column(*node.type, node.name, node.place);
    const std::size_t start = into.data.size();
    if (start > limits::file_bytes) {
      return workshop_.diagnostics.error(
          node.place, core::format("components {} make more than {} bytes", node.name, limits::file_bytes));
    }
    const ComponentSource source{node.type->name, node.name, node.type->component, node.layers};
    node.type->compiler != nullptr ? node.type->compiler->compile(source, *this, into.data)
                                   : compile_fields(source, *this, into.data);
    MOBULA_ASSERT(node.type->component == nullptr || into.data.size() - start == node.type->component->size,
                  "a compiler of " + node.type->name + " made another number of bytes than the schema says");
    into.entity_index.push_back(entity_);
    close_references(into, static_cast<std::uint32_t>(start));
  }

  void close_references(DraftColumn& into, std::uint32_t start) {
    std::sort(open_references_.begin(), open_references_.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [offset, path] : open_references_) {
      if (path->kind == JsonValue::Kind::null || references_ == References::check_only) continue;
      const std::uint32_t target = scene_.resolve(entity_, *path);
      if (target != no_parent) into.references.push_back({start + offset, target});
    }
    open_references_.clear();
  }

  // The hierarchy as components, where the schema has one for it.
  void add_parents() {
    const CompiledType* type = prefabs_.find_type(parent_component);
    if (type == nullptr || type->component == nullptr) return;
    const auto& all = type->component->fields;
    const auto field = std::find_if(all.begin(), all.end(),
                                    [](const reflect::Field& each) { return each.kind == reflect::FieldKind::entity; });
    if (field == all.end()) return;
    for (std::uint32_t i = 0; i < scene_.entities().size(); ++i) {
      const SceneEntity& entity = scene_.entities()[i];
      if (entity.parent == no_parent) continue;
      DraftColumn& into = column(*type, parent_component, entity.node->place);
      into.references.push_back({static_cast<std::uint32_t>(into.data.size()) + field->offset, entity.parent});
      into.data.insert(into.data.end(), type->component->default_value.begin(), type->component->default_value.end());
      into.entity_index.push_back(i);
    }
  }

  void make_prototypes() {
    std::vector<std::vector<ComponentKey>> keys(draft_.num_entities());
    for (const auto& [key, column] : draft_.columns) {
      if (workshop_.schema.find(key.second.type) == nullptr) continue;
      for (const std::uint32_t entity : column.entity_index) keys[entity].push_back(key.second);
    }
    std::map<std::vector<ComponentKey>, std::uint32_t> known;
    for (std::vector<ComponentKey>& each : keys) {
      std::sort(each.begin(), each.end());
      const auto [found, fresh] = known.emplace(each, static_cast<std::uint32_t>(draft_.prototypes.size()));
      if (fresh) draft_.prototypes.push_back(each);
      draft_.prototype_of.push_back(found->second);
    }
  }

  const Scene& scene_;
  const Prefabs& prefabs_;
  Workshop& workshop_;
  References references_;
  Draft draft_;
  std::uint32_t entity_ = 0;
  std::vector<ComponentNode> placed_;
  std::vector<std::pair<std::uint32_t, const JsonValue*>> open_references_;  // of the instance being compiled
};

}  // namespace

core::StringId32 NameTable::intern(std::string_view text, Place place) {
  const core::StringId32 id(text);
  if (!core::is_printable(text)) diagnostics_.error(place, "a name has control characters in it; expected plain text");
  const auto [found, fresh] = names_.emplace(id, text);
  if (!fresh && found->second != text)
    diagnostics_.error(place, core::format("'{}' and '{}' have the same hash; expected another name for one of them",
                                           text, found->second));
  return id;
}

Draft assemble(const Scene& scene, const Prefabs& prefabs, Workshop& workshop, References references) {
  return Assembler(scene, prefabs, workshop, references).run();
}

}  // namespace mobula::resource
