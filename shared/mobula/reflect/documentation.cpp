#include <flatbuffers/reflection_generated.h>

#include <mobula/reflect/documentation.hpp>
#include <string_view>

namespace mobula::reflect {
namespace {

using Lines = flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>;

void add(Documentation& all, std::string name, const Lines* lines) {
  if (lines == nullptr || lines->size() == 0) return;
  std::vector<std::string>& text = all[std::move(name)];
  for (const flatbuffers::String* line : *lines) {
    std::string_view content(line->data(), line->size());
    if (content.starts_with(' ')) content.remove_prefix(1);
    text.emplace_back(content);
  }
}

}  // namespace

core::Result<Documentation> read_documentation(core::ByteView bfbs) {
  Documentation all;
  if (bfbs.empty()) return all;
  flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(bfbs.data()), bfbs.size());
  if (!reflection::VerifySchemaBuffer(verifier)) {
    return core::Error{"bad schema", "the schema with comments is not a FlatBuffers binary schema (.bfbs)"};
  }
  const reflection::Schema& schema = *reflection::GetSchema(bfbs.data());
  for (const reflection::Object* type : *schema.objects()) {
    add(all, type->name()->str(), type->documentation());
    for (const reflection::Field* field : *type->fields()) {
      add(all, type->name()->str() + "." + field->name()->str(), field->documentation());
    }
  }
  for (const reflection::Enum* type : *schema.enums()) {
    add(all, type->name()->str(), type->documentation());
    for (const reflection::EnumVal* value : *type->values()) {
      add(all, type->name()->str() + "." + value->name()->str(), value->documentation());
    }
  }
  return all;
}

}  // namespace mobula::reflect
