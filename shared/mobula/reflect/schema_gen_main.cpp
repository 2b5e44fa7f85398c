// mobula-schema-gen: the generator as a program, run by schema/MobulaSchema.cmake.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mobula/reflect/generator.hpp>
#include <string>

namespace {

int refuse(const std::string& message) {
  std::fprintf(stderr, "mobula-schema-gen: %s\n", message.c_str());
  return 2;
}

bool write_file(const std::string& path, const std::string& text) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  return !file.fail();
}

}  // namespace

int main(int argc, char** argv) {
  std::string input, include, header, source;
  CLI::App app("Makes plain C++ structs from a FlatBuffers binary schema.");
  app.footer(
      "Example: mobula-schema-gen my.bfbs --include my/components.hpp --header my/components.hpp --source my.cpp");
  app.add_option("input", input, "the schema, made by flatc --binary --schema --bfbs-filenames DIR")->required();
  app.add_option("--include", include, "as which the sources include the header")->required();
  app.add_option("--header", header, "the header to write")->required();
  app.add_option("--source", source, "the source file to write")->required();
  CLI11_PARSE(app, argc, argv);

  std::ifstream file(input, std::ios::binary);
  if (!file) return refuse(input + ": cannot be read");
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const auto code = mobula::reflect::generate_code(mobula::core::as_bytes(bytes.data(), bytes.size()),
                                                   std::filesystem::path(input).stem().string(), include);
  if (!code) return refuse(input + ": " + code.error().message);
  if (!write_file(header, code->header)) return refuse(header + ": cannot be written");
  if (!write_file(source, code->source)) return refuse(source + ": cannot be written");
  return 0;
}
