#include <flatbuffers/idl.h>

#include <fstream>
#include <iterator>
#include <reflect/compile_schema.hpp>
#include <stdexcept>
#include <string>

namespace mobula::test {

namespace {

core::Bytes compile(const std::string& source) {
  flatbuffers::Parser parser;
  const char* include_folders[] = {MOBULA_SOURCE_DIR "/schema", nullptr};
  if (!parser.Parse(source.c_str(), include_folders)) throw std::invalid_argument(parser.error_);
  parser.Serialize();
  const core::ByteView bytes = core::as_bytes(parser.builder_.GetBufferPointer(), parser.builder_.GetSize());
  return {bytes.begin(), bytes.end()};
}

std::string read_schema(const std::string& name) {
  std::ifstream file(MOBULA_SOURCE_DIR "/schema/" + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

void replace(std::string& text, std::string_view old, std::string_view by) {
  const std::size_t at = text.find(old);
  if (at == std::string::npos) throw std::invalid_argument("the schema has no " + std::string(old));
  text.replace(at, old.size(), by);
}

}  // namespace

core::Bytes compile_schema(std::string_view text) {
  return compile("include \"engine.fbs\";\nnamespace test;\n" + std::string(text));
}

std::shared_ptr<const reflect::Schema> load_reckoned_game_schema() {
  std::string engine = read_schema("engine.fbs");
  replace(engine, R"(step:"0.01"))", R"(step:"0.01", dead_reckoning:"0.02"))");
  replace(engine, R"(bits:"10", default:"0 0 0 1"))", R"(bits:"10", default:"0 0 0 1", dead_reckoning:"0.003"))");
  std::string components = read_schema("components.fbs");
  replace(components, "include \"engine.fbs\";", engine);
  const auto schema = reflect::Schema::load(compile(components));
  if (!schema) throw std::invalid_argument(schema.error().message);
  return *schema;
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
