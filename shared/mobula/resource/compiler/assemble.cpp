#include <algorithm>
#include <charconv>
#include <mobula/core/format.hpp>
#include <mobula/ecs/sent_size.hpp>
#include <mobula/resource/compiler/assemble.hpp>
#include <mobula/resource/limits.hpp>

namespace mobula::resource {
namespace {

class Assembler final : public ComponentContext {
 public:
  Assembler(const Scene& scene, const Prefabs& prefabs, Workshop& workshop, References references)
      : scene_(scene), prefabs_(prefabs), workshop_(workshop), references_(references) {}

  Draft run() {
    for (entity_ = 0; entity_ < scene_.entities().size(); ++entity_) add_entity(scene_.entities()[entity_]);
    add_parents();
    for (entity_ = 0; entity_ < scene_.entities().size(); ++entity_)
      for (const ComponentNode& component : components_of(scene_.entities()[entity_])) compile(component);
    check_sizes();
    if (draft_.columns.size() > limits::columns)
      workshop_.diagnostics.error(scene_.entities().front().node->place,
                                  core::format("too many component names; at most {}", limits::columns));
    return std::move(draft_);
  }

  void error(Place place, std::string message) override { workshop_.diagnostics.error(place, std::move(message)); }

  core::StringId32 string_id(const std::string& text, Place place, bool hidden) override {
    return workshop_.names.intern(text, place, hidden ? Audience::server : audience_);
  }

  std::uint64_t add_static(std::string_view type, core::ByteView data, Place place) override {
    return workshop_.statics.add(workshop_.names.intern(type, place, audience_), data, place, audience_);
  }

  // Resolved after the last layer, because an override may replace an invalid reference.
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
  // Returns a node's components, overridden by those of a placed instance.
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

  void add_entity(const SceneEntity& entity) {
    if (entity.above == no_parent && entity.parent != no_parent) draft_.attached.push_back(entity_);
    draft_.parent_index.push_back(entity.parent);
    draft_.names.push_back(name_of(entity));
    // Parents precede children, except in cycles, which are refused later.
    const bool below = entity.parent != no_parent && entity.parent < entity_ && server_only_[entity.parent];
    server_only_.push_back(below || entity.node->server_only);
  }

  // Splits "lane.7" into "lane" and a number, so that thousands of placed instances need one text.
  EntityName name_of(const SceneEntity& entity) {
    const std::string_view name = entity.name;
    const std::size_t dot = name.rfind('.');
    std::uint32_t number = 0;
    if (dot != std::string_view::npos && dot > 0) {
      const auto read = std::from_chars(name.data() + dot + 1, name.data() + name.size(), number);
      if (read.ec == std::errc() && read.ptr == name.data() + name.size() && number < ~0u &&
          core::format("{}", number) == name.substr(dot + 1))
        return {workshop_.names.intern(name.substr(0, dot), entity.node->place, Audience::server), number + 1};
    }
    return {workshop_.names.intern(name, entity.node->place, Audience::server)};
  }

  DraftColumn& column(const CompiledType& type, std::string_view instance, Place place) {
    const ComponentKey key{workshop_.names.intern(type.name, place, audience_),
                           workshop_.names.intern(instance, place, audience_)};
    return draft_.columns[{type.compiler == nullptr ? 0 : type.compiler->spawn_order, key}];
  }

  // Returns whether clients do not get this instance.
  bool is_server_only(const ComponentNode& node) {
    const bool hidden = server_only_[entity_] || (node.type->component != nullptr && node.type->component->not_sent) ||
                        (node.type->compiler != nullptr && node.type->compiler->server_only);
    bool marked = false;  // value of the last layer that has the member
    for (const JsonValue* layer : node.layers)
      if (const JsonValue* member = layer->find(server_only_member))
        marked =
            expect(*member, JsonValue::Kind::boolean, server_only_member, workshop_.diagnostics) && member->boolean;
    return hidden || marked;
  }

  void compile(const ComponentNode& node) {
    const bool hidden = is_server_only(node);
    audience_ = hidden ? Audience::server : Audience::everyone;
    add_size(entity_, *node.type);
    DraftColumn& into = column(*node.type, node.name, node.place);
    const std::size_t start = into.data.size();
    if (start > limits::file_bytes) {
      return workshop_.diagnostics.error(
          node.place, core::format("components {} make more than {} bytes", node.name, limits::file_bytes));
    }
    const ComponentSource source{node.type->name, node.name, node.type->component, node.layers, node.place};
    node.type->compiler != nullptr ? node.type->compiler->compile(source, *this, into.data)
                                   : compile_fields(source, *this, into.data);
    MOBULA_CHECK(node.type->component == nullptr || into.data.size() - start == node.type->component->size,
                 "a compiler of " + node.type->name + " made another number of bytes than the schema has");
    into.entity_index.push_back(entity_);
    into.row_begin.push_back(static_cast<std::uint32_t>(start));
    into.server_only.push_back(hidden);
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

  // Adds the hierarchy as components, if the schema has one for it.
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
      audience_ = server_only_[i] ? Audience::server : Audience::everyone;
      add_size(i, *type);
      DraftColumn& into = column(*type, parent_component, entity.node->place);
      const std::size_t start = into.data.size();
      into.references.push_back({static_cast<std::uint32_t>(start) + field->offset, entity.parent});
      into.data.insert(into.data.end(), type->component->default_value.begin(), type->component->default_value.end());
      into.row_begin.push_back(static_cast<std::uint32_t>(start));
      into.entity_index.push_back(i);
      into.server_only.push_back(server_only_[i]);
    }
  }

  // Counts components that clients get from deltas too: only the schema excludes a component from these.
  void add_size(std::uint32_t entity, const CompiledType& type) {
    sizes_.resize(scene_.entities().size());
    if (type.component != nullptr) sizes_[entity].add(type.component->sent_bits_max);
  }

  void check_sizes() {
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      const ecs::SentSize& size = sizes_[i];
      const SceneEntity& entity = scene_.entities()[i];
      const bool is_prefab = entity.name == ".";  // its root
      if (!size.fits())
        error(
            entity.node->place,
            core::format("{} '{}' has {} components to send, of at most {} bytes; an entity has at most {} "
                         "components and {} bytes to send: divide it, or mark components not_sent",
                         is_prefab ? "prefab" : "entity", is_prefab ? entity.node->name : entity.name, size.components,
                         (size.bits + 7) / 8, ecs::SentSize::components_max, ecs::SentSize::bits_max / 8));
    }
  }

  const Scene& scene_;
  const Prefabs& prefabs_;
  Workshop& workshop_;
  References references_;
  Draft draft_;
  std::uint32_t entity_ = 0;
  Audience audience_ = Audience::everyone;  // audience of the current component
  std::vector<bool> server_only_;           // by entity
  std::vector<ecs::SentSize> sizes_;        // by entity; empty if nothing has components
  std::vector<ComponentNode> placed_;
  std::vector<std::pair<std::uint32_t, const JsonValue*>> open_references_;  // references of the current instance
};

}  // namespace

Draft assemble(const Scene& scene, const Prefabs& prefabs, Workshop& workshop, References references) {
  return Assembler(scene, prefabs, workshop, references).run();
}

}  // namespace mobula::resource
