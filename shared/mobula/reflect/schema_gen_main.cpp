// mobula-schema-gen: the generator as a program, run by schema/MobulaSchema.cmake.
#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <ios>
#include <mobula/reflect/csharp_generator.hpp>
#include <mobula/reflect/generator.hpp>
#include <mobula/reflect/typescript_generator.hpp>
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

struct Output {
  std::string include, header, source;  // C++: all three, or none
  std::string csharp;
  std::string typescript, commented;
};

constexpr std::size_t schema_bytes_max = 64u << 20;

// Errors: "missing", "too large".
mobula::core::Result<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return mobula::core::Error{"missing", path + ": cannot be read: " + std::strerror(errno)};
  std::string text;
  std::array<char, 65536> piece;
  for (std::streamsize got = 1; got > 0; text.append(piece.data(), static_cast<std::size_t>(got))) {
    if (text.size() > schema_bytes_max) return mobula::core::Error{"too large", path + ": larger than 64 MiB"};
    file.read(piece.data(), piece.size());
    got = file.gcount();
  }
  return text;
}

int write_cpp(const mobula::core::ByteView bfbs, const std::string& input, const std::string& name, const Output& to) {
  const auto code = mobula::reflect::generate_code(bfbs, name, to.include);
  if (!code) return refuse(input + ": " + code.error().message);
  if (!write_file(to.header, code->header)) return refuse(to.header + ": cannot be written: " + std::strerror(errno));
  if (!write_file(to.source, code->source)) return refuse(to.source + ": cannot be written: " + std::strerror(errno));
  return 0;
}

int write_csharp(const mobula::core::ByteView bfbs, const std::string& input, const std::string& name,
                 const Output& to) {
  const auto code = mobula::reflect::generate_csharp(bfbs, name);
  if (!code) return refuse(input + ": " + code.error().message);
  if (!write_file(to.csharp, *code)) return refuse(to.csharp + ": cannot be written: " + std::strerror(errno));
  return 0;
}

int write_typescript(const mobula::core::ByteView bfbs, const std::string& input, const std::string& name,
                     const Output& to) {
  mobula::core::Result<std::string> comments = std::string();
  if (!to.commented.empty()) comments = read_file(to.commented);
  if (!comments) return refuse(comments.error().message);
  const auto code =
      mobula::reflect::generate_typescript(bfbs, mobula::core::as_bytes(comments->data(), comments->size()), name);
  if (!code) return refuse(input + ": " + code.error().message);
  if (!write_file(to.typescript, *code)) return refuse(to.typescript + ": cannot be written: " + std::strerror(errno));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::string input;
  Output to;
  CLI::App app("Makes plain structs of C++ or C#, or types of TypeScript, from a FlatBuffers binary schema.");
  app.footer(
      "Examples: mobula-schema-gen my.bfbs --include my/components.hpp --header my/components.hpp --source my.cpp\n"
      "          mobula-schema-gen my.bfbs --csharp My.cs\n"
      "          mobula-schema-gen my.bfbs --typescript my.ts --comments my.comments.bfbs");
  app.add_option("input", input, "the schema, made by flatc --binary --schema --bfbs-filenames DIR")
      ->type_name("FILE")
      ->required();
  auto* include = app.add_option("--include", to.include, "path of the header in #include lines")->type_name("PATH");
  auto* header = app.add_option("--header", to.header, "the header to write")->type_name("FILE")->needs(include);
  auto* source = app.add_option("--source", to.source, "the source file to write")->type_name("FILE")->needs(header);
  include->needs(source);
  app.add_option("--csharp", to.csharp, "the C# file to write")->type_name("FILE");
  auto* typescript = app.add_option("--typescript", to.typescript, "the TypeScript file to write")->type_name("FILE");
  app.add_option("--comments", to.commented,
                 "the same schema made with --bfbs-comments, for doc comments in TypeScript")
      ->type_name("FILE")
      ->needs(typescript);
  CLI11_PARSE(app, argc, argv);
  if (to.source.empty() && to.csharp.empty() && to.typescript.empty()) {
    return refuse("nothing to write: give --source, --csharp or --typescript");
  }

  const mobula::core::Result<std::string> text = read_file(input);
  if (!text) return refuse(text.error().message);
  const mobula::core::ByteView bfbs = mobula::core::as_bytes(text->data(), text->size());
  const std::string name = std::filesystem::path(input).stem().string();
  int status = to.source.empty() ? 0 : write_cpp(bfbs, input, name, to);
  if (status == 0 && !to.csharp.empty()) status = write_csharp(bfbs, input, name, to);
  if (status == 0 && !to.typescript.empty()) status = write_typescript(bfbs, input, name, to);
  return status;
}
