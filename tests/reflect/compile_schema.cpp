#include <flatbuffers/idl.h>

#include <reflect/compile_schema.hpp>
#include <stdexcept>
#include <string>

namespace mobula::test {

core::Bytes compile_schema(std::string_view text) {
  flatbuffers::Parser parser;
  const std::string source = "include \"engine.fbs\";\nnamespace test;\n" + std::string(text);
  const char* include_folders[] = {MOBULA_SOURCE_DIR "/schema", nullptr};
  if (!parser.Parse(source.c_str(), include_folders)) throw std::invalid_argument(parser.error_);
  parser.Serialize();
  const core::ByteView bytes = core::as_bytes(parser.builder_.GetBufferPointer(), parser.builder_.GetSize());
  return {bytes.begin(), bytes.end()};
}

std::shared_ptr<const reflect::Schema> load_schema(std::string_view text) {
  const auto schema = reflect::Schema::load(compile_schema(text));
  if (!schema) throw std::invalid_argument(schema.error().message);
  return *schema;
}

std::string refusal(std::string_view text) {
  const auto schema = reflect::Schema::load(compile_schema(text));
  return schema ? std::string() : schema.error().message;
}

}  // namespace mobula::test
