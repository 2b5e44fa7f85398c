// Component compilers: what turns the JSON of one component instance into bytes of its column.
// The default one is driven by the schema, so that a new component needs no code; a component with a source of
// its own registers a compiler, whose data may have any size.
#pragma once

#include <functional>
#include <map>
#include <mobula/core/bytes.hpp>
#include <mobula/reflect/field_tree.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/resource/compiler/json.hpp>
#include <span>
#include <string_view>

namespace mobula::resource {

using reflect::FieldNode;

// Members of a component's JSON that are no fields.
inline constexpr std::string_view type_member = "$type";
inline constexpr std::string_view server_only_member = "$server_only";

// One component of one entity, as it is written.
struct ComponentSource {
  std::string_view type;
  std::string_view instance_name;
  const reflect::Component* component;  // null: not in the schema
  // Objects, those of base prefabs first: what stands in a later one wins.
  std::span<const JsonValue* const> layers;
  Place place;
};

// What a component compiler may ask for.
class ComponentContext {
 public:
  virtual ~ComponentContext() = default;
  virtual void error(Place place, std::string message) = 0;
  // The hash of a name, whose text goes into the file. `hidden`: not into what clients may have.
  virtual core::StringId32 string_id(const std::string& text, Place place, bool hidden = false) = 0;
  // Puts something into the file once, however many instances share it; they refer to it by the id.
  virtual std::uint64_t add_static(std::string_view type, core::ByteView data, Place place) = 0;
  // The entity that `path` leads to belongs at `offset` of this instance's bytes; null: no entity does.
  virtual void reference(std::uint32_t offset, const JsonValue& path) = 0;
  // The component's fields as people write them; made once per compilation.
  virtual const FieldNode& fields(const reflect::Component& component) = 0;
};

struct ComponentCompiler {
  std::int32_t spawn_order = 0;
  bool server_only = false;  // clients get none of it
  // Appends the instance's bytes; of a component of the schema exactly its size.
  std::function<void(const ComponentSource&, ComponentContext&, core::Bytes&)> compile;
};

// Compilers by component type. Schema components that are not in it get compile_fields.
class CompilerTable {
 public:
  void add(std::string_view component_name, ComponentCompiler compiler);
  [[nodiscard]] const ComponentCompiler* find(std::string_view component_name) const;
  [[nodiscard]] const auto& all() const { return compilers_; }

 private:
  std::map<std::string, ComponentCompiler, std::less<>> compilers_;
};

// The default: the schema's default value, then the fields that are given, checked against the schema.
// `own_members`: those that the caller reads itself.
void compile_fields(const ComponentSource& source, ComponentContext& context, core::Bytes& out,
                    std::span<const std::string_view> own_members = {});

}  // namespace mobula::resource
