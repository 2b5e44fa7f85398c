#include <flatbuffers/reflection_generated.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mobula/core/format.hpp>
#include <mobula/reflect/describe.hpp>
#include <mobula/reflect/own_declarations.hpp>
#include <mobula/reflect/typescript_messages.hpp>
#include <mobula/reflect/typescript_types.hpp>
#include <optional>

namespace mobula::reflect {
namespace {

using Table = reflection::Object;
using TableField = reflection::Field;

// By reflection::BaseType, from Bool on: the types of the module of messages.
constexpr std::array<std::string_view, 11> scalar_names{"bool",   "int8",  "uint8",  "int16",   "uint16", "int32",
                                                        "uint32", "int64", "uint64", "float32", "float64"};

bool is_scalar(reflection::BaseType type) { return type >= reflection::Bool && type <= reflection::Double; }

std::string_view scalar_name(reflection::BaseType type) {
  return scalar_names.at(static_cast<std::size_t>(type) - reflection::Bool);
}

std::string real_literal(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return core::format("{}", value);
}

// A field of a table: its type, and the description by which it is encoded.
struct FieldText {
  std::string type;
  std::string description;
  bool is_required = false;
};

class MessagesWriter {
 public:
  MessagesWriter(const reflection::Schema& schema, const Declarations& declarations, const Documentation& documentation)
      : schema_(schema), declarations_(declarations), types_(declarations, documentation) {
    for (const DeclaredStruct& type : declarations_.structs) structs_.emplace(type.full_name, &type);
    for (const DeclaredEnum& type : declarations_.enums) enums_.emplace(type.full_name, &type);
    find_variants();
  }

  core::Result<std::string> write(std::string_view schema_name) {
    std::string text =
        core::format("// Generated from {}.fbs: do not edit.\nimport * as mobula from \"@mobula/client/messages\";\n\n",
                     schema_name);
    for (const DeclaredEnum& type : declarations_.enums) {
      if (!type.values.empty()) text += types_.enum_text(type);
    }
    for (const DeclaredStruct& type : declarations_.structs) {
      if (!type.fields.empty() && !is_entity(type)) text += struct_text(type);
    }
    for (const reflection::Enum* type : *schema_.enums()) {
      if (type->is_union()) text += union_text(*type);
    }
    for (const Table* table : *schema_.objects()) {
      if (!table->is_struct()) text += table_text(*table);
    }
    if (problem_) return core::Error{"bad schema", std::move(*problem_)};
    text.pop_back();  // the empty line behind the last type
    return text;
  }

 private:
  void refuse(std::string message) {
    if (!problem_) problem_ = std::move(message);
  }

  static bool is_union(const TableField& field) { return field.type()->base_type() == reflection::Union; }

  // A table that the only union of the root contains once is encoded as the root.
  void find_variants() {
    const TableField* only = nullptr;
    for (const TableField* field : *schema_.root_table()->fields()) {
      if (!is_union(*field)) continue;
      if (only != nullptr) return;
      only = field;
    }
    if (only == nullptr) return;
    union_field_ = only->name()->string_view();
    for (const reflection::EnumVal* value : *variants_of(*only->type())) {
      if (const Table* table = table_of(*value)) variants_[table].emplace_back(value->name()->string_view());
    }
  }

  const flatbuffers::Vector<flatbuffers::Offset<reflection::EnumVal>>* variants_of(const reflection::Type& type) const {
    return schema_.enums()->Get(static_cast<flatbuffers::uoffset_t>(type.index()))->values();
  }

  // Null for NONE.
  const Table* table_of(const reflection::EnumVal& value) {
    if (value.value() == 0) return nullptr;
    const reflection::Type* type = value.union_type();
    const bool is_object = type != nullptr && type->base_type() == reflection::Obj && type->index() >= 0;
    const Table* table =
        is_object ? schema_.objects()->Get(static_cast<flatbuffers::uoffset_t>(type->index())) : nullptr;
    if (table != nullptr && !table->is_struct()) return table;
    refuse(core::format("{}: a union of messages contains tables alone", value.name()->string_view()));
    return nullptr;
  }

  // Structs ---------------------------------------------------------------------------------------------------------

  std::string inline_type(const DeclaredField& field) {
    std::string text;
    if (is_text(field)) return core::format("mobula.fixedText({})", field.type.array_length);
    if (field.type.struct_index >= 0) {
      text = struct_type(declarations_.structs[static_cast<std::size_t>(field.type.struct_index)]);
    } else {
      text = core::format("mobula.{}", scalar_names.at(static_cast<std::size_t>(field.type.scalar)));
      if (field.type.enum_index >= 0) {
        const DeclaredEnum& type = declarations_.enums[static_cast<std::size_t>(field.type.enum_index)];
        text = core::format("mobula.enumOf({}, {})", text, types_.name_of(type.full_name));
      }
    }
    return is_array(field) ? core::format("mobula.array({}, {})", text, field.type.array_length) : text;
  }

  std::string struct_type(const DeclaredStruct& type) {
    return is_entity(type) ? "mobula.entity" : types_.name_of(type.full_name);
  }

  std::string struct_text(const DeclaredStruct& type) {
    const std::string name = types_.name_of(type.full_name);
    std::string properties, members;
    for (const DeclaredField& field : type.fields) {
      const std::string element = types_.element_type(field);
      properties +=
          types_.property(type.full_name, field.name, is_array(field) ? "readonly " + element + "[]" : element);
      members += core::format("  {}: [{}, {}],\n", field.name, field.offset, inline_type(field));
    }
    return types_.interface_text(type.full_name, properties) +
           core::format(
               "export const {0}: mobula.InlineType<{0}> = /* @__PURE__ */ mobula.struct({1}, {2}, () => "
               "({{\n{3}}}));\n\n",
               name, type.size, type.alignment, members);
  }

  // Unions ----------------------------------------------------------------------------------------------------------

  std::string union_text(const reflection::Enum& type) {
    std::string text = types_.comment(type.name()->string_view(), "") +
                       core::format("export type {} =", types_.name_of(type.name()->string_view()));
    for (const reflection::EnumVal* value : *type.values()) {
      const Table* table = table_of(*value);
      if (table == nullptr) continue;
      text += core::format("\n  | {{ readonly kind: \"{}\"; readonly value: {} }}", value->name()->string_view(),
                           types_.name_of(table->name()->string_view()));
    }
    return text + ";\n\n";
  }

  std::string union_variants(const reflection::Type& type) {
    std::string text;
    for (const reflection::EnumVal* value : *variants_of(type)) {
      if (const Table* table = table_of(*value)) {
        text += core::format("{}{}: [{}, {}]", text.empty() ? "" : ", ", value->name()->string_view(), value->value(),
                             types_.name_of(table->name()->string_view()));
      }
    }
    return text;
  }

  // Tables ----------------------------------------------------------------------------------------------------------

  const DeclaredEnum* enum_of(const reflection::Type& type) const {
    if (type.index() < 0) return nullptr;
    return enums_.find(schema_.enums()->Get(static_cast<flatbuffers::uoffset_t>(type.index()))->name()->string_view())
        ->second;
  }

  // Returns an integer, an enum, a bool or a float: its type, and the description of that type.
  FieldText scalar_text(reflection::BaseType base, const reflection::Type& type) {
    const std::string inline_type = core::format("mobula.{}", scalar_name(base));
    if (const DeclaredEnum* declared = enum_of(type)) {
      const std::string name = types_.name_of(declared->full_name);
      return {name, core::format("mobula.enumOf({}, {})", inline_type, name)};
    }
    if (base == reflection::Bool) return {"boolean", inline_type};
    return {base == reflection::Long || base == reflection::ULong ? "bigint" : "number", inline_type};
  }

  std::string fallback(const TableField& field) {
    const reflection::BaseType base = field.type()->base_type();
    const std::int64_t integer = field.default_integer();
    if (const DeclaredEnum* declared = enum_of(*field.type())) {
      for (const EnumValue& value : declared->values) {
        if (value.value == integer) return core::format("\"{}\"", value.name);
      }
      refuse(core::format("{}: its default is no value of {}", field.name()->string_view(), declared->full_name));
    }
    if (base == reflection::Bool) return integer != 0 ? "true" : "false";
    if (base == reflection::Float || base == reflection::Double) return real_literal(field.default_real());
    return typescript_integer(base == reflection::ULong  ? FieldKind::uint64
                              : base == reflection::Long ? FieldKind::int64
                                                         : FieldKind::int32,
                              integer);
  }

  FieldText object_text(const reflection::Type& type, std::uint16_t id) {
    const Table& object = *schema_.objects()->Get(static_cast<flatbuffers::uoffset_t>(type.index()));
    const auto declared = structs_.find(object.name()->string_view());
    if (object.is_struct() && is_entity(*declared->second)) {
      return {"mobula.Entity", core::format("mobula.optional({}, mobula.entity)", id)};
    }
    const std::string name = types_.name_of(object.name()->string_view());
    return {name, object.is_struct() ? core::format("mobula.optional({}, {})", id, name)
                                     : core::format("mobula.child({}, () => {})", id, name)};
  }

  FieldText vector_text(const TableField& field) {
    const reflection::Type& type = *field.type();
    const reflection::BaseType element = type.element();
    const std::uint16_t id = field.id();
    if (element == reflection::UByte && type.index() < 0) return {"Uint8Array", core::format("mobula.bytes({})", id)};
    if (element == reflection::String) return {"readonly string[]", core::format("mobula.texts({})", id)};
    if (is_scalar(element)) {
      const FieldText of = scalar_text(element, type);
      return {core::format("readonly {}[]", of.type), core::format("mobula.list({}, {})", id, of.description)};
    }
    if (element != reflection::Obj) {
      refuse(core::format("{}: vectors of unions are not supported", field.name()->string_view()));
      return {};
    }
    const Table& object = *schema_.objects()->Get(static_cast<flatbuffers::uoffset_t>(type.index()));
    if (!object.is_struct()) {
      const std::string name = types_.name_of(object.name()->string_view());
      return {core::format("readonly {}[]", name), core::format("mobula.tables({}, () => {})", id, name)};
    }
    const DeclaredStruct& declared = *structs_.find(object.name()->string_view())->second;
    const std::string name = is_entity(declared) ? "mobula.Entity" : types_.name_of(declared.full_name);
    return {core::format("readonly {}[]", name), core::format("mobula.list({}, {})", id, struct_type(declared))};
  }

  FieldText field_text(const TableField& field) {
    const reflection::BaseType base = field.type()->base_type();
    const std::uint16_t id = field.id();
    if (is_scalar(base)) {
      FieldText text = scalar_text(base, *field.type());
      if (field.optional()) {
        return {text.type + " | null", core::format("mobula.optional({}, {})", id, text.description)};
      }
      text.description = core::format("mobula.scalar({}, {}, {})", id, text.description, fallback(field));
      return text;
    }
    if (base == reflection::Vector) return vector_text(field);
    FieldText text;
    if (base == reflection::String) {
      text = {"string", core::format("mobula.text({})", id)};
    } else if (base == reflection::Union) {
      const reflection::Enum& type = *schema_.enums()->Get(static_cast<flatbuffers::uoffset_t>(field.type()->index()));
      text = {types_.name_of(type.name()->string_view()),
              core::format("mobula.union({}, () => ({{ {} }}))", id, union_variants(*field.type()))};
    } else {
      text = object_text(*field.type(), id);
    }
    text.is_required = field.required();
    if (text.is_required)
      text.description = core::format("mobula.required({})", text.description);
    else
      text.type += " | null";
    return text;
  }

  std::string table_text(const Table& table) {
    std::vector<const TableField*> fields;
    for (const TableField* field : *table.fields()) {
      // The kind of a union is a field of its own, which the union's description includes.
      const bool is_kind =
          field->type()->base_type() == reflection::UType || field->type()->element() == reflection::UType;
      if (!field->deprecated() && !is_kind) fields.push_back(field);
    }
    std::ranges::sort(fields, {}, [](const TableField* field) { return field->id(); });
    std::string properties, descriptions, required;
    for (const TableField* field : fields) {
      const FieldText text = field_text(*field);
      properties += types_.property(table.name()->string_view(), field->name()->string_view(), text.type);
      descriptions += core::format("  {}: {},\n", field->name()->string_view(), text.description);
      if (text.is_required) {
        required += core::format("{}\"{}\"", required.empty() ? ", " : " | ", field->name()->string_view());
      }
    }
    return types_.interface_text(table.name()->string_view(), properties) +
           core::format("export const {0}: mobula.Message<{0}{1}> = /* @__PURE__ */ mobula.{2}() => ({{\n{3}}}));\n\n",
                        types_.name_of(table.name()->string_view()), required, beginning(table), descriptions);
  }

  std::string beginning(const Table& table) {
    const auto found = variants_.find(&table);
    if (found == variants_.end() || found->second.size() != 1) return core::format("table(\"{}\", ", after_dot(table));
    return core::format("variant(\"{}\", () => {}, \"{}\", \"{}\", ", after_dot(table),
                        types_.name_of(schema_.root_table()->name()->string_view()), union_field_,
                        found->second.front());
  }

  static std::string_view after_dot(const Table& table) {
    const std::string_view name = table.name()->string_view();
    return name.substr(name.rfind('.') + 1);
  }

  const reflection::Schema& schema_;
  const Declarations& declarations_;
  TypescriptTypes types_;
  std::map<std::string, const DeclaredStruct*, std::less<>> structs_;  // by full name, as the next
  std::map<std::string, const DeclaredEnum*, std::less<>> enums_;
  std::string union_field_;                                         // the root's only one
  std::map<const Table*, std::vector<std::string_view>> variants_;  // names of the root's variants; only looked up
  std::optional<std::string> problem_;
};

}  // namespace

core::Result<std::string> generate_typescript_messages(const reflection::Schema& schema,
                                                       const Declarations& declarations,
                                                       const Documentation& documentation,
                                                       std::string_view schema_name) {
  return MessagesWriter(schema, declarations, documentation).write(schema_name);
}

}  // namespace mobula::reflect
