#include <flatbuffers/idl.h>

#include <fstream>
#include <iterator>
#include <reflect/compile_schema.hpp>
#include <regex>
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

// Loads the demo's schema after a replacement, with more definitions.
std::shared_ptr<const reflect::Schema> load_replaced(const char* pattern, const char* by, std::string_view more = {}) {
  std::string components = read_schema("components.fbs").append(more);
  const std::string include = "include \"engine.fbs\";";
  components.replace(components.find(include), include.size(), read_schema("engine.fbs"));
  const auto schema = reflect::Schema::load(compile(std::regex_replace(components, std::regex(pattern), by)));
  if (!schema) throw std::invalid_argument(schema.error().message);
  return *schema;
}

}  // namespace

core::Bytes compile_schema(std::string_view text) {
  return compile("include \"engine.fbs\";\nnamespace test;\n" + std::string(text));
}

std::shared_ptr<const reflect::Schema> load_game_schema_without_courses() {
  return load_replaced(", dead_reckoning:\"[^\"]*\"", "");
}

std::shared_ptr<const reflect::Schema> load_predicted_game_schema() {
  return load_replaced("dead_reckoning:\"[^\"]*\"", "$&, predicted");
}

std::shared_ptr<const reflect::Schema> load_game_schema_with(std::string_view more) {
  return load_replaced("", "", more);
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
