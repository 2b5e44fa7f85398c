// Component types and fields of the server's schema.
#include <c/handles.hpp>
#include <c/written.hpp>
#include <mobula/core/format.hpp>

using namespace mobula;
using namespace mobula::c;

namespace {

static_assert(static_cast<int>(reflect::FieldKind::boolean) == MOBULA_BOOL);
static_assert(static_cast<int>(reflect::FieldKind::uint64) == MOBULA_UINT64);
static_assert(static_cast<int>(reflect::FieldKind::unit_quaternion) == MOBULA_QUATERNION);
static_assert(static_cast<int>(reflect::FieldKind::entity) == MOBULA_ENTITY);
static_assert(static_cast<int>(reflect::FieldKind::fixed_string) == MOBULA_TEXT);
static_assert(static_cast<int>(reflect::FieldKind::string_id) == MOBULA_NAME);
static_assert(reflect::field_kind_count == MOBULA_NAME + 1);

mobula_result out_of_range(std::string_view what, std::uint32_t given, std::size_t count) {
  return fail(MOBULA_ERROR_INVALID_ARGUMENT, core::format("{} {} is not below {}, their number", what, given, count));
}

// Calls function(component) for the number of a type.
template <class Function>
mobula_result with_type(mobula_client handle, std::uint32_t type, Function&& function) {
  return with_mirror(handle, [&](const Client&, const client::Mirror& mirror) -> mobula_result {
    const std::vector<reflect::Component>& all = mirror.schema().components();
    return type < all.size() ? function(all[type]) : out_of_range("type", type, all.size());
  });
}

template <class Function>
mobula_result with_field(mobula_client handle, std::uint32_t type, std::uint32_t field, Function&& function) {
  return with_type(handle, type, [&](const reflect::Component& component) -> mobula_result {
    const std::vector<reflect::Field>& all = component.fields;
    return field < all.size() ? function(all[field]) : out_of_range("field", field, all.size());
  });
}

std::uint32_t flags_of(const reflect::Field& field) {
  std::uint32_t flags = 0;
  const auto set = [&](bool holds, std::uint32_t flag) { flags |= holds ? flag : 0; };
  set(field.ranged, MOBULA_FIELD_RANGED);
  set(field.owner_only, MOBULA_FIELD_OWNER_ONLY);
  set(field.predicted, MOBULA_FIELD_PREDICTED);
  set(field.tolerance > 0, MOBULA_FIELD_RECKONED);
  set(field.not_sent, MOBULA_FIELD_NOT_SENT);
  set(field.cut, MOBULA_FIELD_CUT);
  return flags;
}

mobula_field_info info_of(const reflect::Field& field) {
  mobula_field_info info{};
  info.kind = static_cast<std::uint32_t>(field.kind);
  info.path = field.path.c_str();
  info.offset = field.offset;
  info.size = field.size;
  info.count = field.count;
  info.stride = field.stride;
  info.flags = flags_of(field);
  info.enum_values = static_cast<std::uint32_t>(field.enum_values.size());
  info.low = field.low;
  info.high = field.high;
  info.step = field.step;
  info.tolerance = field.tolerance;
  info.array_length = field.count > 1 ? field.array_at : 0;
  info.count_field = field.count_field < 0 ? MOBULA_NO_FIELD : static_cast<std::uint32_t>(field.count_field);
  return info;
}

}  // namespace

mobula_result mobula_client_type_count(mobula_client client, uint32_t* count) {
  return with_mirror(client, [&](const Client&, const client::Mirror& mirror) -> mobula_result {
    if (count == nullptr) return refuse_null("the count");
    *count = static_cast<std::uint32_t>(mirror.schema().components().size());
    return MOBULA_OK;
  });
}

mobula_result mobula_client_type(mobula_client client, uint32_t type, mobula_type_info* info) {
  return with_type(client, type, [&](const reflect::Component& component) {
    mobula_type_info known{};
    known.size = component.size;
    known.alignment = component.alignment;
    known.fields = static_cast<std::uint32_t>(component.fields.size());
    known.name = component.name.c_str();
    known.default_value = component.default_value.data();
    return write_struct(known, info);
  });
}

mobula_result mobula_client_field(mobula_client client, uint32_t type, uint32_t field, mobula_field_info* info) {
  return with_field(client, type, field, [&](const reflect::Field& f) { return write_struct(info_of(f), info); });
}

mobula_result mobula_client_enum_value(mobula_client client, uint32_t type, uint32_t field, uint32_t at,
                                       const char** name, int64_t* value) {
  return with_field(client, type, field, [&](const reflect::Field& f) -> mobula_result {
    if (name == nullptr) return refuse_null("the name");
    if (value == nullptr) return refuse_null("the value");
    if (at >= f.enum_values.size()) return out_of_range("value", at, f.enum_values.size());
    *name = f.enum_values[at].name.c_str();
    *value = f.enum_values[at].value;
    return MOBULA_OK;
  });
}

mobula_result mobula_client_schema(mobula_client client, const void** bytes, uint64_t* size) {
  return with_mirror(client, [&](const Client&, const client::Mirror& mirror) -> mobula_result {
    if (bytes == nullptr) return refuse_null("the bytes");
    if (size == nullptr) return refuse_null("the size");
    *bytes = mirror.schema().bytes().data();
    *size = mirror.schema().bytes().size();
    return MOBULA_OK;
  });
}
