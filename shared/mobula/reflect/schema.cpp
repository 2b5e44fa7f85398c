#include <algorithm>
#include <map>
#include <mobula/core/format.hpp>
#include <mobula/reflect/describe.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/reflect/sent_size.hpp>
#include <mobula/reflect/velocities.hpp>
#include <mobula/reflect/with_number.hpp>
#include <utility>

namespace mobula::reflect {
namespace {

// Components by id, to find duplicate names and hash collisions.
core::Result<std::vector<Component>> describe_components(const Declarations& declarations) {
  std::map<core::StringId32, Component> by_id;
  for (const DeclaredStruct& type : declarations.structs) {
    if (!type.attributes.contains("component")) continue;
    core::Result<Component> described = describe(declarations, type);
    if (!described) return described.error();
    const auto [place, fresh] = by_id.emplace(described->id, Component{});
    if (!fresh) {
      return core::Error{"bad schema", core::format("{}: the name is that of another component, or has the hash of {}",
                                                    type.full_name, place->second.name)};
    }
    place->second = std::move(*described);
    place->second.sent_bits_max = sent_bits_max(place->second);
    if (by_id.size() > Limits::components) {
      return core::Error{"bad schema", core::format("a schema has at most {} components", Limits::components)};
    }
  }
  std::vector<Component> components;
  for (auto& [id, component] : by_id) components.push_back(std::move(component));
  std::ranges::sort(components, {}, &Component::name);
  if (core::Status found = find_velocities(components); !found) return found.error();
  return components;
}

template <class Key, class Projection>
const Component* find_in(const std::vector<Component>& components, const Key& key, Projection projection) {
  const auto found = std::ranges::find(components, key, projection);
  return found == components.end() ? nullptr : &*found;
}

}  // namespace

bool integer_fits(std::int64_t value, FieldKind kind) {
  const auto within = [&]<class T>(T) {
    if constexpr (std::is_integral_v<T> && sizeof(T) < sizeof(value)) return std::in_range<T>(value);
    return true;
  };
  return with_number(kind, within, [] { return true; });
}

const Field* Component::find_field(std::string_view path) const {
  const auto found = std::ranges::find(fields, path, &Field::path);
  return found == fields.end() ? nullptr : &*found;
}

core::Result<std::shared_ptr<const Schema>> Schema::load(core::ByteView bfbs) {
  // Checks the limit before the copy, which gives owned and aligned bytes.
  if (bfbs.size() > Limits::schema_bytes) {
    return core::Error{"bad schema",
                       core::format("a schema has at most {} bytes, this one {}", Limits::schema_bytes, bfbs.size())};
  }
  std::shared_ptr<Schema> schema(new Schema);
  schema->bytes_.assign(bfbs.begin(), bfbs.end());
  const core::Result<Declarations> declarations = read_declarations(schema->bytes_);
  if (!declarations) return declarations.error();
  core::Result<std::vector<Component>> components = describe_components(*declarations);
  if (!components) return components.error();
  schema->components_ = std::move(*components);
  schema->fingerprint_ = core::content_hash(schema->bytes_);
  return std::shared_ptr<const Schema>(std::move(schema));
}

const Component* Schema::find(core::StringId32 id) const { return find_in(components_, id, &Component::id); }
const Component* Schema::find(std::string_view name) const { return find_in(components_, name, &Component::name); }

core::Status register_components(ecs::Registry& registry, const Schema& schema) {
  for (const Component& component : schema.components()) {
    const auto registered = registry.register_type({.id = component.id,
                                                    .name = component.name,
                                                    .size = component.size,
                                                    .alignment = component.alignment,
                                                    .schema = true,
                                                    .sent_bits_max = component.sent_bits_max,
                                                    .default_value = component.default_value});
    if (!registered) return registered.error();
    const auto opened = registry.open_pool(component.id, component.name);
    if (!opened) return opened.error();
  }
  return core::Done{};
}

}  // namespace mobula::reflect
