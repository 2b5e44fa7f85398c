#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <mobula/core/assert.hpp>
#include <mobula/ecs/entity.hpp>
#include <mobula/wire/component_codec.hpp>

namespace mobula::wire {

using FieldCodec = ComponentCodec::FieldCodec;
using core::BitReader;
using core::BitWriter;
using reflect::FieldKind;

struct ComponentCodec::Kind {
  void (*encode)(const FieldCodec& field, const std::byte* at, BitWriter& writer);
  bool (*decode)(const FieldCodec& field, BitReader& reader, std::byte* at);
  void (*snap)(const FieldCodec& field, std::byte* at);
  std::uint32_t (*max_bits)(const FieldCodec& field);
};

namespace {

using Kind = ComponentCodec::Kind;

// Most kinds are one code of `bits` bits: to_code makes it of a value, from_code the value again,
// or refuses a code that to_code does not make.
template <auto to_code, auto from_code>
constexpr Kind fixed_kind() {
  return {.encode = [](const FieldCodec& field, const std::byte* at,
                       BitWriter& writer) { writer.write(to_code(field, at), field.bits); },
          .decode = [](const FieldCodec& field, BitReader& reader,
                       std::byte* at) { return from_code(field, reader.read(field.bits), at); },
          .snap = [](const FieldCodec& field, std::byte* at) { from_code(field, to_code(field, at), at); },
          .max_bits = [](const FieldCodec& field) { return field.bits; }};
}

// Plain: the value's own bits ------------------------------------------------------------

template <class Raw>
std::uint64_t plain_code(const FieldCodec&, const std::byte* at) {
  return core::load<Raw>(at);
}
template <class Raw>
bool plain_value(const FieldCodec&, std::uint64_t code, std::byte* at) {
  core::store(at, static_cast<Raw>(code));
  return true;
}
template <class Raw>
constexpr Kind plain_kind = fixed_kind<plain_code<Raw>, plain_value<Raw>>();

// Memory may hold any byte where a bool should be.
std::uint64_t bool_code(const FieldCodec&, const std::byte* at) { return at[0] != std::byte{0} ? 1 : 0; }
constexpr Kind bool_kind = fixed_kind<bool_code, plain_value<std::uint8_t>>();

// Ranged and enumerated ------------------------------------------------------------------

template <class T>
std::uint64_t ranged_code(const FieldCodec& field, const std::byte* at) {
  const T value = core::load<T>(at);
  const bool below = std::is_signed_v<T> ? static_cast<std::int64_t>(value) < static_cast<std::int64_t>(field.low)
                                         : static_cast<std::uint64_t>(value) < field.low;
  return below ? 0 : std::min(static_cast<std::uint64_t>(value) - field.low, field.steps);
}
template <class T>
bool ranged_value(const FieldCodec& field, std::uint64_t code, std::byte* at) {
  if (code > field.steps) return false;
  core::store(at, static_cast<T>(field.low + code));
  return true;
}
template <class T>
constexpr Kind ranged_kind = fixed_kind<ranged_code<T>, ranged_value<T>>();

// A value that the enum does not have is encoded as zero, which every enum in a struct has.
template <class T>
std::uint64_t enum_code(const FieldCodec& field, const std::byte* at) {
  const auto place_of = [&](std::int64_t value) { return std::ranges::lower_bound(field.enum_values, value); };
  // NOLINTNEXTLINE(bugprone-signed-char-misuse): a negative value of an enum stays negative.
  const auto value = static_cast<std::int64_t>(core::load<T>(at));
  auto place = place_of(value);
  if (place == field.enum_values.end() || *place != value) place = place_of(0);
  return std::min(static_cast<std::uint64_t>(place - field.enum_values.begin()), field.steps);
}
template <class T>
bool enum_value(const FieldCodec& field, std::uint64_t code, std::byte* at) {
  if (code > field.steps) return false;
  core::store(at, static_cast<T>(field.enum_values[code]));
  return true;
}
template <class T>
constexpr Kind enum_kind = fixed_kind<enum_code<T>, enum_value<T>>();

template <class T>
std::uint64_t real_code(const FieldCodec& field, const std::byte* at) {
  return field.quantiser.quantise(static_cast<double>(core::load<T>(at)));
}
template <class T>
bool real_value(const FieldCodec& field, std::uint64_t code, std::byte* at) {
  if (code > field.steps) return false;
  core::store(at, static_cast<T>(field.quantiser.value(code)));
  return true;
}
template <class T>
constexpr Kind real_kind = fixed_kind<real_code<T>, real_value<T>>();

// Unit quaternions -----------------------------------------------------------------------

// The smallest three in whole units; 2^(bits-1) - 1 units are the square root of 1/2.
struct SmallestThree {
  unsigned omitted = 3;
  std::array<std::int64_t, 3> parts{};

  bool operator==(const SmallestThree&) const = default;
};

constexpr double root_of_two = 1.4142135623730951;

std::int64_t greatest_part(std::uint32_t bits) { return (std::int64_t{1} << (bits - 1)) - 1; }

// The greatest is chosen by whole units, the first of equals.
SmallestThree nearest_three(const std::array<float, 4>& rotation, std::uint32_t bits) {
  double squares = 0;
  for (const float part : rotation) squares += static_cast<double>(part) * static_cast<double>(part);
  if (!(squares > 1e-12 && squares < 1e12)) return {};  // not a rotation: none
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

// What is left for the square of the part left out, in square units.
std::int64_t square_left(const SmallestThree& three, std::uint32_t bits) {
  std::int64_t left = 2 * greatest_part(bits) * greatest_part(bits);
  for (const std::int64_t part : three.parts) left -= part * part;
  return left;
}

std::array<float, 4> rotation_of(const SmallestThree& three, std::uint32_t bits) {
  const double unit = 1 / (static_cast<double>(greatest_part(bits)) * root_of_two);
  std::array<float, 4> rotation{};
  for (unsigned i = 0, next = 0; i < 4; ++i) {
    const double units = i == three.omitted ? std::sqrt(static_cast<double>(square_left(three, bits)))
                                            : static_cast<double>(three.parts[next++]);
    rotation[i] = static_cast<float>(units * unit);
  }
  return rotation;
}

// Of a rotation near a tie of its greatest parts there are several smallest threes. Only
// those that come back as themselves are sent, so that a mirror encodes what it decoded.
bool comes_back(const SmallestThree& three, std::uint32_t bits) {
  const std::int64_t left = square_left(three, bits);
  if (left < 0) return false;
  std::int64_t greatest = 0;
  for (const std::int64_t part : three.parts) greatest = std::max(greatest, std::abs(part));
  // Greater than the others by more than any rounding: no need to try.
  if (left >= (greatest + 2) * (greatest + 2)) return true;
  return nearest_three(rotation_of(three, bits), bits) == three;
}

// Away from the tie by a unit at a time. It ends: three zeros come back.
void move_off_tie(SmallestThree& three) {
  const auto greatest = std::ranges::max_element(three.parts, {}, [](std::int64_t part) { return std::abs(part); });
  *greatest += *greatest < 0 ? 1 : -1;
}

std::uint64_t quaternion_code(const FieldCodec& field, const std::byte* at) {
  const std::uint32_t bits = field.bits;
  SmallestThree three = nearest_three(core::load<std::array<float, 4>>(at), bits);
  while (!comes_back(three, bits)) move_off_tie(three);
  std::uint64_t code = three.omitted;
  for (unsigned i = 0; i < 3; ++i) {
    code |= static_cast<std::uint64_t>(three.parts[i] + greatest_part(bits)) << (2 + i * bits);
  }
  return code;
}

bool quaternion_value(const FieldCodec& field, std::uint64_t code, std::byte* at) {
  const std::uint32_t bits = field.bits;
  const std::int64_t limit = greatest_part(bits);
  SmallestThree three{.omitted = static_cast<unsigned>(code & 3), .parts = {}};
  for (unsigned i = 0; i < 3; ++i) {
    const auto part = static_cast<std::int64_t>(code >> (2 + i * bits) & ((std::uint64_t{1} << bits) - 1));
    if (part > 2 * limit) return false;
    three.parts[i] = part - limit;
  }
  if (!comes_back(three, bits)) return false;
  core::store(at, rotation_of(three, bits));
  return true;
}

constexpr Kind quaternion_kind = {
    .encode = [](const FieldCodec& field, const std::byte* at,
                 BitWriter& writer) { writer.write(quaternion_code(field, at), 2 + 3 * field.bits); },
    .decode = [](const FieldCodec& field, BitReader& reader,
                 std::byte* at) { return quaternion_value(field, reader.read(2 + 3 * field.bits), at); },
    .snap = [](const FieldCodec& field, std::byte* at) { quaternion_value(field, quaternion_code(field, at), at); },
    .max_bits = [](const FieldCodec& field) { return 2 + 3 * field.bits; }};

constexpr Kind plain_quaternion_kind = {.encode =
                                            [](const FieldCodec&, const std::byte* at, BitWriter& writer) {
                                              for (std::size_t i = 0; i < 16; i += 4)
                                                writer.write(core::load<std::uint32_t>(at + i), 32);
                                            },
                                        .decode =
                                            [](const FieldCodec&, BitReader& reader, std::byte* at) {
                                              for (std::size_t i = 0; i < 16; i += 4)
                                                core::store(at + i, static_cast<std::uint32_t>(reader.read(32)));
                                              return true;
                                            },
                                        .snap = [](const FieldCodec&, std::byte*) {},
                                        .max_bits = [](const FieldCodec&) { return 128u; }};

// Entities -------------------------------------------------------------------------------

constexpr unsigned index_order = 12;

constexpr Kind entity_kind = {.encode =
                                  [](const FieldCodec&, const std::byte* at, BitWriter& writer) {
                                    const auto entity = core::load<ecs::Entity>(at);
                                    writer.write_bool(static_cast<bool>(entity));
                                    if (!entity) return;
                                    writer.write_golomb(entity.index, index_order);
                                    writer.write(entity.generation, 32);
                                  },
                              .decode =
                                  [](const FieldCodec&, BitReader& reader, std::byte* at) {
                                    ecs::Entity entity;
                                    if (reader.read_bool()) {
                                      entity.index = reader.read_golomb(index_order);
                                      entity.generation = static_cast<std::uint32_t>(reader.read(32));
                                      if (!entity) return false;
                                    }
                                    core::store(at, entity);
                                    return true;
                                  },
                              .snap =
                                  [](const FieldCodec&, std::byte* at) {
                                    if (!core::load<ecs::Entity>(at)) core::store(at, ecs::null_entity);
                                  },
                              // An index of 2^32 - 1 is 33 bits with the order added: 20 zeros, a one, 32 bits.
                              .max_bits = [](const FieldCodec&) { return 1u + 20 + 1 + 32 + 32; }};

// Fixed strings --------------------------------------------------------------------------

std::uint32_t text_length(const FieldCodec& field, const std::byte* at) {
  return static_cast<std::uint32_t>(std::find(at, at + field.size, std::byte{0}) - at);
}

constexpr Kind text_kind = {
    .encode =
        [](const FieldCodec& field, const std::byte* at, BitWriter& writer) {
          const std::uint32_t length = text_length(field, at);
          writer.write(length, static_cast<unsigned>(std::bit_width(field.size)));
          writer.write_bits(at, std::size_t{length} * 8);
        },
    .decode =
        [](const FieldCodec& field, BitReader& reader, std::byte* at) {
          const std::uint64_t length = reader.read(static_cast<unsigned>(std::bit_width(field.size)));
          if (length > field.size) return false;
          for (std::uint64_t i = 0; i < length; ++i) {
            at[i] = static_cast<std::byte>(reader.read(8));
            if (at[i] == std::byte{0}) return false;
          }
          std::fill(at + length, at + field.size, std::byte{0});
          return true;
        },
    .snap = [](const FieldCodec& field,
               std::byte* at) { std::fill(at + text_length(field, at), at + field.size, std::byte{0}); },
    .max_bits =
        [](const FieldCodec& field) {
          return static_cast<std::uint32_t>(std::bit_width(field.size)) + field.size * 8;
        }};

// Which of them --------------------------------------------------------------------------

struct Variants {
  const Kind* plain;
  const Kind* quantised = nullptr;
  const Kind* enumerated = nullptr;
};

template <class T>
constexpr Variants integer = {&plain_kind<std::make_unsigned_t<T>>, &ranged_kind<T>, &enum_kind<T>};

// By FieldKind.
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

const Kind* kind_of(const reflect::Field& field) {
  const Variants& variants = variants_of[static_cast<std::size_t>(field.kind)];
  if (!field.enum_values.empty()) return variants.enumerated;
  return field.bits > 0 ? variants.quantised : variants.plain;
}

FieldCodec field_codec(const reflect::Component& component, const reflect::Field& field) {
  const bool quantised = field.bits > 0 || !field.enum_values.empty();
  const std::uint32_t own_bits = field.kind == FieldKind::boolean ? 1 : field.size * 8;
  FieldCodec codec{.kind = kind_of(field),
                   .offset = field.offset,
                   .size = field.size,
                   .count = field.count,
                   .stride = field.stride,
                   .bits = quantised ? field.bits : own_bits,
                   .steps = field.steps,
                   .low = 0,
                   .quantiser = {},
                   .enum_values = {}};
  if (field.ranged && reflect::is_integer(field.kind)) {
    codec.low = static_cast<std::uint64_t>(static_cast<std::int64_t>(field.low));
  }
  if (field.ranged && reflect::is_float(field.kind)) codec.quantiser = reflect::Quantiser(field);
  for (const reflect::EnumValue& value : field.enum_values) codec.enum_values.push_back(value.value);
  if (field.count_field >= 0) {
    const reflect::Field& counter = component.fields[static_cast<std::size_t>(field.count_field)];
    codec.counter_offset = counter.offset;
    codec.counter_size = counter.size;
  }
  return codec;
}

// How many elements count, whatever the counter in memory says.
std::uint32_t elements(const FieldCodec& field, const std::byte* component) {
  if (field.counter_size == 0) return field.count;
  std::uint32_t counter = 0;
  std::memcpy(&counter, component + field.counter_offset, field.counter_size);
  return std::min(counter, field.count);
}

void clear_from(const FieldCodec& field, std::byte* component, std::uint32_t first) {
  for (std::uint32_t i = first; i < field.count; ++i) {
    std::memset(component + field.offset + std::size_t{i} * field.stride, 0, field.size);
  }
}

}  // namespace

ComponentCodec::ComponentCodec(const reflect::Component& component) : size_(component.size) {
  if (component.not_sent) return;
  std::vector<bool> counts(component.fields.size());
  for (const reflect::Field& field : component.fields) {
    if (field.count_field >= 0) counts[static_cast<std::size_t>(field.count_field)] = true;
  }
  for (const bool counters : {true, false}) {
    for (std::size_t i = 0; i < component.fields.size(); ++i) {
      const reflect::Field& field = component.fields[i];
      if (counts[i] != counters || field.not_sent || field.owner_only) continue;
      fields_.push_back(field_codec(component, field));
      max_bits_ += field.count * fields_.back().kind->max_bits(fields_.back());
    }
  }
}

void ComponentCodec::encode(const std::byte* component, BitWriter& writer) const {
  for (const FieldCodec& field : fields_) {
    const std::byte* at = component + field.offset;
    for (std::uint32_t i = elements(field, component); i > 0; --i, at += field.stride) {
      field.kind->encode(field, at, writer);
    }
  }
}

bool ComponentCodec::decode(BitReader& reader, std::byte* component) const {
  std::array<std::byte, reflect::Limits::component_bytes> copy;  // uninitialised: only size_ bytes are used
  std::memcpy(copy.data(), component, size_);
  for (const FieldCodec& field : fields_) {
    const std::uint32_t count = elements(field, copy.data());
    std::byte* at = copy.data() + field.offset;
    for (std::uint32_t i = 0; i < count; ++i, at += field.stride) {
      if (!field.kind->decode(field, reader, at) || !reader.ok()) return false;
    }
    clear_from(field, copy.data(), count);
  }
  std::memcpy(component, copy.data(), size_);
  return true;
}

void ComponentCodec::snap(std::byte* component) const {
  for (const FieldCodec& field : fields_) {
    const std::uint32_t count = elements(field, component);
    for (std::uint32_t i = 0; i < count; ++i) {
      field.kind->snap(field, component + field.offset + std::size_t{i} * field.stride);
    }
    clear_from(field, component, count);
  }
}

}  // namespace mobula::wire
