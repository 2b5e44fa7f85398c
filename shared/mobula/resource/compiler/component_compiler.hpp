// Component compiler: turns the JSON of one component instance into bytes of its column. The default one follows the
// schema, so a new component needs no code. A component with its own source format registers a compiler, whose data may
// have any size.
#pragma once

#include <functional>
#include <map>
#include <mobula/core/bytes.hpp>
#include <mobula/reflect/field_tree.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/resource/compiler/json.hpp>
#include <mobula/resource/compiler/level_compiler.hpp>
#include <span>
#include <string_view>
#include <vector>

namespace mobula::resource {

using reflect::FieldNode;

/// Members of a component's JSON that are not fields.
inline constexpr std::string_view type_member = "$type";
inline constexpr std::string_view server_only_member = "$server_only";

/// One component of one entity, as it is written.
struct ComponentSource {
  std::string_view type;
  std::string_view instance_name;
  const reflect::Component* component;  // null if it is not in the schema
  // Objects, those of base prefabs first. Later objects override members of earlier ones.
  std::span<const JsonValue* const> layers;
  Place place;
};

/// Services for component compilers.
class ComponentContext {
 public:
  virtual ~ComponentContext() = default;
  /// Reports an error.
  virtual void error(Place place, std::string message) = 0;
  /// Returns the hash of a name and adds its text to the file, or only to the server part if `hidden`.
  virtual core::StringId32 string_id(const std::string& text, Place place, bool hidden = false) = 0;
  /// Adds a shared static resource to the file once, however many instances refer to it. Returns its id.
  virtual std::uint64_t add_static(std::string_view type, core::ByteView data, Place place) = 0;
  /// Writes the handle of the entity at `path` to `offset` of the instance's bytes when it is spawned. A null `path`
  /// leaves the null handle.
  virtual void reference(std::uint32_t offset, const JsonValue& path) = 0;
  /// Returns the tree of the component's fields, made once per compilation.
  virtual const FieldNode& fields(const reflect::Component& component) = 0;
};

struct ComponentCompiler {
  std::int32_t spawn_order = 0;
  bool server_only = false;  // clients do not get it
  /// Appends the instance's bytes. For a schema component, exactly its size.
  std::function<void(const ComponentSource&, ComponentContext&, core::Bytes&)> compile;
};

/// Compilers by component type, and those of whole levels. Schema components that are not in it use compile_fields.
class CompilerTable {
 public:
  /// Adds a compiler. Checks that the component has none yet.
  void add(std::string_view component_name, ComponentCompiler compiler);
  /// Returns the compiler of a component; null if it has none.
  [[nodiscard]] const ComponentCompiler* find(std::string_view component_name) const;
  [[nodiscard]] const auto& all() const { return compilers_; }
  /// Adds a compiler that runs for each level, in the order of the calls.
  void add_level(LevelCompiler compiler) { level_compilers_.push_back(std::move(compiler)); }
  [[nodiscard]] const std::vector<LevelCompiler>& level_compilers() const { return level_compilers_; }

 private:
  std::map<std::string, ComponentCompiler, std::less<>> compilers_;
  std::vector<LevelCompiler> level_compilers_;
};

/// Compiles a component without a registered compiler: writes the schema's default, then the given fields, checked
/// against the schema. `own_members` are members that the caller reads itself.
void compile_fields(const ComponentSource& source, ComponentContext& context, core::Bytes& out,
                    std::span<const std::string_view> own_members = {});

}  // namespace mobula::resource
