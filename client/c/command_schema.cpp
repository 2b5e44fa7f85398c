#include <bitset>
#include <c/command_schema.hpp>
#include <mobula/core/format.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/wire/input.hpp>

namespace mobula::c {
namespace {

constexpr std::uint32_t fields_max = 1024;
constexpr std::uint32_t first_offset = 4;  // in a vtable, after its size and that of the table

constexpr bool is_scalar(int base) { return base >= reflection::UType && base <= reflection::Double; }

constexpr std::uint32_t scalar_size(int base) {
  switch (base) {
    case reflection::Short:
    case reflection::UShort: return 2;
    case reflection::Int:
    case reflection::UInt:
    case reflection::Float: return 4;
    case reflection::Long:
    case reflection::ULong:
    case reflection::Double: return 8;
    default: return is_scalar(base) ? 1 : 0;
  }
}

template <class List>
bool has(const List* list, std::int32_t index) {
  return list != nullptr && index >= 0 && static_cast<std::uint32_t>(index) < list->size();
}

core::Error bad(std::string text) { return {"bad schema", std::move(text)}; }

}  // namespace

CommandType type_of(const reflection::Field& field) {
  const reflection::Type& type = *field.type();
  return {type.base_type(), type.index(), type.element(), type.fixed_length()};
}

core::Result<CommandSchema> CommandSchema::load(core::ByteView bfbs) {
  using reflect::Limits;
  if (bfbs.size() > Limits::schema_bytes)
    return bad(core::format("a schema has at most {} bytes, this one {}", Limits::schema_bytes, bfbs.size()));
  CommandSchema schema(bfbs);
  flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(schema.bytes_.data()), schema.bytes_.size(),
                                 Limits::verifier_depth, static_cast<flatbuffers::uoffset_t>(bfbs.size() / 8));
  if (!reflection::VerifySchemaBuffer(verifier))
    return bad("not a FlatBuffers binary schema (.bfbs), or a damaged one");
  if (std::string problem = schema.check(); !problem.empty()) return bad(std::move(problem));
  return schema;
}

const char* CommandSchema::identifier() const {
  const flatbuffers::String* const text = schema().file_ident();
  return text != nullptr && text->size() == flatbuffers::kFileIdentifierLength ? text->c_str() : nullptr;
}

std::uint32_t CommandSchema::inline_size(const CommandType& type) const {
  if (type.base == reflection::Array) return type.count * inline_size(type.element_type());
  if (is_struct(type)) return static_cast<std::uint32_t>(object(type.index).bytesize());
  return scalar_size(type.base);
}

std::uint32_t CommandSchema::alignment(const CommandType& type) const {
  return is_struct(type) ? static_cast<std::uint32_t>(object(type.index).minalign()) : scalar_size(type.base);
}

std::string CommandSchema::check() const {
  if (schema().root_table() == nullptr) return "the schema has no root_type, which is the type of a command";
  if (root().is_struct()) return "the root_type is a struct; a command is a table";
  for (const reflection::Object* object : *schema().objects())
    if (object->is_struct() &&
        (object->bytesize() <= 0 || object->bytesize() > std::int32_t{wire::command_bytes_max} ||
         object->minalign() <= 0 || object->minalign() > 16 || object->bytesize() % object->minalign() != 0))
      return core::format("struct {} has a wrong size", object->name()->string_view());
  for (const reflection::Enum* type : *schema().enums())
    if (std::string problem = check_union(*type); !problem.empty()) return problem;
  for (const reflection::Object* object : *schema().objects())
    if (std::string problem = check(*object); !problem.empty()) return problem;
  return check(root());
}

std::string CommandSchema::check(const reflection::Object& object) const {
  std::bitset<fields_max> taken;
  for (const reflection::Field* field : *object.fields()) {
    std::string problem = check(type_of(*field));
    if (problem.empty()) problem = check_place(object, *field);
    if (problem.empty() && !object.is_struct()) {
      const std::uint32_t number = (field->offset() - first_offset) / 2;
      if (taken.test(number)) problem = "has another's place";
      taken.set(number);
    }
    if (!problem.empty())
      return core::format("{}.{} {}", object.name()->string_view(), field->name()->string_view(), problem);
  }
  return "";
}

std::string CommandSchema::check_place(const reflection::Object& object, const reflection::Field& field) const {
  const CommandType type = type_of(field);
  if (object.is_struct()) {
    const std::uint32_t size = inline_size(type);
    const bool fits = size > 0 && field.offset() + size <= static_cast<std::uint32_t>(object.bytesize());
    return fits ? "" : "is not within its struct";
  }
  if (type.base == reflection::Array) return "is an array in a table";
  const std::uint32_t end = first_offset + 2 * fields_max;
  return field.offset() >= first_offset && field.offset() % 2 == 0 && field.offset() < end ? "" : "has a wrong offset";
}

std::string CommandSchema::check(const CommandType& type) const {
  switch (type.base) {
    case reflection::String: return "";
    case reflection::Obj: return has(schema().objects(), type.index) ? "" : "has an unknown type";
    case reflection::Union: {
      const bool known = has(schema().enums(), type.index) && enumeration(type.index).is_union();
      return known ? "" : "has an unknown union";
    }
    case reflection::Array:
      if (!is_scalar(type.element) && type.element != reflection::Obj) return "is an array of what no struct has";
      if (const std::string problem = check(type.element_type()); !problem.empty()) return problem;
      return type.count > 0 && type.count <= wire::command_bytes_max ? "" : "is an array of a wrong length";
    case reflection::Vector:
      if (!is_scalar(type.element) && type.element != reflection::Obj && type.element != reflection::String)
        return "is a vector of unions or vectors, which JSON commands do not support";
      return check(type.element_type());
    default:
      if (!is_scalar(type.base)) return "has a type that JSON commands do not support";
      return type.index == -1 || has(schema().enums(), type.index) ? "" : "has an unknown enum";
  }
}

std::string CommandSchema::check_union(const reflection::Enum& type) const {
  if (!type.is_union()) return "";
  for (const reflection::EnumVal* value : *type.values()) {
    const reflection::Type* const member = value->union_type();
    if (value->value() == 0) continue;
    const bool table = member != nullptr && member->base_type() == reflection::Obj &&
                       has(schema().objects(), member->index()) && !object(member->index()).is_struct();
    if (!table || value->value() < 0 || value->value() > 0xff)
      return core::format("{}.{} is not a table, as JSON commands need", type.name()->string_view(),
                          value->name()->string_view());
  }
  return "";
}

}  // namespace mobula::c
