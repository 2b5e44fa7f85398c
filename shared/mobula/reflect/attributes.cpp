#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mobula/core/format.hpp>
#include <mobula/core/from_chars.hpp>
#include <mobula/reflect/attributes.hpp>
#include <mobula/reflect/value.hpp>
#include <mobula/reflect/with_number.hpp>

namespace mobula::reflect {
namespace {

constexpr unsigned bit(Category category) { return 1u << static_cast<unsigned>(category); }

constexpr unsigned everything = bit(Category::structure) * 2 - 1;

struct Placement {
  std::string_view attribute;
  unsigned categories;
  std::string_view where;
};

constexpr std::array<Placement, 18> placements{{
    {"component", 0, "a struct"},
    {"range", bit(Category::integer) | bit(Category::real) | bit(Category::structure),
     "a number or a struct of floats"},
    {"step", bit(Category::real) | bit(Category::structure), "a float or a struct of floats"},
    {"bits", bit(Category::integer) | bit(Category::real) | bit(Category::structure) | bit(Category::quaternion),
     "a number, a struct of floats or a unit quaternion"},
    {"default", everything & ~bit(Category::entity), "anything but an entity"},
    {"unit_quaternion", bit(Category::quaternion), "a struct of four floats x, y, z, w"},
    {"smallest_three", bit(Category::structure), "a struct of four integers"},
    {"fixed_string", bit(Category::text), "an array of ubyte"},
    {"string_id", bit(Category::string_id), "a uint"},
    {"count", everything & ~bit(Category::text), "an array"},
    {"cut",
     bit(Category::boolean) | bit(Category::integer) | bit(Category::enumeration) | bit(Category::entity) |
         bit(Category::string_id),
     "a bool, an integer, an enum, a string id or an entity"},
    {"dead_reckoning", bit(Category::real) | bit(Category::structure) | bit(Category::quaternion),
     "a float, a struct of floats or a unit quaternion"},
    {"velocity", bit(Category::real) | bit(Category::structure) | bit(Category::quaternion),
     "a float, a struct of floats or a unit quaternion"},
    {"owner_only", everything, ""},
    {"predicted", everything, ""},
    {"not_sent", everything, ""},
    {"not_saved", everything, ""},
    {"read_only", everything, ""},
}};

struct Flag {
  std::string_view attribute;
  bool Field::* member;
};

constexpr std::array<Flag, 7> flags{{
    {"smallest_three", &Field::smallest_three},
    {"cut", &Field::cut},
    {"owner_only", &Field::owner_only},
    {"predicted", &Field::predicted},
    {"not_sent", &Field::not_sent},
    {"not_saved", &Field::not_saved},
    {"read_only", &Field::read_only},
}};

std::string_view next_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  return word;
}

template <class T>
std::optional<T> parse_number(std::string_view word) {
  T value{};
  const auto [end, error] = core::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size() ? std::optional(value) : std::nullopt;
}

std::optional<double> parse_real(std::string_view word) {
  const auto value = parse_number<double>(word);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

// Parses an integer of the kind, hexadecimal with 0x. Returns its bits.
std::optional<std::uint64_t> parse_integer(std::string_view word, FieldKind kind) {
  if (word.starts_with("0x")) {
    std::uint64_t value = 0;
    const auto [end, error] = core::from_chars(word.data() + 2, word.data() + word.size(), value, 16);
    const bool all = error == std::errc() && end == word.data() + word.size();
    const bool fits = value <= std::numeric_limits<std::int64_t>::max() || kind == FieldKind::uint64;
    return all && fits && integer_fits(static_cast<std::int64_t>(value), kind) ? std::optional(value) : std::nullopt;
  }
  if (kind == FieldKind::uint64) return parse_number<std::uint64_t>(word);
  const auto value = parse_number<std::int64_t>(word);
  if (!value || !integer_fits(*value, kind)) return std::nullopt;
  return static_cast<std::uint64_t>(*value);
}

struct Range {
  double low;
  double high;
};

std::optional<Range> parse_range(std::string_view text) {
  const auto low = parse_real(next_word(text));
  const auto high = parse_real(next_word(text));
  if (!low || !high || !next_word(text).empty() || *low >= *high) return std::nullopt;
  return Range{*low, *high};
}

std::string_view find(const Attributes& attributes, std::string_view name) {
  const auto found = attributes.find(name);
  return found == attributes.end() ? std::string_view() : std::string_view(found->second);
}

std::string bad_range(std::string_view text) {
  return core::format("range must be two numbers, the lower first, not \"{}\"", text);
}

// Returns the bounds of an integer kind, limited to the exact range of a double.
Range integer_bounds(FieldKind kind) {
  constexpr double exact = 9007199254740992.0;  // 2^53
  if (kind == FieldKind::int64) return {-exact, exact};
  if (kind == FieldKind::uint64) return {0, exact};
  const auto bits = static_cast<int>(scalar_size(kind) * 8);
  const bool is_signed = kind == FieldKind::int8 || kind == FieldKind::int16 || kind == FieldKind::int32;
  if (is_signed) return {-std::ldexp(1.0, bits - 1), std::ldexp(1.0, bits - 1) - 1};
  return {0, std::ldexp(1.0, bits) - 1};
}

void set_steps(Field& field, std::uint64_t steps) {
  field.steps = steps;
  field.bits = static_cast<std::uint32_t>(std::bit_width(steps));
}

Problem quantise_integer(std::string_view range_text, std::string_view bits_text, Field& field) {
  if (!range_text.empty() && !bits_text.empty()) return "an integer has a range or bits, not both";
  const Range bounds = integer_bounds(field.kind);
  Range range = bounds;
  if (!range_text.empty()) {
    const auto parsed = parse_range(range_text);
    if (!parsed) return bad_range(range_text);
    range = *parsed;
    const bool whole = range.low == std::floor(range.low) && range.high == std::floor(range.high);
    if (!whole || range.low < bounds.low || range.high > bounds.high) {
      return core::format("range \"{}\" must be integers that the type can hold", range_text);
    }
  } else {
    const auto bits = parse_number<std::uint32_t>(bits_text);
    const std::uint32_t width = scalar_size(field.kind) * 8;
    if (!bits || *bits < 1 || *bits >= width || *bits > 53) {
      return core::format("bits must be 1 to {}, not \"{}\"", std::min(width - 1, 53u), bits_text);
    }
    const double values = std::ldexp(1.0, static_cast<int>(*bits));
    range = bounds.low < 0 ? Range{-values / 2, values / 2 - 1} : Range{0, values - 1};
  }
  field.ranged = true;
  field.low = range.low;
  field.high = range.high;
  field.step = 1;
  set_steps(field, static_cast<std::uint64_t>(range.high - range.low));
  return std::nullopt;
}

// Returns the largest distance between neighbouring values of the type within the range.
double resolution(const Field& field) {
  const double greatest = std::max(std::abs(field.low), std::abs(field.high));
  if (field.kind == FieldKind::float64) return greatest - std::nextafter(greatest, 0.0);
  const float as_float = static_cast<float>(greatest);
  return static_cast<double>(as_float) - static_cast<double>(std::nextafter(as_float, 0.0f));
}

Problem quantise_real(std::string_view range_text, std::string_view step_text, std::string_view bits_text,
                      Field& field) {
  if (range_text.empty()) return "a float that has a step or bits needs a range";
  if (step_text.empty() == bits_text.empty()) return "a float that has a range needs either a step or bits";
  const auto range = parse_range(range_text);
  if (!range) return bad_range(range_text);
  if (std::max(std::abs(range->low), std::abs(range->high)) > 1e38) {
    return core::format("range \"{}\" is beyond 1e38", range_text);
  }
  const double width = range->high - range->low;
  double steps = 0;
  if (!step_text.empty()) {
    const auto step = parse_real(step_text);
    if (!step || *step <= 0) return core::format("step must be a number above zero, not \"{}\"", step_text);
    steps = std::nearbyint(width / *step);
    if (steps < 1 || steps > 4294967295.0) return "the range must be 1 to 2^32 - 1 steps";
    if (std::abs(steps * *step - width) > 1e-6 * *step) return "the range must be a whole number of steps";
    field.step = *step;
  } else {
    const auto bits = parse_number<std::uint32_t>(bits_text);
    if (!bits || *bits < 1 || *bits > 32) return core::format("bits must be 1 to 32, not \"{}\"", bits_text);
    steps = std::ldexp(1.0, static_cast<int>(*bits)) - 1;
    field.step = width / steps;
  }
  field.ranged = true;
  field.low = range->low;
  field.high = range->high;
  // Slightly more than the rounding error of the type, so that each q survives the round trip.
  if (field.step < 1e-30 || resolution(field) > field.step * (1 - 1e-6)) {
    return "the step is finer than the type's precision at the ends of the range";
  }
  set_steps(field, static_cast<std::uint64_t>(steps));
  return std::nullopt;
}

Problem quantise_quaternion(std::string_view bits_text, Field& field) {
  const auto bits = parse_number<std::uint32_t>(bits_text);
  if (!bits || *bits < 2 || *bits > 16) return core::format("bits must be 2 to 16, not \"{}\"", bits_text);
  field.bits = *bits;
  return std::nullopt;
}

Problem not_a_value(std::string_view word, std::string_view expected) {
  return core::format("default \"{}\" is not {}", word, expected);
}

Problem write_enum(std::string_view word, const Field& field, std::byte* at) {
  const auto found = std::ranges::find(field.enum_values, word, &EnumValue::name);
  if (found == field.enum_values.end()) return not_a_value(word, "a name of the enum");
  std::memcpy(at, &found->value, field.size);
  return std::nullopt;
}

Problem write_integer(std::string_view word, const Field& field, std::byte* at) {
  const auto value = parse_integer(word, field.kind);
  if (!value) return not_a_value(word, "an integer that the type can hold");
  std::memcpy(at, &*value, field.size);
  return std::nullopt;
}

Problem write_real(std::string_view word, FieldKind kind, std::byte* at) {
  const auto value = parse_real(word);
  if (!value || (kind == FieldKind::float32 && std::abs(*value) > 3.4e38)) return not_a_value(word, "a number");
  kind == FieldKind::float32 ? core::store(at, static_cast<float>(*value)) : core::store(at, *value);
  return std::nullopt;
}

Problem write_bool(std::string_view word, std::byte* at) {
  if (word != "true" && word != "false") return not_a_value(word, "true or false");
  core::store(at, word == "true");
  return std::nullopt;
}

Problem write_text(std::string_view text, const Field& field, std::byte* at) {
  if (text.size() > field.size || text.find('\0') != std::string_view::npos) {
    return not_a_value(text, core::format("a text of at most {} bytes", field.size));
  }
  std::memcpy(at, text.data(), text.size());
  return std::nullopt;
}

// Consumes the words that it needs from the text.
Problem write_leaf(std::string_view& text, const Field& field, std::byte* at) {
  if (field.kind == FieldKind::unit_quaternion) {
    for (std::uint32_t i = 0; i < 4; ++i) {
      if (Problem problem = write_real(next_word(text), FieldKind::float32, at + 4 * i)) return problem;
    }
    return std::nullopt;
  }
  const std::string_view word = next_word(text);
  if (!field.enum_values.empty()) return write_enum(word, field, at);
  if (is_integer(field.kind)) return write_integer(word, field, at);
  if (is_float(field.kind)) return write_real(word, field.kind, at);
  if (field.kind == FieldKind::boolean) return write_bool(word, at);
  if (field.kind == FieldKind::string_id) {
    core::store(at, core::StringId32(word).value);
    return std::nullopt;
  }
  return "a default cannot be given for " + field.path;
}

double read_number(const Field& field, const std::byte* at) {
  return with_number(
      field.kind, [&]<class T>(T) { return static_cast<double>(core::load<T>(at)); },
      []() -> double {
        MOBULA_ASSERT(false, "not a number");
        return 0;
      });
}

bool is_unit(const std::byte* at) {
  double squares = 0;
  for (int i = 0; i < 4; ++i) {
    const auto part = static_cast<double>(core::load<float>(at + 4 * i));
    squares += part * part;
  }
  return std::abs(squares - 1) < 1e-3;
}

}  // namespace

Problem check_placement(const Attributes& attributes, Category category, bool array) {
  for (const auto& [name, value] : attributes) {
    const auto placement = std::ranges::find(placements, name, &Placement::attribute);
    if (placement == placements.end()) continue;  // attribute of a game
    if ((placement->categories & bit(category)) == 0) {
      return core::format("attribute {} belongs on {}", name, placement->where);
    }
    if (name == "count" && !array) return "attribute count belongs on an array";
    if (name == "default" && array) return "an array has no default";
  }
  return std::nullopt;
}

void apply_flags(const Attributes& attributes, Field& field) {
  for (const Flag& flag : flags) {
    if (attributes.contains(flag.attribute)) field.*flag.member = true;
  }
}

Problem apply_quantisation(const Attributes& attributes, Category category, Field& field) {
  const std::string_view range = find(attributes, "range");
  const std::string_view step = find(attributes, "step");
  const std::string_view bits = find(attributes, "bits");
  if (category == Category::enumeration) set_steps(field, field.enum_values.size() - 1);
  if (!attributes.contains("range") && !attributes.contains("step") && !attributes.contains("bits")) {
    return std::nullopt;
  }
  switch (category) {
    case Category::integer: return quantise_integer(range, bits, field);
    case Category::real: return quantise_real(range, step, bits, field);
    case Category::quaternion: return quantise_quaternion(bits, field);
    default: return std::nullopt;
  }
}

// Returns the smallest tolerance that the values of a field permit: the distance between neighbouring ones.
double smallest_tolerance(const Field& field) {
  if (field.kind != FieldKind::unit_quaternion) return field.step;
  return std::sqrt(0.5) / (std::ldexp(1.0, static_cast<int>(field.bits) - 1) - 1);
}

// Returns the greatest tolerance that makes sense: the difference between the ends of the range. The parts of a
// rotation that are sent are within a square root of a half.
double greatest_tolerance(const Field& field) {
  return field.kind == FieldKind::unit_quaternion ? std::sqrt(2.0) : field.high - field.low;
}

Problem apply_dead_reckoning(std::string_view text, Category category, Field& field) {
  if (category != Category::real && category != Category::quaternion)
    return core::format("dead_reckoning is for floats and unit quaternions, not for {}", field.path);
  const auto tolerance = parse_real(text);
  if (!tolerance || *tolerance <= 0)
    return core::format("dead_reckoning must be a tolerance above zero, not \"{}\"", text);
  if (field.bits == 0)
    return std::string(category == Category::real ? "dead_reckoning needs a range and a step or bits"
                                                  : "dead_reckoning needs the bits of the quaternion");
  if (const double smallest = smallest_tolerance(field); *tolerance < smallest)
    return core::format("the tolerance, {}, is below {}, the distance between neighbouring values", *tolerance,
                        smallest);
  if (const double greatest = greatest_tolerance(field); *tolerance > greatest)
    return core::format("the tolerance, {}, is above {}, the width of the range", *tolerance, greatest);
  field.tolerance = *tolerance;
  return std::nullopt;
}

Problem write_default(std::string_view text, std::span<const Field> leaves, std::byte* component) {
  if (leaves.size() == 1 && leaves[0].kind == FieldKind::fixed_string) {
    return write_text(text, leaves[0], component + leaves[0].offset);
  }
  std::string_view rest = text;
  for (const Field& leaf : leaves) {
    if (leaf.count > 1) return "a struct with an array in it has no default";
    if (Problem problem = write_leaf(rest, leaf, component + leaf.offset)) return problem;
  }
  if (!next_word(rest).empty())
    return core::format("default \"{}\" has too many values; expected {}", text, leaves.size());
  return std::nullopt;
}

Problem check_default(const Field& field, const std::byte* component) {
  for (std::uint32_t i = 0; i < field.count; ++i) {
    const std::byte* at = component + field.offset + i * field.stride;
    if (field.kind == FieldKind::unit_quaternion && !is_unit(at)) return "the default must be a unit quaternion";
    if (field.ranged && !value_is_good(field, at))
      return core::format("the default, {}, is outside of {} to {}", read_number(field, at), field.low, field.high);
  }
  return std::nullopt;
}

}  // namespace mobula::reflect
