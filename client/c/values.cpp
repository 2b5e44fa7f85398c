// Single values and JSON by path.
#include <c/handles.hpp>
#include <c/mirror.hpp>
#include <c/written.hpp>
#include <mobula/core/overloaded.hpp>
#include <mobula/core/text.hpp>
#include <type_traits>

using namespace mobula;
using namespace mobula::c;

namespace {

constexpr std::size_t path_bytes_max = 1024;

index::Properties& properties(Client& client, client::Mirror& mirror) {
  if (std::exchange(client.properties_of, client.connection->mirror_number()) != client.connection->mirror_number())
    client.properties = std::make_unique<index::Properties>(mirror.registry(), mirror.schema(), mirror.names());
  return *client.properties;
}

mobula_result refuse(const core::Error& error) {
  const std::string_view reason = error.reason;
  if (reason == "stale handle") return fail(MOBULA_ERROR_NO_ENTITY, error);
  if (reason == "no such component") return fail(MOBULA_ERROR_NO_COMPONENT, error);
  return fail(MOBULA_ERROR_NO_PROPERTY, error);
}

// Calls function(properties, property) for a path such as Transform/position.x.
template <class Function>
mobula_result with_property(mobula_client handle, mobula_entity entity, const char* path, Function&& function) {
  return with_mirror(handle, [&](Client& client, client::Mirror& mirror) -> mobula_result {
    if (path == nullptr) return refuse_null("the path");
    const std::string_view all(path, strnlen(path, path_bytes_max));
    const std::size_t slash = all.find('/');
    const std::string_view component = all.substr(0, slash);
    const std::string_view field = slash == std::string_view::npos ? "" : all.substr(slash + 1);
    index::Properties& known = properties(client, mirror);
    const core::Result<index::PropertyRef> property = known.resolve(to_entity(entity), component, field);
    return property ? function(known, *property) : refuse(property.error());
  });
}

void write(const reflect::Value& value, mobula_value& to) {
  const core::Overloaded writers{
      [&](bool truth) { to.as.integer = truth; },
      [&](std::int64_t number) { to.as.integer = number; },
      [&](std::uint64_t number) { to.as.unsigned_integer = number; },
      [&](double number) { to.as.real = number; },
      [&](const reflect::Quaternion& rotation) { std::copy(rotation.begin(), rotation.end(), to.as.rotation); },
      [&](ecs::Entity entity) { to.as.entity = to_c(entity); },
      [&](core::StringId32 name) { to.as.name = name.value; },
      [&](std::string_view text) {
        to.as.text = text.data();
        to.size = static_cast<std::uint32_t>(text.size());
      },
  };
  std::visit(writers, value);
}

}  // namespace

mobula_result mobula_client_read_value(mobula_client client, mobula_entity entity, const char* path,
                                       mobula_value* value) {
  return with_property(client, entity, path, [&](const index::Properties& known, const index::PropertyRef& property) {
    if (value == nullptr) return refuse_null("the value");
    const core::Result<reflect::Value> read = known.get<reflect::Value>(to_entity(entity), property);
    if (!read) return refuse(read.error());
    mobula_value written{};
    written.kind = static_cast<std::uint32_t>(property.field()->kind);
    write(*read, written);
    *value = written;
    return mobula_result{MOBULA_OK};
  });
}

mobula_result mobula_client_read_json(mobula_client client, mobula_entity entity, const char* path, char* json,
                                      uint32_t capacity, uint32_t* length) {
  return with_property(client, entity, path, [&](const index::Properties& known, const index::PropertyRef& property) {
    const core::Result<std::string> text = known.get_text(to_entity(entity), property);
    return text ? write_text(*text, {json, capacity, length}) : refuse(text.error());
  });
}
