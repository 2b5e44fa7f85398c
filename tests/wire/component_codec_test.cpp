#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <kitchen/components.hpp>
#include <limits>
#include <mobula/core/random.hpp>
#include <mobula/schema/components.hpp>
#include <mobula/wire/component_codec.hpp>
#include <reflect/compile_schema.hpp>
#include <string>
#include <vector>

namespace mobula::wire {
namespace {

using reflect::Component;
using reflect::Field;
using reflect::FieldKind;

struct Encoded {
  core::Bytes bytes;
  std::size_t bits = 0;

  bool operator==(const Encoded&) const = default;
};

Encoded encode(const ComponentCodec& codec, const std::byte* component) {
  Encoded encoded{core::Bytes((codec.max_bits() + 7) / 8), 0};
  core::BitWriter writer(encoded.bytes);
  codec.encode(component, writer);
  EXPECT_TRUE(writer.ok());
  encoded.bits = writer.bits();
  return encoded;
}

// The whole string must be used up.
bool decode(const ComponentCodec& codec, const Encoded& encoded, std::byte* component) {
  core::BitReader reader(encoded.bytes);
  if (!codec.decode(reader, component)) return false;
  EXPECT_EQ(reader.position(), encoded.bits);
  return true;
}

std::string text(const Encoded& encoded) {
  std::string result;
  for (std::size_t i = 0; i < encoded.bits; ++i) {
    result += (std::to_integer<unsigned>(encoded.bytes[i / 8]) >> (i % 8) & 1) != 0 ? '1' : '0';
  }
  return result;
}

template <class T>
const std::byte* bytes_of(const T& value) {
  return reinterpret_cast<const std::byte*>(&value);
}
template <class T>
std::byte* bytes_of(T& value) {
  return reinterpret_cast<std::byte*>(&value);
}

const Component& kitchen_component(std::string_view name) {
  static const std::shared_ptr<const reflect::Schema> schema = *reflect::Schema::load(kitchen::schema_bytes());
  return *schema->find(name);
}
const Component& demo_component(std::string_view name) {
  static const std::shared_ptr<const reflect::Schema> schema = *reflect::Schema::load(demo::schema_bytes());
  return *schema->find(name);
}

// Any bytes, or bytes near to what a game would have.
core::Bytes random_value(const Component& component, core::Random& random) {
  core::Bytes value = component.default_value;
  if (random.chance(1, 2)) {
    for (std::byte& byte : value) byte = static_cast<std::byte>(random.below(256));
    return value;
  }
  for (const Field& field : component.fields) {
    for (std::uint32_t i = 0; i < field.count; ++i) {
      std::byte* at = value.data() + field.offset + i * field.stride;
      if (field.kind == FieldKind::float32) {
        core::store(at, field.ranged
                            ? random.uniform(static_cast<float>(field.low) - 1, static_cast<float>(field.high) + 1)
                            : random.uniform(-1e6f, 1e6f));
      } else if (field.kind == FieldKind::unit_quaternion) {
        for (int part = 0; part < 4; ++part) core::store(at + 4 * part, random.uniform(-1, 1));
      } else if (!field.enum_values.empty()) {
        const auto& chosen = field.enum_values[random.below(static_cast<std::uint32_t>(field.enum_values.size()))];
        std::memcpy(at, &chosen.value, field.size);
      } else if (field.ranged && field.kind != FieldKind::float64) {
        const std::uint64_t q = random.next() % (field.steps + 1);
        const std::uint64_t raw = static_cast<std::uint64_t>(static_cast<std::int64_t>(field.low)) + q;
        std::memcpy(at, &raw, field.size);
      }
    }
  }
  return value;
}

// The format once more, as plainly as can be: a text of 0 and 1, straight from the description.
std::string in_bits(std::uint64_t value, unsigned bits) {
  std::string result;
  for (unsigned i = 0; i < bits; ++i) result += (value >> i & 1) != 0 ? '1' : '0';
  return result;
}

std::int64_t naive_integer(FieldKind kind, const std::byte* at) {
  switch (kind) {
    case FieldKind::int8: return core::load<std::int8_t>(at);
    case FieldKind::uint8: return core::load<std::uint8_t>(at);
    case FieldKind::int16: return core::load<std::int16_t>(at);
    case FieldKind::uint16: return core::load<std::uint16_t>(at);
    case FieldKind::int32: return core::load<std::int32_t>(at);
    case FieldKind::uint32: return core::load<std::uint32_t>(at);
    default: return core::load<std::int64_t>(at);
  }
}

std::string naive_entity(const std::byte* at) {
  const auto index = core::load<std::uint32_t>(at);
  const auto generation = core::load<std::uint32_t>(at + 4);
  if (generation == 0) return "0";
  const std::uint64_t shifted = std::uint64_t{index} + 4096;
  unsigned width = 0;
  while (shifted >> width > 1) ++width;
  return "1" + std::string(width - 12, '0') + "1" + in_bits(shifted - (1ull << width), width) + in_bits(generation, 32);
}

std::string naive_number(const Field& field, const std::byte* at) {
  const unsigned own_bits = field.size * 8;
  if (field.kind == FieldKind::float32 || field.kind == FieldKind::float64) {
    if (!field.ranged)
      return in_bits(own_bits == 32 ? core::load<std::uint32_t>(at) : core::load<std::uint64_t>(at), own_bits);
    const double value =
        field.kind == FieldKind::float32 ? static_cast<double>(core::load<float>(at)) : core::load<double>(at);
    double q = std::floor((value - field.low) / field.step + 0.5);
    if (std::isnan(q) || q < 0) q = 0;
    if (q > static_cast<double>(field.steps)) q = static_cast<double>(field.steps);
    return in_bits(static_cast<std::uint64_t>(q), field.bits);
  }
  const std::int64_t value = naive_integer(field.kind, at);
  if (!field.enum_values.empty()) {
    std::uint64_t place = 0;
    for (std::size_t i = 0; i < field.enum_values.size(); ++i) {
      if (field.enum_values[i].value == 0) place = i;
    }
    for (std::size_t i = 0; i < field.enum_values.size(); ++i) {
      if (field.enum_values[i].value == value) place = i;
    }
    return in_bits(place, field.bits);
  }
  if (!field.ranged) return in_bits(static_cast<std::uint64_t>(value), own_bits);
  const bool huge = field.kind == FieldKind::uint64 && value < 0;
  const auto low = static_cast<std::int64_t>(field.low);
  const auto high = static_cast<std::int64_t>(field.high);
  const std::int64_t clamped = huge || value > high ? high : value < low ? low : value;
  return in_bits(static_cast<std::uint64_t>(clamped - low), field.bits);
}

std::string naive_text(const Field& field, const std::byte* at) {
  unsigned length = 0;
  while (length < field.size && at[length] != std::byte{0}) ++length;
  unsigned length_bits = 0;
  while (field.size >> length_bits != 0) ++length_bits;
  std::string result = in_bits(length, length_bits);
  for (unsigned i = 0; i < length; ++i) result += in_bits(std::to_integer<unsigned>(at[i]), 8);
  return result;
}

std::string naive_element(const Field& field, const std::byte* at) {
  if (field.kind == FieldKind::boolean) return at[0] == std::byte{0} ? "0" : "1";
  if (field.kind == FieldKind::fixed_string) return naive_text(field, at);
  if (field.kind == FieldKind::entity) return naive_entity(at);
  if (field.kind == FieldKind::string_id) return in_bits(core::load<std::uint32_t>(at), 32);
  if (field.kind == FieldKind::unit_quaternion) {  // without bits
    std::string result;
    for (int i = 0; i < 4; ++i) result += in_bits(core::load<std::uint32_t>(at + 4 * i), 32);
    return result;
  }
  return naive_number(field, at);
}

// Up to the first quaternion that has bits.
std::string naive_bits(const Component& component, const std::byte* value) {
  std::string result;
  const auto is_counter = [&](const Field& field) {
    for (const Field& other : component.fields) {
      if (other.count_field >= 0 && &component.fields[static_cast<std::size_t>(other.count_field)] == &field)
        return true;
    }
    return false;
  };
  for (const bool counters : {true, false}) {
    for (const Field& field : component.fields) {
      if (field.kind == FieldKind::unit_quaternion && field.bits > 0) return result;
      if (is_counter(field) != counters || field.not_sent || field.owner_only) continue;
      std::uint32_t count = field.count;
      if (field.count_field >= 0) {
        const Field& counter = component.fields[static_cast<std::size_t>(field.count_field)];
        count = static_cast<std::uint32_t>(
            std::min<std::int64_t>(count, naive_integer(counter.kind, value + counter.offset)));
      }
      for (std::uint32_t i = 0; i < count; ++i) result += naive_element(field, value + field.offset + i * field.stride);
    }
  }
  return result;
}

TEST(ComponentCodec, WritesWhatTheNaiveEncoderWrites) {
  for (const char* name : {"Plain", "Ranged", "Nested", "Flags"}) {
    const Component& component = kitchen_component(name);
    const ComponentCodec codec(component);
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
      SCOPED_TRACE(std::string(name) + " seed " + std::to_string(seed));
      core::Random random(seed);
      const core::Bytes value = random_value(component, random);
      const Encoded encoded = encode(codec, value.data());
      ASSERT_LE(encoded.bits, codec.max_bits());
      const std::string expected = naive_bits(component, value.data());
      ASSERT_EQ(text(encoded).substr(0, expected.size()), expected);
      if (component.name != "Ranged") {
        ASSERT_EQ(encoded.bits, expected.size());
      }
    }
  }
}

TEST(ComponentCodec, DecodingGivesTheSnappedValueAndEncodesAgainToTheSameBits) {
  for (const char* name : {"Plain", "Ranged", "Nested", "Flags", "Hidden"}) {
    const Component& component = kitchen_component(name);
    const ComponentCodec codec(component);
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
      SCOPED_TRACE(std::string(name) + " seed " + std::to_string(seed));
      core::Random random(seed);
      const core::Bytes value = random_value(component, random);
      const Encoded encoded = encode(codec, value.data());

      core::Bytes decoded = value;
      ASSERT_TRUE(decode(codec, encoded, decoded.data()));
      core::Bytes snapped = value;
      codec.snap(snapped.data());
      ASSERT_EQ(decoded, snapped);
      ASSERT_EQ(encode(codec, decoded.data()), encoded);
      codec.snap(snapped.data());
      ASSERT_EQ(decoded, snapped) << "snapping twice is snapping once";
    }
  }
}

TEST(ComponentCodec, RandomBitsAreRefusedUntouchedOrComeBackAsThemselves) {
  int accepted = 0;
  int refused = 0;
  for (const char* name : {"Plain", "Ranged", "Nested", "Flags"}) {
    const Component& component = kitchen_component(name);
    const ComponentCodec codec(component);
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
      SCOPED_TRACE(std::string(name) + " seed " + std::to_string(seed));
      core::Random random(seed);
      const core::Bytes before = random_value(component, random);
      Encoded bits = encode(codec, before.data());
      // A few flips of good bits reach deeper than noise.
      const bool noise = random.chance(1, 4);
      for (std::uint32_t flips = noise ? 999 : random.below(4); flips > 0 && bits.bits > 0; --flips) {
        const std::uint32_t at = random.below(static_cast<std::uint32_t>(bits.bits));
        bits.bytes[at / 8] ^= std::byte{1} << (at % 8);
      }
      core::Bytes after = before;
      core::BitReader reader(bits.bytes);
      if (!codec.decode(reader, after.data())) {
        ++refused;
        ASSERT_EQ(after, before);
        continue;
      }
      ++accepted;
      const Encoded again = encode(codec, after.data());
      ASSERT_EQ(again.bits, reader.position());
      bits.bits = again.bits;
      ASSERT_EQ(text(again), text(bits));
    }
  }
  EXPECT_GT(accepted, 500);
  EXPECT_GT(refused, 500);
}

TEST(ComponentCodec, EveryTruncationIsRefused) {
  for (const char* name : {"Plain", "Ranged", "Nested", "Flags"}) {
    SCOPED_TRACE(name);
    const Component& component = kitchen_component(name);
    const ComponentCodec codec(component);
    const Encoded whole = encode(codec, component.default_value.data());
    for (std::size_t bytes = 0; bytes < (whole.bits + 7) / 8; ++bytes) {
      core::Bytes value = component.default_value;
      const core::Bytes part(whole.bytes.begin(), whole.bytes.begin() + static_cast<std::ptrdiff_t>(bytes));
      core::BitReader reader(part);
      ASSERT_FALSE(codec.decode(reader, value.data()));
      ASSERT_EQ(value, component.default_value);
    }
  }
}

TEST(ComponentCodec, FloatsGoToTheNearestStepAndNanToLow) {
  const ComponentCodec codec(kitchen_component("Ranged"));
  core::Random random(3);
  for (int i = 0; i < 1000; ++i) {
    kitchen::Ranged value;
    value.fine = random.uniform(-512, 512);
    kitchen::Ranged snapped = value;
    codec.snap(bytes_of(snapped));
    ASSERT_NEAR(snapped.fine, value.fine, 0.005001);
  }
  kitchen::Ranged value;
  value.fine = std::numeric_limits<float>::quiet_NaN();
  value.odd = 1e30f;
  value.by_bits = -std::numeric_limits<float>::infinity();
  codec.snap(bytes_of(value));
  EXPECT_EQ(value.fine, -512.0f);
  EXPECT_EQ(value.odd, 0.7f);
  EXPECT_EQ(value.by_bits, 0.0f);
}

TEST(ComponentCodec, IntegersBoolsAndEnumsOutsideAreClamped) {
  const ComponentCodec codec(kitchen_component("Ranged"));
  kitchen::Ranged value;
  value.an_int8 = 5;
  value.a_uint8 = 200;
  value.an_int16 = -3000;
  value.a_uint16 = 5;
  value.an_int64 = std::numeric_limits<std::int64_t>::min();
  value.a_uint64 = std::numeric_limits<std::uint64_t>::max();
  value.small = static_cast<kitchen::Small>(1);
  codec.snap(bytes_of(value));
  EXPECT_EQ(value.an_int8, -3);
  EXPECT_EQ(value.a_uint8, 31);
  EXPECT_EQ(value.an_int16, -256);
  EXPECT_EQ(value.a_uint16, 1000);
  EXPECT_EQ(value.an_int64, -9007199254740992);
  EXPECT_EQ(value.a_uint64, 9007199254740991u);
  EXPECT_EQ(value.small, kitchen::Small::zero);

  const ComponentCodec plain(kitchen_component("Plain"));
  core::Bytes bytes = kitchen_component("Plain").default_value;
  bytes[offsetof(kitchen::Plain, a_bool)] = std::byte{77};
  plain.snap(bytes.data());
  EXPECT_EQ(bytes[offsetof(kitchen::Plain, a_bool)], std::byte{1});
}

TEST(ComponentCodec, NoEntityIsOneBit) {
  const ComponentCodec codec(demo_component("Target"));
  demo::Target target;
  EXPECT_EQ(text(encode(codec, bytes_of(target))), "0");
  target.entity.index = 9;  // no generation: still nobody
  EXPECT_EQ(text(encode(codec, bytes_of(target))), "0");
  codec.snap(bytes_of(target));
  EXPECT_EQ(target.entity, ecs::null_entity);

  target.entity = {.index = 100, .generation = 1};
  EXPECT_EQ(encode(codec, bytes_of(target)).bits, 1u + 1 + 12 + 32);
  target.entity = {.index = 0xffffffff, .generation = 0xffffffff};
  EXPECT_EQ(encode(codec, bytes_of(target)).bits, codec.max_bits());
}

TEST(ComponentCodec, AnEntityWithoutGenerationIsRefused) {
  const ComponentCodec codec(demo_component("Target"));
  core::Bytes bytes(16);
  core::BitWriter writer(bytes);
  writer.write_bool(true);
  writer.write_golomb(5, 12);
  writer.write(0, 32);
  core::BitReader reader(bytes);
  demo::Target target;
  EXPECT_FALSE(codec.decode(reader, bytes_of(target)));
}

TEST(ComponentCodec, OnlyTheTextOfAFixedStringTravels) {
  const ComponentCodec codec(demo_component("Name"));
  demo::Name name;
  std::memcpy(name.text.data(), "mob\0junk", 8);
  const Encoded encoded = encode(codec, bytes_of(name));
  EXPECT_EQ(encoded.bits, 5u + 3 * 8);
  demo::Name other;
  other.text.fill('x');
  ASSERT_TRUE(decode(codec, encoded, bytes_of(other)));
  demo::Name expected;
  std::memcpy(expected.text.data(), "mob", 3);
  EXPECT_EQ(other, expected);

  name.text.fill('y');  // full, without an end
  ASSERT_TRUE(decode(codec, encode(codec, bytes_of(name)), bytes_of(other)));
  EXPECT_EQ(other, name);
}

TEST(ComponentCodec, OnlyElementsThatCountTravelAndTheRestBecomeZero) {
  const ComponentCodec codec(kitchen_component("Nested"));
  kitchen::Nested value;
  value.several_count = 1;
  value.several[0].weight = 5;
  value.several[2].weight = 6;
  const Encoded one = encode(codec, bytes_of(value));
  value.several_count = 2;
  EXPECT_EQ(encode(codec, bytes_of(value)).bits, one.bits + 16 + 1 + 32);
  value.several_count = 999;
  EXPECT_EQ(encode(codec, bytes_of(value)).bits, one.bits + 2 * (16 + 1 + 32));

  kitchen::Nested other;
  ASSERT_TRUE(decode(codec, one, bytes_of(other)));
  EXPECT_EQ(other.several_count, 1);
  EXPECT_EQ(other.several[0].weight, 5);
  EXPECT_EQ(other.several[2].weight, 0);
}

TEST(ComponentCodec, WhatIsNotSentOrForTheOwnerAloneStaysUntouched) {
  const ComponentCodec codec(kitchen_component("Flags"));
  const kitchen::Flags server{.seen = 10, .own = 20, .secret = 30, .guessed = 40, .fresh = 50};
  kitchen::Flags client{.seen = -1, .own = -2, .secret = -3, .guessed = -4, .fresh = -5};
  const Encoded encoded = encode(codec, bytes_of(server));
  EXPECT_EQ(encoded.bits, 3u * 32);
  ASSERT_TRUE(decode(codec, encoded, bytes_of(client)));
  EXPECT_EQ(client, (kitchen::Flags{.seen = 10, .own = -2, .secret = -3, .guessed = 40, .fresh = 50}));
}

TEST(ComponentCodec, AComponentThatIsNotSentHasNoBits) {
  EXPECT_EQ(ComponentCodec(kitchen_component("Hidden")).max_bits(), 0u);
  EXPECT_EQ(ComponentCodec(demo_component("Wander")).max_bits(), 0u);
  EXPECT_EQ(ComponentCodec(demo_component("Inventory")).max_bits(), 0u);
}

TEST(ComponentCodec, TheDemosComponentsHaveTheirKnownSizes) {
  EXPECT_EQ(ComponentCodec(demo_component("Transform")).max_bits(), 3u * 17 + 2 + 3 * 10);
  EXPECT_EQ(ComponentCodec(demo_component("Velocity")).max_bits(), 3u * 13);
  EXPECT_EQ(ComponentCodec(demo_component("Health")).max_bits(), 32u);
  EXPECT_EQ(ComponentCodec(demo_component("RenderData")).max_bits(), 32u + 24 + 7 + 1);
  EXPECT_EQ(ComponentCodec(demo_component("Team")).max_bits(), 2u);
}

TEST(ComponentCodec, ATransformIsTheseBits) {
  const ComponentCodec codec(demo_component("Transform"));
  const engine::Transform transform{.position = {.x = 0, .y = 512, .z = -511.99f}, .rotation = {.w = 1}};
  const std::string zero_part = in_bits(511, 10);
  EXPECT_EQ(text(encode(codec, bytes_of(transform))),
            in_bits(51200, 17) + in_bits(102400, 17) + in_bits(1, 17) + "11" + zero_part + zero_part + zero_part);
}

// Quaternions ----------------------------------------------------------------------------

class QuaternionCodec : public testing::TestWithParam<int> {
 protected:
  const std::shared_ptr<const reflect::Schema> schema_ =
      test::load_schema("struct C (component) { q:mobula.engine.Quat (unit_quaternion, bits:\"" +
                        std::to_string(GetParam()) + "\", default:\"0 0 0 1\"); }");
  const ComponentCodec codec_{*schema_->find("C")};
  const double unit_ = std::sqrt(0.5) / ((1 << (GetParam() - 1)) - 1);

  engine::Quat snapped(engine::Quat q) const {
    codec_.snap(bytes_of(q));
    return q;
  }
};

INSTANTIATE_TEST_SUITE_P(Bits, QuaternionCodec, testing::Values(2, 3, 4, 9, 10, 11, 12, 15, 16));

engine::Quat normalised(engine::Quat q) {
  const float length = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return {q.x / length, q.y / length, q.z / length, q.w / length};
}

float dot(const engine::Quat& a, const engine::Quat& b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }

TEST_P(QuaternionCodec, StaysAUnitCloseToWhatItWasAndIsAFixedPoint) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    core::Random random(seed);
    engine::Quat q;
    // Whole halves make ties of the greatest parts.
    const bool tie = random.chance(1, 3);
    for (float* part : {&q.x, &q.y, &q.z, &q.w}) {
      *part = tie ? static_cast<float>(random.below(5)) - 2 : random.uniform(-1, 1);
    }
    if (dot(q, q) < 0.01f) continue;
    q = normalised(q);
    const engine::Quat once = snapped(q);
    ASSERT_NEAR(dot(once, once), 1, 1e-6);
    // Two units of each part, in the worst case at a tie; the part left out gathers the errors of the others.
    ASSERT_GE(std::abs(static_cast<double>(dot(once, q))), 1 - 12 * unit_ * unit_ - 1e-6);
    ASSERT_EQ(snapped(once), once);
    const engine::Quat negated = snapped({-q.x, -q.y, -q.z, -q.w});
    ASSERT_GE(std::abs(static_cast<double>(dot(once, negated))), 1 - 12 * unit_ * unit_ - 1e-6);
  }
}

TEST_P(QuaternionCodec, WhatIsNoRotationBecomesNone) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const engine::Quat none{.w = 1};
  EXPECT_EQ(snapped({}), none);
  EXPECT_EQ(snapped({nan, 0, 0, 1}), none);
  EXPECT_EQ(snapped({0, inf, 0, 1}), none);
  EXPECT_EQ(snapped({1e-20f, 0, 0, 0}), none);
  EXPECT_EQ(snapped(none), none);
  EXPECT_EQ(snapped({0, 0, 0, -1}), none);
}

// All strings where there are few, a sample where there are many.
TEST_P(QuaternionCodec, EveryAcceptedStringComesBackAsItself) {
  const auto bits = static_cast<unsigned>(2 + 3 * GetParam());
  const bool all = bits <= 14;
  const std::uint64_t tries = all ? 1ull << bits : 20000;
  core::Random random(11);
  std::uint64_t accepted = 0;
  for (std::uint64_t i = 0; i < tries; ++i) {
    core::Bytes bytes(8);
    core::BitWriter writer(bytes);
    writer.write(all ? i : random.next() >> (64 - bits), bits);
    const std::uint64_t code = core::load<std::uint64_t>(bytes.data());
    core::BitReader reader(bytes);
    engine::Quat q;
    if (!codec_.decode(reader, bytes_of(q))) continue;
    ++accepted;
    core::Bytes again(8);
    core::BitWriter second(again);
    codec_.encode(bytes_of(q), second);
    ASSERT_EQ(core::load<std::uint64_t>(again.data()), code);
  }
  EXPECT_GT(accepted, tries / 32);
  EXPECT_LT(accepted, tries);
}

}  // namespace
}  // namespace mobula::wire
