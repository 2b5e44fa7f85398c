// Levels from text, for the tests of this folder.
#pragma once

#include <map>
#include <memory>
#include <mobula/reflect/schema.hpp>
#include <mobula/resource/compiler/compiler.hpp>
#include <mobula/resource/resource.hpp>
#include <string>

namespace mobula::test {

using Files = std::map<std::string, std::string>;

// Returns the demo's schema, loaded once.
const reflect::Schema& demo_schema();

// Compiles the file "level.json" of `files`.
resource::Compiled compile_files(const Files& files, const reflect::Schema& schema = demo_schema(),
                                 const resource::CompilerTable& compilers = {});
resource::Compiled compile_text(const std::string& text, const reflect::Schema& schema = demo_schema());

// Returns all errors, one per line.
std::string errors_of(const resource::Compiled& compiled);
std::string errors_of(const std::string& text);

// Throws with the errors if the text does not compile or load.
std::shared_ptr<const resource::Resource> load_text(const std::string& text,
                                                    const reflect::Schema& schema = demo_schema());
std::shared_ptr<const resource::Resource> load_compiled(const resource::Compiled& compiled);

// Returns the column of (type, instance name). Throws if there is none.
const resource::Column& column_of(const resource::EntityResource& resource, std::string_view type,
                                  std::string_view instance);
// Returns a component of a level's entity as a plain struct.
template <class T>
T component_of(const resource::EntityResource& resource, std::uint32_t entity,
               std::string_view instance = T::component_name) {
  const resource::Column& column = column_of(resource, T::component_name, instance);
  for (std::uint32_t i = 0; i < column.num_instances; ++i)
    if (column.entity_index[i] == entity) return core::load<T>(column.data.data() + i * sizeof(T));
  throw std::runtime_error("the entity has no such component");
}

}  // namespace mobula::test
