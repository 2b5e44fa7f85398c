#include <flatbuffers/reflection_generated.h>

#include <algorithm>
#include <array>
#include <mobula/core/format.hpp>
#include <mobula/reflect/declarations.hpp>
#include <optional>

namespace mobula::reflect {
namespace {

core::Error bad(std::string message) { return {"bad schema", std::move(message)}; }

struct ScalarType {
  std::uint32_t size;  // 0 if a struct cannot hold it
  FieldKind kind;
};

// Table by reflection::BaseType.
constexpr std::array<ScalarType, 13> scalar_types{{
    {0, {}},
    {0, {}},
    {1, FieldKind::boolean},
    {1, FieldKind::int8},
    {1, FieldKind::uint8},
    {2, FieldKind::int16},
    {2, FieldKind::uint16},
    {4, FieldKind::int32},
    {4, FieldKind::uint32},
    {8, FieldKind::int64},
    {8, FieldKind::uint64},
    {4, FieldKind::float32},
    {8, FieldKind::float64},
}};

// Takes an int, because the bytes may hold a number outside the enum.
std::optional<ScalarType> scalar_type(int base) {
  if (base < 0 || static_cast<std::size_t>(base) >= scalar_types.size()) return std::nullopt;
  const ScalarType type = scalar_types[static_cast<std::size_t>(base)];
  return type.size == 0 ? std::nullopt : std::optional(type);
}

bool is_identifier(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return !text.empty() && letter(text[0]) && std::ranges::all_of(text, [&](char c) { return letter(c) || digit(c); });
}

bool good_name(std::string_view text) { return text.size() <= Limits::name_bytes && is_identifier(text); }

bool good_full_name(std::string_view text) {
  if (text.size() > Limits::full_name_bytes) return false;
  for (;;) {
    const std::size_t dot = text.find('.');
    if (!good_name(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

std::string_view after_last_dot(std::string_view text) { return text.substr(text.rfind('.') + 1); }

std::string_view before_last_dot(std::string_view text) {
  const std::size_t dot = text.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : text.substr(0, dot);
}

std::string_view view(const flatbuffers::String* text) {
  return text == nullptr ? std::string_view() : std::string_view(text->data(), text->size());
}

// flatc writes "//components.fbs", relative to its root folder.
std::string file_name(const flatbuffers::String* path) {
  std::string_view text = view(path);
  return std::string(text.substr(text.rfind('/') + 1));
}

// Reads bytes that the FlatBuffers verifier has accepted. Their numbers are not trusted.
class Reader {
 public:
  explicit Reader(const reflection::Schema& schema) : schema_(schema) {}

  core::Result<Declarations> read() {
    if (!read_enums() || !read_structs() || !sort_structs()) return bad(std::move(problem_));
    return std::move(declarations_);
  }

 private:
  bool fail(std::string message) {
    problem_ = std::move(message);
    return false;
  }

  bool read_enums() {
    if (schema_.enums()->size() > Limits::types) return fail(core::format("more than {} enums", Limits::types));
    for (const reflection::Enum* source : *schema_.enums()) {
      if (!good_full_name(view(source->name()))) return fail("an enum's name is not a name");
      DeclaredEnum target{
          .full_name = std::string(view(source->name())), .file = file_name(source->declaration_file()), .values = {}};
      // Unions are enums here too; no struct can refer to one.
      if (!source->is_union() && !read_enum(*source, target)) return false;
      declarations_.enums.push_back(std::move(target));
    }
    return true;
  }

  bool read_enum(const reflection::Enum& source, DeclaredEnum& target) {
    const auto underlying = scalar_type(source.underlying_type()->base_type());
    if (!underlying || !is_integer(underlying->kind)) return fail("enum " + target.full_name + " is not an integer");
    target.underlying = underlying->kind;
    if (source.values()->size() > Limits::enum_values)
      return fail(core::format("enum {} has more than {} values", target.full_name, Limits::enum_values));
    for (const reflection::EnumVal* value : *source.values()) {
      if (!good_name(view(value->name()))) return fail("enum " + target.full_name + " has a value without a name");
      if (!integer_fits(value->value(), underlying->kind)) {
        return fail(core::format("enum {}: {} does not fit", target.full_name, view(value->name())));
      }
      target.values.push_back({std::string(view(value->name())), value->value()});
    }
    std::ranges::sort(target.values, {}, &EnumValue::value);
    if (std::ranges::adjacent_find(target.values, {}, &EnumValue::value) != target.values.end()) {
      return fail("enum " + target.full_name + " has two names for one value");
    }
    return true;
  }

  bool read_structs() {
    if (schema_.objects()->size() > Limits::types) return fail(core::format("more than {} structs", Limits::types));
    for (const reflection::Object* source : *schema_.objects()) {
      if (!good_full_name(view(source->name()))) return fail("a struct's name is not a name");
      DeclaredStruct target{.full_name = std::string(view(source->name())),
                            .file = file_name(source->declaration_file()),
                            .fields = {},
                            .attributes = {}};
      if (source->is_struct() && !read_struct(*source, target)) return false;
      declarations_.structs.push_back(std::move(target));
    }
    return true;
  }

  bool read_struct(const reflection::Object& source, DeclaredStruct& target) {
    const std::int32_t size = source.bytesize();
    const std::int32_t alignment = source.minalign();
    const bool aligned = alignment == 1 || alignment == 2 || alignment == 4 || alignment == 8;
    if (!aligned) return fail(target.full_name + ": alignment must be 1, 2, 4 or 8");
    if (size < 1 || size > static_cast<std::int32_t>(Limits::component_bytes) || size % alignment != 0) {
      return fail(core::format("{}: a struct has 1 to {} bytes", target.full_name, Limits::component_bytes));
    }
    target.size = static_cast<std::uint32_t>(size);
    target.alignment = static_cast<std::uint32_t>(alignment);
    if (!read_attributes(source.attributes(), target.full_name, target.attributes)) return false;
    if (source.fields()->size() == 0 || source.fields()->size() > Limits::fields) {
      return fail(core::format("{}: a struct has 1 to {} fields", target.full_name, Limits::fields));
    }
    for (const reflection::Field* field : *source.fields()) {
      if (!good_name(view(field->name()))) return fail(target.full_name + " has a field without a name");
      DeclaredField declared{
          .name = std::string(view(field->name())), .type = {}, .offset = field->offset(), .attributes = {}};
      const std::string where = target.full_name + "." + declared.name;
      if (!read_type(*field->type(), where, declared.type)) return false;
      if (!read_attributes(field->attributes(), where, declared.attributes)) return false;
      target.fields.push_back(std::move(declared));
    }
    std::ranges::sort(target.fields, {}, &DeclaredField::offset);
    return unique_names(target);
  }

  bool unique_names(const DeclaredStruct& target) {
    std::vector<std::string_view> names;
    for (const DeclaredField& field : target.fields) names.push_back(field.name);
    std::ranges::sort(names);
    const auto twice = std::ranges::adjacent_find(names);
    return twice == names.end() || fail(core::format("{} has two fields {}", target.full_name, *twice));
  }

  bool read_type(const reflection::Type& source, const std::string& where, DeclaredType& target) {
    const bool array = source.base_type() == reflection::Array;
    const int base = array ? source.element() : source.base_type();
    if (array && source.fixed_length() == 0) return fail(where + ": an array has at least one element");
    if (array) target.array_length = source.fixed_length();
    if (base == reflection::Obj) {
      const std::int32_t index = source.index();
      const bool known = index >= 0 && static_cast<std::uint32_t>(index) < schema_.objects()->size();
      if (!known || !schema_.objects()->Get(static_cast<std::uint32_t>(index))->is_struct()) {
        return fail(where + " is of a struct that is not there");
      }
      target.struct_index = index;
      return true;
    }
    const auto scalar = scalar_type(base);
    if (!scalar) return fail(where + " is of a type that no struct can hold");
    target.scalar = scalar->kind;
    target.element_size = scalar->size;
    return source.index() < 0 || read_enum_index(source.index(), where, target);
  }

  bool read_enum_index(std::int32_t index, const std::string& where, DeclaredType& target) {
    if (static_cast<std::uint32_t>(index) >= schema_.enums()->size()) return fail(where + " is of an unknown enum");
    const DeclaredEnum& type = declarations_.enums[static_cast<std::size_t>(index)];
    if (type.values.empty() || type.underlying != target.scalar) return fail(where + " does not agree with its enum");
    target.enum_index = index;
    return true;
  }

  bool read_attributes(const flatbuffers::Vector<flatbuffers::Offset<reflection::KeyValue>>* source,
                       const std::string& where, Attributes& target) {
    if (source == nullptr) return true;
    if (source->size() > Limits::attributes)
      return fail(core::format("{} has more than {} attributes", where, Limits::attributes));
    for (const reflection::KeyValue* entry : *source) {
      if (view(entry->key()).size() > Limits::name_bytes || view(entry->value()).size() > Limits::attribute_bytes) {
        return fail(core::format("{} has an attribute above {} bytes of name or {} of value", where, Limits::name_bytes,
                                 Limits::attribute_bytes));
      }
      if (!target.emplace(view(entry->key()), view(entry->value())).second) {
        return fail(core::format("{} has the attribute {} twice", where, view(entry->key())));
      }
    }
    return true;
  }

  // Sorts structs behind those they contain, level by level. A struct left over after the deepest level contains
  // itself, or is nested too deeply.
  bool sort_structs() {
    std::vector<DeclaredStruct>& structs = declarations_.structs;
    std::vector<std::int32_t> order;
    std::vector<std::int32_t> new_index(structs.size(), -1);
    for (std::uint32_t level = 0; level < Limits::depth; ++level) {
      const std::size_t resolved = order.size();
      for (std::size_t i = 0; i < structs.size(); ++i) {
        if (new_index[i] < 0 && contents_resolved(structs[i], new_index, resolved)) {
          new_index[i] = static_cast<std::int32_t>(order.size());
          order.push_back(static_cast<std::int32_t>(i));
        }
      }
    }
    if (order.size() < structs.size())
      return fail(core::format("structs are nested deeper than {} levels, or form a cycle", Limits::depth));

    std::vector<DeclaredStruct> sorted;
    sorted.reserve(structs.size());
    for (const std::int32_t from : order) {
      DeclaredStruct& next = sorted.emplace_back(std::move(structs[static_cast<std::size_t>(from)]));
      if (!lay_out(next, sorted, new_index)) return false;
    }
    structs = std::move(sorted);
    return true;
  }

  static bool contents_resolved(const DeclaredStruct& type, const std::vector<std::int32_t>& new_index,
                                std::size_t resolved) {
    return std::ranges::all_of(type.fields, [&](const DeclaredField& field) {
      if (field.type.struct_index < 0) return true;
      const std::int32_t index = new_index[static_cast<std::size_t>(field.type.struct_index)];
      return index >= 0 && static_cast<std::size_t>(index) < resolved;
    });
  }

  // Updates the fields' struct indices, and checks that fields are inside the struct, ordered, aligned and disjoint.
  bool lay_out(DeclaredStruct& type, const std::vector<DeclaredStruct>& sorted,
               const std::vector<std::int32_t>& new_index) {
    std::uint32_t end = 0;
    for (DeclaredField& field : type.fields) {
      std::uint32_t alignment = field.type.element_size;
      if (field.type.struct_index >= 0) {
        field.type.struct_index = new_index[static_cast<std::size_t>(field.type.struct_index)];
        const DeclaredStruct& inner = sorted[static_cast<std::size_t>(field.type.struct_index)];
        field.type.element_size = inner.size;
        alignment = inner.alignment;
      }
      // No overflow: at most 2^16 elements of at most Limits::component_bytes.
      const bool fits = field.offset >= end && field.offset % alignment == 0 && alignment <= type.alignment &&
                        field.offset + field.type.size() <= type.size;
      if (!fits) return fail(core::format("{}.{} has an offset where it does not fit", type.full_name, field.name));
      end = field.offset + field.type.size();
    }
    return true;
  }

  const reflection::Schema& schema_;
  Declarations declarations_;
  std::string problem_;
};

}  // namespace

std::string_view DeclaredStruct::name() const { return after_last_dot(full_name); }
std::string_view DeclaredStruct::name_space() const { return before_last_dot(full_name); }
std::string_view DeclaredEnum::name() const { return after_last_dot(full_name); }
std::string_view DeclaredEnum::name_space() const { return before_last_dot(full_name); }

std::uint32_t scalar_size(FieldKind kind) {
  const auto found =
      std::ranges::find_if(scalar_types, [&](const ScalarType& type) { return type.size != 0 && type.kind == kind; });
  MOBULA_ASSERT(found != scalar_types.end(), "not a scalar");
  return found->size;
}

core::Result<Declarations> read_declarations(core::ByteView bfbs) {
  if (bfbs.size() > Limits::schema_bytes) {
    return bad(core::format("a schema has at most {} bytes, this one {}", Limits::schema_bytes, bfbs.size()));
  }
  // A table takes at least 8 bytes with a shared vtable. More tables mean one table referenced repeatedly, which only
  // hostile bytes contain.
  flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(bfbs.data()), bfbs.size(),
                                 Limits::verifier_depth, static_cast<flatbuffers::uoffset_t>(bfbs.size() / 8));
  if (!reflection::VerifySchemaBuffer(verifier))
    return bad("not a FlatBuffers binary schema (.bfbs), or a damaged one");
  return Reader(*reflection::GetSchema(bfbs.data())).read();
}

}  // namespace mobula::reflect
