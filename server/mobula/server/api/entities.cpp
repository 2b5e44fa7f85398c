// Entities, their components, and properties by name.
#include <algorithm>
#include <array>
#include <cctype>
#include <mobula/hierarchy/world_transform.hpp>
#include <mobula/index/properties.hpp>
#include <mobula/server/api/courses.hpp>
#include <mobula/server/api/query_impl.hpp>
#include <mobula/server/interest/relevance.hpp>

namespace mobula::server::api {
namespace {

using reflect::Field;
using reflect::FieldKind;

// Maximum work of one query. A search of a large world may return empty pages.
constexpr std::uint32_t visited_max = 8192;
constexpr std::size_t children_max = 100;
constexpr std::size_t properties_max = 4096;
constexpr std::size_t search_bytes_max = 100;

constexpr std::array<std::string_view, reflect::field_kind_count> kind_names{
    "boolean", "int8",    "uint8",   "int16",           "uint16", "int32",        "uint32",   "int64",
    "uint64",  "float32", "float64", "unit_quaternion", "entity", "fixed_string", "string_id"};

bool is_text(const Field& field) { return field.kind == FieldKind::fixed_string && field.count == 1; }

// Returns a display name: a text among the entity's values, or its path in the level.
class EntityLabels {
 public:
  explicit EntityLabels(Inspection& world) : world_(world), registry_(world.registry()), level_(world.world().level()) {
    fields_.resize(registry_.pool_count());
    for (ecs::PoolId id = 0; id < registry_.pool_count(); ++id) {
      const reflect::Component* type = world.world().schema().find(registry_.pool(id).type().id);
      if (type == nullptr || !registry_.pool(id).is_schema()) continue;
      const auto text = std::ranges::find_if(type->fields, is_text);
      if (text != type->fields.end()) fields_[id] = &*text;
    }
  }

  [[nodiscard]] std::string of(ecs::Entity entity) const {
    const ecs::Registry& registry = registry_;
    for (const ecs::PoolId pool : registry.prototypes().pools(registry.prototype(entity))) {
      if (fields_[pool] == nullptr) continue;
      const std::byte* component = registry.try_read(entity, pool);
      const reflect::Value value = reflect::read_value(*fields_[pool], component + fields_[pool]->offset);
      if (const auto* text = std::get_if<std::string_view>(&value); text != nullptr && !text->empty())
        return std::string(*text);
    }
    return path(entity);
  }

 private:
  [[nodiscard]] std::string path(ecs::Entity entity) const {
    const std::optional<std::uint32_t> placed = world_.in_level(entity);
    if (!placed) return {};
    const resource::EntityResource& level = level_->level();
    std::string text;
    for (std::uint32_t at = *placed; at != resource::no_parent; at = level.parent_index[at]) {
      if (at >= level.names.size()) return {};
      const resource::EntityName& name = level.names[at];
      std::string part(level_->name_of(name.name));
      if (name.number != 0) part.append(".").append(std::to_string(name.number - 1));
      if (!text.empty()) part.append("/").append(text);
      text = std::move(part);
      if (std::ranges::binary_search(level.attached, at)) break;
    }
    return text;
  }

  Inspection& world_;
  ecs::Registry& registry_;
  const resource::Resource* level_;
  std::vector<const Field*> fields_;  // by pool; null if the component has no text
};

json vector_json(const engine::Vec3& vector) { return {shortest(vector.x), shortest(vector.y), shortest(vector.z)}; }
json handle_json(ecs::Entity entity) { return entity ? json(to_string(entity)) : json(nullptr); }

json position_of(Inspection& world, ecs::Entity entity) {
  const auto* stands = world.registry().try_get<const hierarchy::WorldTransform>(entity);
  return stands == nullptr ? json(nullptr) : vector_json(stands->position);
}

// Parses a handle. Errors: "bad request".
core::Result<ecs::Entity> handle_in(const Request& request) {
  const std::string_view text = request.parameter("handle");
  if (const std::optional<ecs::Entity> entity = ecs::parse_entity(text)) return *entity;
  return core::Error{"bad request",
                     core::format("'{:.40}' is not a handle; expected INDEX.GENERATION, such as 8.1", text)};
}

core::Result<ecs::Entity> living(Inspection& world, const Request& request) {
  core::Result<ecs::Entity> entity = handle_in(request);
  if (!entity || world.registry().valid(*entity)) return entity;
  return core::Error{"stale handle", core::format("entity {} does not exist", to_string(*entity))};
}

// Lists --------------------------------------------------------------------------------------------------------------

struct Wanted {
  std::optional<std::vector<ecs::PoolId>> pools;  // pools of the requested component
  std::optional<std::uint64_t> prototype;
  std::string search;  // lower case
};

std::string in_small(std::string_view text) {
  std::string small(text);
  for (char& c : small) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return small;
}

// Finds pools by component, including server-only components, which are in no prototype.
std::vector<ecs::PoolId> pools_called(const ecs::Registry& registry, core::StringId32 name) {
  std::vector<ecs::PoolId> pools;
  for (ecs::PoolId id = 0; id < registry.pool_count(); ++id)
    if (registry.pool(id).instance() == name || registry.pool(id).type().id == name) pools.push_back(id);
  return pools;
}

core::Result<Wanted> wanted_in(const ecs::Registry& registry, const Request& request) {
  Wanted wanted;
  if (const std::string_view component = request.parameter("component"); !component.empty())
    wanted.pools = pools_called(registry, core::StringId32(component));
  const auto prototype = number(request, "prototype", 0, ~0u);
  if (!prototype) return prototype.error();
  wanted.prototype = *prototype;
  if (request.parameter("search").size() > search_bytes_max)
    return core::Error{"bad request", core::format("search: the maximum is {} bytes", search_bytes_max)};
  wanted.search = in_small(request.parameter("search"));
  return wanted;
}

bool fits(const ecs::Registry& registry, ecs::Entity entity, const Wanted& wanted, const EntityLabels& labels) {
  if (wanted.prototype && registry.prototype(entity) != *wanted.prototype) return false;
  const auto has = [&](ecs::PoolId pool) { return registry.pool(pool).contains(entity.index); };
  if (wanted.pools && std::ranges::none_of(*wanted.pools, has)) return false;
  return wanted.search.empty() || to_string(entity).starts_with(wanted.search) ||
         in_small(labels.of(entity)).find(wanted.search) != std::string::npos;
}

json summary(Inspection& world, ecs::Entity entity, const EntityLabels& labels) {
  const ecs::Registry& registry = world.registry();
  json components = json::array();
  for (const ecs::PoolId pool : registry.prototypes().pools(registry.prototype(entity)))
    components.push_back(registry.pool(pool).instance_name());
  return {{"handle", to_string(entity)},
          {"prototype", registry.prototype(entity)},
          {"label", labels.of(entity)},
          {"components", std::move(components)},
          {"position", position_of(world, entity)}};
}

core::Result<json> read_entities(Inspection& world, const Request& request) {
  const core::Result<Page> page = api::page(request);
  if (!page) return page.error();
  const core::Result<Wanted> wanted = wanted_in(world.registry(), request);
  if (!wanted) return wanted.error();
  const ecs::EntityPool& entities = world.registry().entities();
  const EntityLabels labels(world);
  json found = json::array();
  std::uint64_t index = page->cursor;
  const std::uint64_t end = std::min<std::uint64_t>(entities.index_end(), index + visited_max);
  for (; index < end && found.size() < page->limit; ++index) {
    const ecs::Entity entity = entities.at(static_cast<std::uint32_t>(index));
    if (entity && fits(world.registry(), entity, *wanted, labels)) found.push_back(summary(world, entity, labels));
  }
  return json{{"world", world.name()},
              {"total", entities.size()},
              {"entities", std::move(found)},
              {"next", next_page(index, index < entities.index_end())}};
}

// One ----------------------------------------------------------------------------------------------------------------

json property_json(const index::PropertyInfo& info, const core::Result<std::string>& value, json course) {
  const Field& field = info.field;
  json property = {{"path", info.path},
                   {"kind", kind_names[static_cast<std::size_t>(field.kind)]},
                   {"type", index::describe_type(field)},
                   {"value", value ? json::parse(*value, nullptr, false) : json(nullptr)},
                   {"read_only", info.read_only},
                   {"computed", info.computed}};
  if (property["value"].is_discarded()) property["value"] = nullptr;
  if (field.ranged) property.update({{"minimum", field.low}, {"maximum", field.high}});
  if (field.ranged && field.step > 0) property["step"] = field.step;
  if (!course.is_null()) property["course"] = std::move(course);
  if (field.count > 1) property["elements"] = field.count;
  if (!field.enum_values.empty()) {
    json names = json::array();
    for (const reflect::EnumValue& each : field.enum_values) names.push_back(each.name);
    property["values"] = std::move(names);
  }
  return property;
}

json component_json(const ecs::Pool& pool) {
  return {{"name", pool.instance_name()}, {"type", pool.type().name},  {"pool", pool.id()},
          {"schema", pool.is_schema()},   {"bytes", pool.type().size}, {"properties", json::array()}};
}

// Adds components: schema components first, with their properties. `truncated` is set if there are too many properties.
json components_of(Inspection& world, ecs::Entity entity, bool& truncated) {
  const ecs::Registry& registry = world.registry();
  json components = json::array();
  std::map<ecs::PoolId, std::size_t> places;
  for (const ecs::PoolId pool : registry.prototypes().pools(registry.prototype(entity))) {
    places.emplace(pool, components.size());
    components.push_back(component_json(registry.pool(pool)));
  }
  const std::vector<index::PropertyInfo> all = world.properties().list(entity).value();
  for (const index::PropertyInfo& info : std::span(all).first(std::min(all.size(), properties_max))) {
    const ecs::PoolId pool = info.property.pool();
    json course = info.computed || info.field.tolerance == 0
                      ? json(nullptr)
                      : PublishedComponent(world, entity, pool).course_of(info.field);
    components[places.at(pool)]["properties"].push_back(
        property_json(info, world.properties().get_text(entity, info.property), std::move(course)));
  }
  truncated = all.size() > properties_max;
  for (ecs::PoolId id = 0; id < registry.pool_count(); ++id)
    if (!registry.pool(id).is_schema() && registry.pool(id).contains(entity.index))
      components.push_back(component_json(registry.pool(id)));
  return components;
}

core::Result<json> read_component(Inspection& world, const Request& request) {
  const core::Result<ecs::Entity> entity = living(world, request);
  if (!entity) return entity.error();
  core::Result<std::string> text =
      world.properties().get_text(*entity, request.parameter("component"), request.parameter("property"));
  if (!text) return text.error();
  return json::parse(*text, nullptr, false);
}

// Returns the last finished tick. A write between two ticks may or may not be visible in an answer of the same tick.
ecs::Tick tick_of(const ecs::Registry& registry) { return registry.tick() - 1; }

// Checks a write to the Parent that the hierarchy reads. Without it a dead parent would be null a tick later, and one
// in a cycle would be ignored.
core::Status check_parent(Inspection& world, ecs::Entity entity, const Request& request) {
  const core::StringId32 parent(engine::Parent::component_name);
  const ecs::PoolId pool = world.registry().find(entity, core::StringId32(request.parameter("component")));
  if (pool == ecs::no_pool || pool != world.registry().find_pool(parent, parent)) return core::Done{};
  const core::Result<core::Bytes> changed = world.properties().preview_text(
      entity, request.parameter("component"), request.parameter("property"), request.body);
  if (!changed) return changed.error();
  return world.world().hierarchy().check_parent(entity, core::load<engine::Parent>(changed->data()).entity);
}

// Checks the value by the code that compiles levels. A refused value has changed nothing.
core::Result<json> write_property(Inspection& world, const Request& request) {
  const core::Result<ecs::Entity> entity = living(world, request);
  if (!entity) return entity.error();
  if (const core::Status good = check_parent(world, *entity, request); !good) return good.error();
  const core::Status written =
      world.properties().set_text(*entity, request.parameter("component"), request.parameter("property"), request.body);
  if (!written) return written.error();
  core::Result<json> value = read_component(world, request);
  if (!value) return value;
  return json{{"tick", tick_of(world.registry())}, {"value", std::move(*value)}};
}

}  // namespace

ecs::Entity parent_of(const ecs::Registry& registry, ecs::Entity entity) {
  const auto* parent = registry.try_get<const engine::Parent>(entity);
  if (parent == nullptr) return ecs::null_entity;
  return {parent->entity.index, parent->entity.generation};
}

core::Result<json> read_entity(Inspection& world, const Request& request) {
  const core::Result<ecs::Entity> entity = living(world, request);
  if (!entity) return entity.error();
  const auto* stands = world.registry().try_get<const hierarchy::WorldTransform>(*entity);
  const auto* relevance = world.registry().try_get<const Relevance>(*entity);
  const std::vector<ecs::Entity> children = world.world().hierarchy().children(*entity);
  json shown = json::array();
  for (const ecs::Entity child : std::span(children).first(std::min(children.size(), children_max)))
    shown.push_back(to_string(child));
  json rotation = nullptr;
  if (stands != nullptr)
    rotation = {shortest(stands->rotation.x), shortest(stands->rotation.y), shortest(stands->rotation.z),
                shortest(stands->rotation.w)};
  bool truncated = false;
  json components = components_of(world, *entity, truncated);
  return json{{"world", world.name()},
              {"tick", tick_of(world.registry())},
              {"handle", to_string(*entity)},
              {"prototype", world.registry().prototype(*entity)},
              {"label", EntityLabels(world).of(*entity)},
              {"parent", handle_json(parent_of(world.registry(), *entity))},
              {"children", std::move(shown)},
              {"children_total", children.size()},
              {"position", position_of(world, *entity)},
              {"rotation", std::move(rotation)},
              {"owner", relevance == nullptr ? 0 : relevance->owner},
              {"layer", relevance == nullptr ? 0 : relevance->layer},
              {"components", std::move(components)},
              {"truncated", truncated}};
}

std::vector<admin::Route> entity_routes(const ApiPtr& api) {
  return {{"GET",
           "/api/entities",
           query_world(api, read_entities),
           {"world", "cursor", "limit", "component", "prototype", "search"}},
          {"GET", "/api/entities/{handle}", query_world(api, read_entity), {"world"}},
          {"GET", "/api/entities/{handle}/{component}", query_world(api, read_component), {"world"}},
          {"GET", "/api/entities/{handle}/{component}/{property}", query_world(api, read_component), {"world"}},
          {"PUT", "/api/entities/{handle}/{component}/{property}", query_world(api, write_property), {"world"}}};
}

}  // namespace mobula::server::api
