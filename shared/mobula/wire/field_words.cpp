#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <mobula/core/assert.hpp>
#include <mobula/core/bytes.hpp>
#include <mobula/ecs/entity.hpp>
#include <mobula/wire/field_words.hpp>

namespace mobula::wire {
namespace {

using reflect::FieldKind;

struct Kind {
  FieldWords::Write to_words;
  FieldWords::Read to_value;
};

// Most kinds are one code of at most 64 bits. to_code encodes a value; from_code decodes it and refuses codes that
// to_code never returns.
template <auto to_code, auto from_code>
constexpr Kind code_kind = {[](const FieldWords& field, const std::byte* at, std::uint32_t* words) {
                              const std::uint64_t code = to_code(field, at);
                              words[0] = static_cast<std::uint32_t>(code);
                              if (field.words == 2) words[1] = static_cast<std::uint32_t>(code >> 32);
                            },
                            [](const FieldWords& field, const std::uint32_t* words, std::byte* at) {
                              const std::uint64_t code =
                                  words[0] | (field.words == 2 ? static_cast<std::uint64_t>(words[1]) << 32 : 0);
                              return from_code(field, code, at);
                            }};

// Plain: the value's own bits ------------------------------------------------------------

template <class Raw>
std::uint64_t plain_code(const FieldWords&, const std::byte* at) {
  return core::load<Raw>(at);
}
template <class Raw>
bool plain_value(const FieldWords&, std::uint64_t code, std::byte* at) {
  if constexpr (sizeof(Raw) < 4)
    if (code >> (8 * sizeof(Raw)) != 0) return false;
  core::store(at, static_cast<Raw>(code));
  return true;
}
template <class Raw>
constexpr Kind plain_kind = code_kind<plain_code<Raw>, plain_value<Raw>>;

// Memory may hold any byte in place of a bool.
std::uint64_t bool_code(const FieldWords&, const std::byte* at) { return at[0] != std::byte{0} ? 1 : 0; }
bool bool_value(const FieldWords&, std::uint64_t code, std::byte* at) {
  if (code > 1) return false;
  core::store(at, static_cast<std::uint8_t>(code));
  return true;
}
constexpr Kind bool_kind = code_kind<bool_code, bool_value>;

// Ranged integers and enums ----------------------------------------------------------------

template <class T>
std::uint64_t ranged_code(const FieldWords& field, const std::byte* at) {
  const T value = core::load<T>(at);
  const bool below = std::is_signed_v<T> ? static_cast<std::int64_t>(value) < static_cast<std::int64_t>(field.low)
                                         : static_cast<std::uint64_t>(value) < field.low;
  return below ? 0 : std::min(static_cast<std::uint64_t>(value) - field.low, field.steps);
}
template <class T>
bool ranged_value(const FieldWords& field, std::uint64_t code, std::byte* at) {
  if (code > field.steps) return false;
  core::store(at, static_cast<T>(field.low + code));
  return true;
}
template <class T>
constexpr Kind ranged_kind = code_kind<ranged_code<T>, ranged_value<T>>;

// Returns the position of the value. A value that the enum does not have becomes zero, which every enum in a struct
// has.
template <class T>
std::uint64_t enum_code(const FieldWords& field, const std::byte* at) {
  const auto place_of = [&](std::int64_t value) { return std::ranges::lower_bound(field.enum_values, value); };
  // NOLINTNEXTLINE(bugprone-signed-char-misuse): a negative value of an enum stays negative.
  const auto value = static_cast<std::int64_t>(core::load<T>(at));
  auto place = place_of(value);
  if (place == field.enum_values.end() || *place != value) place = place_of(0);
  return std::min(static_cast<std::uint64_t>(place - field.enum_values.begin()), field.steps);
}
template <class T>
bool enum_value(const FieldWords& field, std::uint64_t code, std::byte* at) {
  if (code > field.steps) return false;
  core::store(at, static_cast<T>(field.enum_values[code]));
  return true;
}
template <class T>
constexpr Kind enum_kind = code_kind<enum_code<T>, enum_value<T>>;

template <class T>
std::uint64_t real_code(const FieldWords& field, const std::byte* at) {
  return field.quantiser.quantise(static_cast<double>(core::load<T>(at)));
}
template <class T>
bool real_value(const FieldWords& field, std::uint64_t code, std::byte* at) {
  if (code > field.steps) return false;
  core::store(at, static_cast<T>(field.quantiser.value(code)));
  return true;
}
template <class T>
constexpr Kind real_kind = code_kind<real_code<T>, real_value<T>>;

// Unit quaternions -----------------------------------------------------------------------

// The smallest three parts as integers; 2^(bits-1) - 1 is the square root of 1/2.
struct SmallestThree {
  unsigned omitted = 3;
  std::array<std::int64_t, 3> parts{};

  bool operator==(const SmallestThree&) const = default;
};

constexpr double root_of_two = 1.4142135623730951;

std::int64_t greatest_part(std::uint32_t bits) { return (std::int64_t{1} << (bits - 1)) - 1; }

// Returns the nearest smallest three. The omitted part is the greatest of the rounded parts, the first of equals.
SmallestThree nearest_three(const std::array<float, 4>& rotation, std::uint32_t bits) {
  double squares = 0;
  for (const float part : rotation) squares += static_cast<double>(part) * static_cast<double>(part);
  if (!is_rotation(squares)) return {};
  const std::int64_t limit = greatest_part(bits);
  const double scale = static_cast<double>(limit) * root_of_two / std::sqrt(squares);
  std::array<std::int64_t, 4> units{};
  unsigned omitted = 0;
  for (unsigned i = 0; i < 4; ++i) {
    units[i] = static_cast<std::int64_t>(std::floor(static_cast<double>(rotation[i]) * scale + 0.5));
    if (std::abs(units[i]) > std::abs(units[omitted])) omitted = i;
  }
  SmallestThree three{.omitted = omitted, .parts = {}};
  const std::int64_t sign = units[omitted] < 0 ? -1 : 1;
  for (unsigned i = 0, next = 0; i < 4; ++i) {
    if (i != omitted) three.parts[next++] = std::clamp(sign * units[i], -limit, limit);
  }
  return three;
}

// Returns the square of the omitted part.
std::int64_t square_left(const SmallestThree& three, std::uint32_t bits) {
  std::int64_t left = 2 * greatest_part(bits) * greatest_part(bits);
  for (const std::int64_t part : three.parts) left -= part * part;
  return left;
}

std::array<double, 4> exact_rotation_of(const SmallestThree& three, std::uint32_t bits) {
  const double unit = 1 / (static_cast<double>(greatest_part(bits)) * root_of_two);
  std::array<double, 4> rotation{};
  for (unsigned i = 0, next = 0; i < 4; ++i) {
    const auto left = static_cast<double>(std::max<std::int64_t>(square_left(three, bits), 0));
    rotation[i] = (i == three.omitted ? std::sqrt(left) : static_cast<double>(three.parts[next++])) * unit;
  }
  return rotation;
}

std::array<float, 4> rotation_of(const SmallestThree& three, std::uint32_t bits) {
  const std::array<double, 4> exact = exact_rotation_of(three, bits);
  std::array<float, 4> rotation{};
  for (std::size_t i = 0; i < 4; ++i) rotation[i] = static_cast<float>(exact[i]);
  return rotation;
}

SmallestThree three_of(const std::uint32_t* words, std::uint32_t bits) {
  SmallestThree three{.omitted = words[0], .parts = {}};
  for (unsigned i = 0; i < 3; ++i) three.parts[i] = static_cast<std::int64_t>(words[1 + i]) - greatest_part(bits);
  return three;
}

// Whether these parts encode to themselves. A rotation near a tie of its greatest parts has several smallest threes;
// only those that round-trip are sent, so that a mirror encodes what it has decoded.
bool round_trips(const SmallestThree& three, std::uint32_t bits) {
  const std::int64_t left = square_left(three, bits);
  if (left < 0) return false;
  std::int64_t greatest = 0;
  for (const std::int64_t part : three.parts) greatest = std::max(greatest, std::abs(part));
  // Greater than the others by more than any rounding error.
  if (left >= (greatest + 2) * (greatest + 2)) return true;
  return nearest_three(rotation_of(three, bits), bits) == three;
}

// Moves the greatest part one unit away from the tie. This ends: three zeros round-trip.
void move_off_tie(SmallestThree& three) {
  const auto greatest = std::ranges::max_element(three.parts, {}, [](std::int64_t part) { return std::abs(part); });
  *greatest += *greatest < 0 ? 1 : -1;
}

void quaternion_words(const FieldWords& field, const std::byte* at, std::uint32_t* words) {
  const std::uint32_t bits = field.bits;
  SmallestThree three = nearest_three(core::load<std::array<float, 4>>(at), bits);
  while (!round_trips(three, bits)) move_off_tie(three);
  words[0] = three.omitted;
  for (unsigned i = 0; i < 3; ++i) words[1 + i] = static_cast<std::uint32_t>(three.parts[i] + greatest_part(bits));
}

bool quaternion_value(const FieldWords& field, const std::uint32_t* words, std::byte* at) {
  const std::uint32_t bits = field.bits;
  if (words[0] > 3) return false;
  for (unsigned i = 0; i < 3; ++i)
    if (words[1 + i] > 2 * greatest_part(bits)) return false;
  const SmallestThree three = three_of(words, bits);
  if (!round_trips(three, bits)) return false;
  core::store(at, rotation_of(three, bits));
  return true;
}

constexpr Kind quaternion_kind = {quaternion_words, quaternion_value};

// A quaternion without `bits`: the bits of its floats.
constexpr Kind plain_quaternion_kind = {
    [](const FieldWords&, const std::byte* at, std::uint32_t* words) { std::memcpy(words, at, 16); },
    [](const FieldWords&, const std::uint32_t* words, std::byte* at) {
      std::memcpy(at, words, 16);
      return true;
    }};

// Entities -------------------------------------------------------------------------------

constexpr Kind entity_kind = {[](const FieldWords&, const std::byte* at, std::uint32_t* words) {
                                const auto entity = core::load<ecs::Entity>(at);
                                words[0] = entity ? entity.index : 0;
                                words[1] = entity ? entity.generation : 0;
                              },
                              [](const FieldWords&, const std::uint32_t* words, std::byte* at) {
                                const ecs::Entity entity{words[0], words[1]};
                                if (!entity && words[0] != 0) return false;
                                core::store(at, entity ? entity : ecs::null_entity);
                                return true;
                              }};

// Fixed strings --------------------------------------------------------------------------

constexpr Kind text_kind = {
    [](const FieldWords& field, const std::byte* at, std::uint32_t* words) {
      const auto length = static_cast<std::uint32_t>(std::find(at, at + field.size, std::byte{0}) - at);
      std::fill(words, words + field.words, 0u);
      words[0] = length;
      if (length > 0) std::memcpy(words + 1, at, length);
    },
    [](const FieldWords& field, const std::uint32_t* words, std::byte* at) {
      if (words[0] > field.size) return false;
      const core::ByteView bytes = core::as_bytes(words + 1, field.words - 1);
      const auto zero = [](std::byte byte) { return byte == std::byte{0}; };
      if (!std::ranges::none_of(bytes.first(words[0]), zero) || !std::ranges::all_of(bytes.subspan(words[0]), zero))
        return false;
      std::memcpy(at, bytes.data(), field.size);
      return true;
    }};

// Selection by kind ---------------------------------------------------------------------

struct Variants {
  const Kind* plain;
  const Kind* quantised = nullptr;
  const Kind* enumerated = nullptr;
};

template <class T>
constexpr Variants integer = {&plain_kind<std::make_unsigned_t<T>>, &ranged_kind<T>, &enum_kind<T>};

// In the order of FieldKind.
constexpr std::array<Variants, reflect::field_kind_count> variants_of{{
    {&bool_kind},
    integer<std::int8_t>,
    integer<std::uint8_t>,
    integer<std::int16_t>,
    integer<std::uint16_t>,
    integer<std::int32_t>,
    integer<std::uint32_t>,
    integer<std::int64_t>,
    integer<std::uint64_t>,
    {&plain_kind<std::uint32_t>, &real_kind<float>},
    {&plain_kind<std::uint64_t>, &real_kind<double>},
    {&plain_quaternion_kind, &quaternion_kind},
    {&entity_kind},
    {&text_kind},
    {&plain_kind<std::uint32_t>},
}};
static_assert(static_cast<std::size_t>(FieldKind::string_id) + 1 == variants_of.size());

const Kind& kind_of(const reflect::Field& field) {
  const Variants& variants = variants_of[static_cast<std::size_t>(field.kind)];
  if (!field.enum_values.empty()) return *variants.enumerated;
  return field.bits > 0 ? *variants.quantised : *variants.plain;
}

std::uint32_t words_of(const reflect::Field& field) {
  switch (field.kind) {
    case FieldKind::unit_quaternion: return 4;
    case FieldKind::entity: return 2;
    case FieldKind::fixed_string: return 1 + (field.size + 3) / 4;
    default: break;
  }
  const bool coded = field.bits > 0 || !field.enum_values.empty();
  return (coded ? field.bits : field.size * 8) > 32 ? 2 : 1;
}

}  // namespace

std::array<double, 4> rotation_of_words(const std::uint32_t* words, std::uint32_t bits) {
  SmallestThree three = three_of(words, bits);
  three.omitted &= 3;  // a damaged mirror may have more; verification corrects it
  return exact_rotation_of(three, bits);
}

FieldWords field_words(const reflect::Field& field) {
  const Kind& kind = kind_of(field);
  FieldWords words{.to_words = kind.to_words,
                   .to_value = kind.to_value,
                   .words = words_of(field),
                   .size = field.size,
                   .bits = field.bits,
                   .steps = field.steps,
                   .low = 0,
                   .quantiser = {},
                   .enum_values = {}};
  if (field.ranged && reflect::is_integer(field.kind))
    words.low = static_cast<std::uint64_t>(static_cast<std::int64_t>(field.low));
  if (field.ranged && reflect::is_float(field.kind)) words.quantiser = reflect::Quantiser(field);
  for (const reflect::EnumValue& value : field.enum_values) words.enum_values.push_back(value.value);
  return words;
}

}  // namespace mobula::wire
