#include <algorithm>
#include <array>
#include <bit>
#include <mobula/core/format.hpp>
#include <mobula/reflect/attributes.hpp>
#include <mobula/reflect/describe.hpp>
#include <optional>
#include <span>

namespace mobula::reflect {
namespace {

bool is_scalar(const DeclaredField& field, FieldKind kind, std::string_view name, std::uint32_t offset) {
  return field.name == name && field.offset == offset && field.type.struct_index < 0 && field.type.enum_index < 0 &&
         field.type.array_length == 0 && field.type.scalar == kind;
}

bool is_quaternion(const DeclaredStruct& type) {
  constexpr std::array<std::string_view, 4> names{"x", "y", "z", "w"};
  if (type.fields.size() != names.size() || type.size != 16) return false;
  for (std::uint32_t i = 0; i < names.size(); ++i) {
    if (!is_scalar(type.fields[i], FieldKind::float32, names[i], 4 * i)) return false;
  }
  return true;
}

Category scalar_category(FieldKind kind) {
  if (kind == FieldKind::boolean) return Category::boolean;
  return is_float(kind) ? Category::real : Category::integer;
}

// Compressed rotation of a game: the omitted component of x, y, z, w, and the codes of the other three. The fields are
// adjacent, so that they are sent as one.
bool is_smallest_three(std::span<const Field> leaves, std::size_t path) {
  if (leaves.size() != 4 || leaves[0].steps != 3) return false;
  const std::uint64_t codes = leaves[1].steps + 1;
  const bool good = codes >= 4 && codes <= 65536 && std::has_single_bit(codes);
  return good && std::ranges::all_of(leaves, [&](const Field& leaf) {
           return is_integer(leaf.kind) && leaf.enum_values.empty() && leaf.ranged && leaf.low == 0 &&
                  leaf.array_at == 0 && leaf.path.find('.', path + 1) == std::string::npos &&
                  (&leaf == leaves.data() || leaf.steps == leaves[1].steps) && leaf.not_sent == leaves[0].not_sent &&
                  leaf.owner_only == leaves[0].owner_only;
         });
}

// State passed down to the leaves of a struct.
struct Context {
  std::string path;  // "position."
  std::uint32_t offset = 0;
  std::uint32_t count = 1;               // elements of the enclosing array
  std::uint32_t stride = 0;              // 0 without an enclosing array
  std::size_t array_at = 0;              // length of that array's path
  Field flags;                           // only its flags are used
  Attributes quantisation;               // range, step and bits of an enclosing field
  std::optional<std::string> tolerance;  // dead_reckoning of this or an enclosing field
  std::optional<std::string> velocity;   // velocity of this or an enclosing field
  std::size_t velocity_at = 0;           // length of that field's path
  std::string counted_by;                // path of the field that counts the enclosing array
};

class StructVisitor {
 public:
  StructVisitor(const Declarations& declarations, const DeclaredStruct& type)
      : declarations_(declarations), type_(type) {}

  core::Result<Component> run() {
    component_.name = type_.name();
    component_.id = core::StringId32(type_.name());
    component_.size = type_.size;
    component_.alignment = type_.alignment;
    component_.default_value.resize(type_.size);
    if (!struct_attributes() || !visit(type_, {}) || !resolve_counts() || !check_defaults()) {
      return core::Error{"bad schema", std::move(problem_)};
    }
    return std::move(component_);
  }

 private:
  bool fail(std::string_view path, std::string_view problem) {
    problem_ = core::format("{}{}{}: {}", type_.full_name, path.empty() ? "" : ".", path, problem);
    return false;
  }

  bool struct_attributes() {
    constexpr std::array<std::string_view, 15> of_fields{
        "range",           "step",           "bits",         "default",        "count",
        "unit_quaternion", "smallest_three", "fixed_string", "string_id",      "cut",
        "owner_only",      "predicted",      "read_only",    "dead_reckoning", "velocity"};
    for (const std::string_view name : of_fields) {
      if (type_.attributes.contains(name)) return fail("", core::format("attribute {} belongs on a field", name));
    }
    component_.not_sent = type_.attributes.contains("not_sent");
    component_.not_saved = type_.attributes.contains("not_saved");
    return true;
  }

  bool visit(const DeclaredStruct& type, const Context& context) {
    return std::ranges::all_of(type.fields, [&](const DeclaredField& field) { return visit(field, context); });
  }

  Category category_of(const DeclaredField& field) const {
    const DeclaredType& type = field.type;
    if (type.struct_index >= 0) {
      const DeclaredStruct& inner = struct_of(type);
      if (inner.full_name == entity_struct_name) return Category::entity;
      return field.attributes.contains("unit_quaternion") && is_quaternion(inner) ? Category::quaternion
                                                                                  : Category::structure;
    }
    if (type.enum_index >= 0) return Category::enumeration;
    if (field.attributes.contains("fixed_string") && type.array_length > 0 && type.scalar == FieldKind::uint8) {
      return Category::text;
    }
    if (field.attributes.contains("string_id") && type.scalar == FieldKind::uint32) return Category::string_id;
    return scalar_category(type.scalar);
  }

  bool visit(const DeclaredField& field, const Context& context) {
    const std::string path = context.path + field.name;
    if (path.size() > Limits::full_name_bytes)
      return fail(path, core::format("the path has more than {} bytes", Limits::full_name_bytes));
    const Category category = category_of(field);
    const bool array = field.type.array_length > 0 && category != Category::text;
    if (Problem problem = check_placement(field.attributes, category, array)) return fail(path, *problem);
    if (array && context.stride > 0) return fail(path, "an array inside an array");

    Context inner = context;
    inner.offset += field.offset;
    apply_flags(field.attributes, inner.flags);
    if (array) {
      inner.count = field.type.array_length;
      inner.stride = field.type.element_size;
      inner.array_at = path.size();
      if (const auto count = field.attributes.find("count"); count != field.attributes.end()) {
        inner.counted_by = context.path + count->second;
      }
    }
    hand_down_quantisation(field, context, inner);
    hand_down_motion(field, path.size(), inner);
    const std::size_t first_leaf = component_.fields.size();
    const bool done =
        category == Category::structure ? visit_struct(field, path, inner) : add_leaf(field, path, category, inner);
    return done && apply_default(field, path, first_leaf, context);
  }

  // Attributes of an enclosing field are specific to this use of the struct, so they override.
  static void hand_down_quantisation(const DeclaredField& field, const Context& outer, Context& inner) {
    if (!outer.quantisation.empty()) return;
    for (const std::string_view name : {"range", "step", "bits"}) {
      if (const auto found = field.attributes.find(name); found != field.attributes.end()) {
        inner.quantisation.insert(*found);
      }
    }
  }

  static void hand_down_motion(const DeclaredField& field, std::size_t path_size, Context& inner) {
    const auto reckoned = field.attributes.find("dead_reckoning");
    if (reckoned != field.attributes.end() && !inner.tolerance) inner.tolerance = reckoned->second;
    const auto velocity = field.attributes.find("velocity");
    if (velocity == field.attributes.end() || inner.velocity) return;
    inner.velocity = velocity->second;
    inner.velocity_at = path_size;
  }

  bool visit_struct(const DeclaredField& field, const std::string& path, Context& inner) {
    inner.path = path + ".";
    const std::size_t first_leaf = component_.fields.size();
    if (!visit(struct_of(field.type), inner)) return false;
    const bool has_range =
        field.attributes.contains("range") || field.attributes.contains("step") || field.attributes.contains("bits");
    const bool has_float = std::any_of(component_.fields.begin() + static_cast<std::ptrdiff_t>(first_leaf),
                                       component_.fields.end(), [](const Field& leaf) { return is_float(leaf.kind); });
    if (has_range && !has_float) return fail(path, "there is no float in it that a range could be for");
    const auto leaves = std::span<const Field>(component_.fields).subspan(first_leaf);
    return !field.attributes.contains("smallest_three") || is_smallest_three(leaves, path.size()) ||
           fail(path, "smallest_three are four integers: one of range \"0 3\", three of 2 to 16 bits");
  }

  bool add_leaf(const DeclaredField& declared, const std::string& path, Category category, const Context& context) {
    if (component_.fields.size() == Limits::fields) {
      return fail("", core::format("a component has at most {} fields", Limits::fields));
    }
    Field field = context.flags;
    field.path = path;
    field.kind = kind_of(declared, category);
    field.offset = context.offset;
    field.size = category == Category::text ? declared.type.size() : declared.type.element_size;
    field.count = context.count;
    field.array_at = static_cast<std::uint32_t>(context.array_at);
    field.stride = context.stride > 0 ? context.stride : field.size;
    if (category == Category::enumeration) {
      const DeclaredEnum& type = declarations_.enums[static_cast<std::size_t>(declared.type.enum_index)];
      // Zeroed memory must be a value. bit_flags have no zero, and combinations without a name.
      if (std::ranges::find(type.values, 0, &EnumValue::value) == type.values.end()) {
        return fail(path, "an enum in a component must have a value for zero, and cannot be bit_flags");
      }
      field.enum_values = type.values;
    }
    if (category == Category::entity && !is_entity(struct_of(declared.type))) {
      return fail(path, "EntityRef must be two uints, index and generation");
    }
    if (field.cut && (context.stride > 0 || field.smallest_three))
      return fail(path, "a cut is a field by itself, not in an array or a rotation");
    // All clients show the same poses, so all receive the same cuts.
    if (field.cut && (field.owner_only || field.not_sent || component_.not_sent))
      return fail(path, "a cut must be sent to all clients: not owner_only, not not_sent");
    if (field.predicted && (field.not_sent || component_.not_sent))
      return fail(path, "predicted is for fields that are sent: not not_sent");
    // Attributes of an enclosing field apply to floats only.
    const bool inherits = category == Category::real;
    const Attributes& quantisation = inherits ? context.quantisation : declared.attributes;
    if (Problem problem = apply_quantisation(quantisation, category, field)) return fail(path, *problem);
    if (context.tolerance && !add_dead_reckoning(*context.tolerance, category, context.stride > 0, field)) return false;
    if (context.velocity) {
      if (!context.tolerance) return fail(path, "velocity is for fields with dead_reckoning");
      if (context.velocity->empty()) return fail(path, "velocity: expected Component.field");
      field.velocity.path = *context.velocity + path.substr(context.velocity_at);
      field.velocity.named_at = static_cast<std::uint32_t>(context.velocity_at);
    }
    component_.fields.push_back(std::move(field));
    counted_by_.push_back(context.counted_by);
    return true;
  }

  bool add_dead_reckoning(std::string_view tolerance, Category category, bool array, Field& field) {
    if (Problem problem = apply_dead_reckoning(tolerance, category, field)) return fail(field.path, *problem);
    if (array) return fail(field.path, "dead_reckoning is not for arrays");
    if (field.owner_only || field.not_sent || component_.not_sent)
      return fail(field.path,
                  "dead_reckoning is for fields that are sent to all clients: not owner_only, not not_sent");
    return true;
  }

  static FieldKind kind_of(const DeclaredField& declared, Category category) {
    switch (category) {
      case Category::quaternion: return FieldKind::unit_quaternion;
      case Category::entity: return FieldKind::entity;
      case Category::text: return FieldKind::fixed_string;
      case Category::string_id: return FieldKind::string_id;
      default: return declared.type.scalar;
    }
  }

  // A default inside an array of structs applies to each element.
  bool apply_default(const DeclaredField& field, const std::string& path, std::size_t first_leaf,
                     const Context& context) {
    const auto found = field.attributes.find("default");
    if (found == field.attributes.end()) return true;
    std::vector<Field> leaves(component_.fields.begin() + static_cast<std::ptrdiff_t>(first_leaf),
                              component_.fields.end());
    if (context.stride > 0) {
      for (Field& leaf : leaves) leaf.count = 1;
    }
    for (std::uint32_t i = 0; i < context.count; ++i) {
      std::byte* element = component_.default_value.data() + std::size_t{i} * context.stride;
      if (Problem problem = write_default(found->second, leaves, element)) return fail(path, *problem);
    }
    return true;
  }

  bool resolve_counts() {
    for (std::size_t i = 0; i < component_.fields.size(); ++i) {
      if (counted_by_[i].empty()) continue;
      const auto found = std::ranges::find(component_.fields, counted_by_[i], &Field::path);
      Field& array = component_.fields[i];
      if (found == component_.fields.end()) return fail(array.path, "no field " + counted_by_[i] + " to count it");
      if (!count_field(array, *found)) return false;
      array.count_field = static_cast<std::int32_t>(found - component_.fields.begin());
    }
    return true;
  }

  bool count_field(const Field& array, Field& counter) {
    const bool is_unsigned =
        counter.kind == FieldKind::uint8 || counter.kind == FieldKind::uint16 || counter.kind == FieldKind::uint32;
    const bool own_range = counter.ranged && counter.high != array.count;
    if (!is_unsigned || counter.array_at > 0 || counter.smallest_three || !counter.enum_values.empty() || own_range) {
      return fail(array.path, counter.path + " must be one ubyte, ushort or uint, of no other range, to count it");
    }
    const bool same_fate = counter.owner_only == array.owner_only && counter.not_sent == array.not_sent &&
                           counter.not_saved == array.not_saved;
    if (!same_fate) {
      return fail(array.path, counter.path + " must be owner_only, not_sent and not_saved like what it counts");
    }
    if (!integer_fits(array.count, counter.kind)) return fail(array.path, counter.path + " cannot count so far");
    counter.read_only = counter.read_only || array.read_only;  // else a write of the count could empty the array
    counter.ranged = true;
    counter.low = 0;
    counter.high = array.count;
    counter.step = 1;
    counter.steps = array.count;
    counter.bits = static_cast<std::uint32_t>(std::bit_width(counter.steps));
    return true;
  }

  bool check_defaults() {
    for (const Field& field : component_.fields) {
      if (Problem problem = check_default(field, component_.default_value.data())) return fail(field.path, *problem);
    }
    return true;
  }

  const DeclaredStruct& struct_of(const DeclaredType& type) const {
    return declarations_.structs[static_cast<std::size_t>(type.struct_index)];
  }

  const Declarations& declarations_;
  const DeclaredStruct& type_;
  Component component_;
  std::vector<std::string> counted_by_;  // beside component_.fields
  std::string problem_;
};

}  // namespace

bool is_entity(const DeclaredStruct& type) {
  return type.full_name == entity_struct_name && type.size == 8 && type.alignment == 4 && type.fields.size() == 2 &&
         is_scalar(type.fields[0], FieldKind::uint32, "index", 0) &&
         is_scalar(type.fields[1], FieldKind::uint32, "generation", 4);
}

core::Result<Component> describe(const Declarations& declarations, const DeclaredStruct& type) {
  return StructVisitor(declarations, type).run();
}

}  // namespace mobula::reflect
