#include <algorithm>
#include <array>
#include <mobula/core/format.hpp>
#include <mobula/reflect/velocities.hpp>
#include <string>
#include <string_view>

namespace mobula::reflect {
namespace {

bool is_single_float(const Field& field) {
  return is_float(field.kind) && field.count == 1 && field.count_field < 0 && field.array_at == 0;
}

// Returns the number of floats that a velocity of this field, or of all in this struct, has.
std::size_t count_floats(const Component& component, std::string_view path) {
  std::size_t count = 0;
  for (const Field& field : component.fields) {
    const bool within =
        field.path.starts_with(path) && (field.path.size() == path.size() || field.path[path.size()] == '.');
    if (within) count += field.kind == FieldKind::unit_quaternion ? 3 : 1;
  }
  return count;
}

class VelocityFinder {
 public:
  explicit VelocityFinder(std::span<Component> components) : components_(components) {}

  core::Status run() {
    for (Component& component : components_)
      for (Field& field : component.fields)
        if (!field.velocity.path.empty() && !find(component, field))
          return core::Error{"bad schema", core::format("{}.{}: velocity {}: {}", component.name, field.path,
                                                        field.velocity.path, problem_)};
    return core::Done{};
  }

 private:
  bool fail(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }

  bool find(const Component& component, Field& field) {
    const std::string_view path = field.velocity.path;
    const std::string_view named = path.substr(0, path.size() - (field.path.size() - field.velocity.named_at));
    const std::size_t dot = named.find('.');
    if (dot == std::string_view::npos) return fail("expected Component.field");
    const auto source = std::ranges::find(components_, named.substr(0, dot), &Component::name);
    if (source == components_.end()) return fail(core::format("the schema has no component {}", named.substr(0, dot)));
    const std::size_t floats = count_floats(*source, named.substr(dot + 1));
    if (floats == 0) return fail(core::format("{} has no field {}", source->name, named.substr(dot + 1)));
    const bool turns = field.kind == FieldKind::unit_quaternion;
    const Field* const first =
        turns ? find_axes(*source, path.substr(dot + 1)) : source->find_field(path.substr(dot + 1));
    const bool same =
        floats == count_floats(component, std::string_view(field.path).substr(0, field.velocity.named_at));
    if (!same || first == nullptr || !is_single_float(*first))
      return fail(turns ? "the velocity of a rotation is a struct of three floats x, y, z"
                        : "the velocity must have the same floats as the value");
    if (first == &field) return fail("a value is not its own velocity");
    field.velocity.component = source->id;
    field.velocity.offset = first->offset;
    field.velocity.kind = first->kind;
    return true;
  }

  // Returns the first of three floats x, y, z side by side. Null if these are not there.
  static const Field* find_axes(const Component& source, std::string_view path) {
    std::array<const Field*, 3> axes{};
    for (std::size_t i = 0; i < axes.size(); ++i) {
      axes[i] = source.find_field(core::format("{}.{}", path, std::string_view("xyz").substr(i, 1)));
      const bool good = axes[i] != nullptr && is_single_float(*axes[i]) && axes[i]->kind == axes[0]->kind &&
                        axes[i]->offset == axes[0]->offset + i * axes[0]->size;
      if (!good) return nullptr;
    }
    return axes[0];
  }

  std::span<Component> components_;
  std::string problem_;
};

}  // namespace

core::Status find_velocities(std::span<Component> components) { return VelocityFinder(components).run(); }

}  // namespace mobula::reflect
