#include <mobula/schema/components.hpp>
#include <resource/test_level.hpp>
#include <stdexcept>

namespace mobula::test {

const reflect::Schema& demo_schema() {
  static const auto schema = reflect::Schema::load(demo::schema_bytes());
  return **schema;
}

resource::Compiled compile_files(const Files& files, const reflect::Schema& schema,
                                 const resource::CompilerTable& compilers) {
  resource::CompileOptions options;
  options.compilers = compilers;
  options.read = [&files](const std::string& path) -> core::Result<std::string> {
    const auto found = files.find(path);
    if (found == files.end()) return core::Error{"missing", "no such file"};
    return found->second;
  };
  return resource::compile("level.json", schema, options);
}

resource::Compiled compile_text(const std::string& text, const reflect::Schema& schema) {
  return compile_files({{"level.json", text}}, schema);
}

std::string errors_of(const resource::Compiled& compiled) {
  std::string lines;
  for (const resource::CompileError& error : compiled.errors) lines += to_string(error) + "\n";
  return lines;
}

std::string errors_of(const std::string& text) { return errors_of(compile_text(text)); }

std::shared_ptr<const resource::Resource> load_compiled(const resource::Compiled& compiled) {
  if (!compiled.errors.empty()) throw std::runtime_error(errors_of(compiled));
  auto loaded = resource::Resource::from_bytes(compiled.bytes);
  if (!loaded) throw std::runtime_error(loaded.error().message);
  return *loaded;
}

std::shared_ptr<const resource::Resource> load_text(const std::string& text, const reflect::Schema& schema) {
  return load_compiled(compile_text(text, schema));
}

const resource::Column& column_of(const resource::EntityResource& resource, std::string_view type,
                                  std::string_view instance) {
  const resource::ComponentKey key{core::StringId32(type), core::StringId32(instance)};
  for (const resource::Column& column : resource.columns)
    if (column.key == key) return column;
  throw std::runtime_error("no column of " + std::string(instance));
}

}  // namespace mobula::test
