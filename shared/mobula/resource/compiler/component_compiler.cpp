#include <algorithm>
#include <mobula/reflect/field_json.hpp>
#include <mobula/resource/compiler/component_compiler.hpp>

namespace mobula::resource {
namespace {

// Passes names and references to the context, and reports errors at their places.
class Fields final : public reflect::JsonContext {
 public:
  Fields(ComponentContext& context, std::span<const std::string_view> own_members)
      : context_(context), own_members_(own_members) {}

  void refuse(Place place, core::Error error) override { context_.error(place, std::move(error.message)); }

  bool passes(std::string_view member) override {
    return member == type_member || member == server_only_member ||
           std::ranges::find(own_members_, member) != own_members_.end();
  }

  void write_name(const reflect::Field& field, const JsonValue& value, std::byte* to) override {
    if (value.kind != JsonValue::Kind::string)
      return refuse(value.place, reflect::wrong_type(field, describe(value.kind), "a name"));
    core::store(to, core::StringId32(value.text));
    names_[to] = {&value, field.owner_only || field.not_sent};
  }

  // Called after the last layer: a name that an override replaced does not enter the file.
  void keep_names() {
    for (const auto& [to, name] : names_)
      static_cast<void>(context_.string_id(name.value->text, name.value->place, name.hidden));
  }

  void write_entity(const reflect::Field& /*field*/, std::uint32_t offset, const JsonValue& value,
                    std::byte* /*to*/) override {
    context_.reference(offset, value);
  }

 private:
  ComponentContext& context_;
  std::span<const std::string_view> own_members_;
  struct Name {
    const JsonValue* value;
    bool hidden;
  };
  std::map<const std::byte*, Name> names_;  // by the address of its hash
};

}  // namespace

void CompilerTable::add(std::string_view component_name, ComponentCompiler compiler) {
  MOBULA_CHECK(compiler.compile != nullptr, "a compiler that compiles nothing");
  const bool added = compilers_.emplace(component_name, std::move(compiler)).second;
  MOBULA_CHECK(added, "two compilers for component " + std::string(component_name));
}

const ComponentCompiler* CompilerTable::find(std::string_view component_name) const {
  const auto found = compilers_.find(component_name);
  return found == compilers_.end() ? nullptr : &found->second;
}

void compile_fields(const ComponentSource& source, ComponentContext& context, core::Bytes& out,
                    std::span<const std::string_view> own_members) {
  const reflect::Component& component = *source.component;
  const std::size_t start = out.size();
  out.insert(out.end(), component.default_value.begin(), component.default_value.end());
  Fields fields(context, own_members);
  for (const JsonValue* layer : source.layers)
    reflect::write_json(component, context.fields(component), reflect::whole_array, *layer, out.data() + start, fields);
  fields.keep_names();
}

}  // namespace mobula::resource
