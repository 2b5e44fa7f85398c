#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <mobula/core/format.hpp>
#include <mobula/reflect/value.hpp>
#include <reflect/random_schema.hpp>
#include <set>

namespace mobula::test {
namespace {

using reflect::Field;
using reflect::FieldKind;

template <class T, std::size_t count>
const T& any_of(core::Random& random, const T (&list)[count]) {
  return list[random.below(count)];
}

std::string random_enum(core::Random& random, std::string_view name, std::string_view type) {
  std::set<int> numbers{0};
  for (std::uint32_t i = random.below(5); i > 0; --i) numbers.insert(static_cast<int>(random.below(128)));
  std::string values;
  std::set<std::string_view> taken;
  for (const int number : numbers) {
    static constexpr std::string_view names[] = {"red", "green", "blue", "grey", "white", "black", "pink", "brown"};
    std::string_view value;
    do value = any_of(random, names);
    while (!taken.insert(value).second);
    values += core::format("{}{} = {}", values.empty() ? "" : ", ", value, number);
  }
  return core::format("enum {}:{} {{ {} }}\n", name, type, values);
}

struct Type {
  std::string_view name;
  std::string_view attributes;
  bool array = true;  // may be the element of an array
};

const Type& random_type(core::Random& random) {
  static constexpr Type types[] = {
      {"bool", ""},
      {"byte", ""},
      {"ubyte", ""},
      {"short", ""},
      {"ushort", ""},
      {"int", ""},
      {"uint", ""},
      {"long", ""},
      {"ulong", ""},
      {"float", ""},
      {"double", ""},
      {"byte", "range:\"-7 9\""},
      {"ubyte", "bits:\"3\""},
      {"short", "range:\"-100 -3\", default:\"-50\"", false},
      {"int", "range:\"0 1000\""},
      {"long", "range:\"-9007199254740992 9007199254740992\""},
      {"ulong", "bits:\"53\""},
      {"float", "range:\"-0.3 0.7\", step:\"0.1\""},
      {"float", "range:\"-512 512\", step:\"0.01\""},
      {"double", "range:\"0 1\", bits:\"8\""},
      {"float", "range:\"5 6\", bits:\"4\", default:\"5.5\"", false},
      {"E", ""},
      {"F", ""},
      {"mobula.engine.EntityRef", ""},
      {"mobula.engine.Vec3", ""},
      {"mobula.engine.Quat", "unit_quaternion, default:\"0 0 0 1\"", false},
      {"uint", "string_id"},
      {"[ubyte:3]", "fixed_string, default:\"red\"", false},
      {"[ubyte:8]", "fixed_string", false},
      {"ubyte", "default:\"200\"", false},
  };
  return any_of(random, types);
}

std::string random_struct(core::Random& random) {
  std::string fields;
  for (const std::string_view name : {"x", "y", "z"}) {
    if (!fields.empty() && random.chance(1, 3)) continue;
    const Type& type = random_type(random);
    fields += core::format("{}:{}{}; ", name, type.name,
                           type.attributes.empty() ? "" : core::format(" ({})", type.attributes));
  }
  return core::format("struct S {{ {}}}\n", fields);
}

// Two fields that may count; the arrays they count have one length.
struct Counter {
  std::string_view name;
  std::uint32_t length;
  bool there;
};

std::string random_field(core::Random& random, std::string_view name, const std::array<Counter, 2>& counters) {
  static constexpr Type structure{"S", ""};
  const Type& type = random.chance(1, 5) ? structure : random_type(random);
  if (!type.array || random.chance(1, 2))
    return core::format("{}:{}{}; ", name, type.name,
                        type.attributes.empty() ? "" : core::format(" ({})", type.attributes));
  const Counter& counter = counters[random.below(2)];
  const bool counted = counter.there && random.chance(1, 2);
  const std::uint32_t length = counted ? counter.length : 1 + random.below(5);
  std::string attributes(type.attributes);
  if (counted) attributes += core::format("{}count:\"{}\"", attributes.empty() ? "" : ", ", counter.name);
  return core::format("{}:[{}:{}]{}; ", name, type.name, length,
                      attributes.empty() ? "" : core::format(" ({})", attributes));
}

template <class Integer>
void write_integer(const Field& field, core::Random& random, std::byte* to) {
  using Limits = std::numeric_limits<Integer>;
  if (!field.enum_values.empty()) {
    const auto which = random.below(static_cast<std::uint32_t>(field.enum_values.size()));
    return core::store(to, static_cast<Integer>(field.enum_values[which].value));
  }
  if (!field.ranged) {
    const Integer list[] = {0, 1, 2, 90, Limits::min(), Limits::max(), static_cast<Integer>(random.next())};
    return core::store(to, any_of(random, list));
  }
  const auto low = static_cast<std::int64_t>(field.low);
  const auto high = static_cast<std::int64_t>(field.high);
  const auto between = low + static_cast<std::int64_t>(random.next() % static_cast<std::uint64_t>(high - low + 1));
  const std::int64_t list[] = {low, high, between, between};
  core::store(to, static_cast<Integer>(any_of(random, list)));
}

template <class Float>
void write_real(const Field& field, core::Random& random, std::byte* to) {
  if (field.ranged) {
    const auto low = static_cast<Float>(field.low);
    const auto high = static_cast<Float>(field.high);
    const Float list[] = {low, high, low + (high - low) * static_cast<Float>(random.uniform(0, 1))};
    return core::store(to, any_of(random, list));
  }
  using Limits = std::numeric_limits<Float>;
  const auto whole = static_cast<Float>(static_cast<int>(random.below(300)) - 100);
  const Float list[] = {0,
                        -Float{0},
                        1,
                        whole,
                        whole / 4,
                        Limits::max(),
                        Limits::min(),
                        0.7f,
                        Limits::lowest(),
                        9223372036854775808.0f,
                        -9223372036854775808.0f,
                        18446744073709551616.0f};
  core::store(to, any_of(random, list));
}

void write_rotation(core::Random& random, std::byte* to) {
  reflect::Quaternion turn{};
  float length = 0;
  while (length < 0.1f) {
    for (float& part : turn) part = random.uniform(-1, 1);
    length = std::sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2] + turn[3] * turn[3]);
  }
  for (float& part : turn) part *= (random.chance(1, 4) ? 1.004f : 1.0f) / length;
  core::store(to, turn);
}

void write_text(const Field& field, core::Random& random, std::byte* to) {
  static constexpr std::string_view texts[] = {"", "red", "green", "ä", "blue", "two words", "übers Meer"};
  std::string_view text;
  do text = any_of(random, texts);
  while (text.size() > field.size);
  std::memset(to, 0, field.size);
  std::memcpy(to, text.data(), text.size());
}

}  // namespace

std::string random_schema(core::Random& random) {
  std::string text =
      random_enum(random, "E", "ubyte") + random_enum(random, "F", random.chance(1, 2) ? "short" : "ulong");
  text += random_struct(random);
  const std::array<Counter, 2> counters{Counter{"n", 1 + random.below(6), random.chance(3, 4)},
                                        Counter{"m", 1 + random.below(6), random.chance(1, 2)}};
  std::vector<std::string> fields;
  for (const std::string_view name : {"a", "b", "c", "d", "e", "f", "g", "h"})
    if (random.chance(3, 4)) fields.push_back(random_field(random, name, counters));
  for (const Counter& counter : counters) {
    static constexpr std::string_view types[] = {"ubyte", "ushort", "uint"};
    static constexpr std::string_view others[] = {"int", "ubyte", "float", "E"};
    if (counter.there) {
      fields.push_back(core::format("{}:{}; ", counter.name, any_of(random, types)));
    } else if (random.chance(1, 2)) {
      fields.push_back(core::format("{}:{}; ", counter.name, any_of(random, others)));
    }
  }
  text += "struct C (component) { always:uint; ";
  while (!fields.empty()) {
    const auto which = random.below(static_cast<std::uint32_t>(fields.size()));
    text += fields[which];
    fields.erase(fields.begin() + which);
  }
  return text + "}";
}

void write_random_value(const Field& field, core::Random& random, std::byte* to) {
  switch (field.kind) {
    case FieldKind::boolean: return core::store(to, random.chance(1, 2));
    case FieldKind::int8: return write_integer<std::int8_t>(field, random, to);
    case FieldKind::uint8: return write_integer<std::uint8_t>(field, random, to);
    case FieldKind::int16: return write_integer<std::int16_t>(field, random, to);
    case FieldKind::uint16: return write_integer<std::uint16_t>(field, random, to);
    case FieldKind::int32: return write_integer<std::int32_t>(field, random, to);
    case FieldKind::uint32: return write_integer<std::uint32_t>(field, random, to);
    case FieldKind::int64: return write_integer<std::int64_t>(field, random, to);
    case FieldKind::uint64: return write_integer<std::uint64_t>(field, random, to);
    case FieldKind::float32: return write_real<float>(field, random, to);
    case FieldKind::float64: return write_real<double>(field, random, to);
    case FieldKind::unit_quaternion: return write_rotation(random, to);
    case FieldKind::fixed_string: return write_text(field, random, to);
    case FieldKind::entity: return core::store(to, random.next());
    case FieldKind::string_id: return core::store(to, static_cast<std::uint32_t>(random.next()));
  }
}

core::Bytes random_row(const reflect::Component& component, core::Random& random) {
  core::Bytes row(component.size);
  for (std::byte& each : row) each = static_cast<std::byte>(random.below(256));
  for (const Field& field : component.fields)
    for (std::uint32_t i = 0; i < field.count; ++i)
      write_random_value(field, random, row.data() + field.offset + i * field.stride);
  return row;
}

}  // namespace mobula::test
