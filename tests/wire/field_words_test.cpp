#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <mobula/wire/field_words.hpp>
#include <reflect/random_schema.hpp>
#include <wire/codec_world.hpp>

namespace mobula::wire {
namespace {

using reflect::Component;
using reflect::Field;
using reflect::FieldKind;
using test::bytes_of;
using test::kitchen_component;
using test::Words;

Words words_of(const FieldWords& codec, const std::byte* at) {
  Words words(codec.words, 0xdeadbeef);
  codec.to_words(codec, at, words.data());
  return words;
}

// Reference implementation of the words, straight from the description.
std::int64_t reference_integer(FieldKind kind, const std::byte* at) {
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

Words split(std::uint64_t code, std::uint32_t bits) {
  Words words{static_cast<std::uint32_t>(code)};
  if (bits > 32) words.push_back(static_cast<std::uint32_t>(code >> 32));
  return words;
}

std::uint64_t reference_steps(const Field& field, double value) {
  double q = std::floor((value - field.low) / field.step + 0.5);
  if (std::isnan(q) || q < 0) q = 0;
  return static_cast<std::uint64_t>(std::min(q, static_cast<double>(field.steps)));
}

Words reference_number(const Field& field, const std::byte* at) {
  if (field.kind == FieldKind::float32 && field.ranged)
    return split(reference_steps(field, static_cast<double>(core::load<float>(at))), field.bits);
  if (field.kind == FieldKind::float64 && field.ranged)
    return split(reference_steps(field, core::load<double>(at)), field.bits);
  if (field.kind == FieldKind::float32) return {core::load<std::uint32_t>(at)};
  if (field.kind == FieldKind::float64) return split(core::load<std::uint64_t>(at), 64);
  const std::int64_t value = reference_integer(field.kind, at);
  if (!field.enum_values.empty()) {
    std::uint32_t place = 0;
    for (const std::int64_t wanted : {std::int64_t{0}, value})
      for (std::uint32_t i = 0; i < field.enum_values.size(); ++i)
        if (field.enum_values[i].value == wanted) place = i;
    return {place};
  }
  if (!field.ranged)
    return field.size == 8 ? split(static_cast<std::uint64_t>(value), 64)
                           : Words{static_cast<std::uint32_t>(static_cast<std::uint64_t>(value) &
                                                              ((1ull << (8 * field.size)) - 1))};
  const bool huge = field.kind == FieldKind::uint64 && value < 0;
  const auto low = static_cast<std::int64_t>(field.low);
  const auto high = static_cast<std::int64_t>(field.high);
  return split(static_cast<std::uint64_t>((huge ? high : std::clamp(value, low, high)) - low), field.bits);
}

Words reference_words(const Field& field, const std::byte* at) {
  if (field.kind == FieldKind::boolean) return {at[0] == std::byte{0} ? 0u : 1u};
  if (field.kind == FieldKind::string_id) return {core::load<std::uint32_t>(at)};
  if (field.kind == FieldKind::entity) {
    const auto generation = core::load<std::uint32_t>(at + 4);
    return {generation == 0 ? 0 : core::load<std::uint32_t>(at), generation};
  }
  if (field.kind == FieldKind::unit_quaternion) {  // without bits
    Words words;
    for (int i = 0; i < 4; ++i) words.push_back(core::load<std::uint32_t>(at + 4 * i));
    return words;
  }
  if (field.kind == FieldKind::fixed_string) {
    Words words(1 + (field.size + 3) / 4);
    for (; words[0] < field.size && at[words[0]] != std::byte{0}; ++words[0])
      words[1 + words[0] / 4] |= std::to_integer<std::uint32_t>(at[words[0]]) << (words[0] % 4 * 8);
    return words;
  }
  return reference_number(field, at);
}

// Returns any bytes, or a valid value.
core::Bytes random_value(const Field& field, core::Random& random) {
  core::Bytes value(field.size);
  if (random.chance(1, 2)) {
    mobula::test::write_random_value(field, random, value.data());
  } else {
    for (std::byte& byte : value) byte = static_cast<std::byte>(random.chance(1, 4) ? 0 : random.below(256));
  }
  return value;
}

std::vector<std::shared_ptr<const reflect::Schema>> schemas() {
  std::vector<std::shared_ptr<const reflect::Schema>> all{*reflect::Schema::load(kitchen::schema_bytes()),
                                                          mobula::test::load_schema(test::units_schema)};
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    core::Random random(seed);
    all.push_back(mobula::test::load_schema(mobula::test::random_schema(random)));
  }
  return all;
}

template <class Function>
void for_each_field(Function&& function) {
  for (const auto& schema : schemas())
    for (const Component& component : schema->components())
      for (const Field& field : component.fields) {
        SCOPED_TRACE(component.name + "." + field.path);
        function(field);
        if (testing::Test::HasFatalFailure()) return;
      }
}

TEST(FieldWords, AreTheReferenceWords) {
  for_each_field([](const Field& field) {
    if (field.kind == FieldKind::unit_quaternion && field.bits > 0) return;
    const FieldWords codec = field_words(field);
    core::Random random(1);
    for (int i = 0; i < 300; ++i) {
      const core::Bytes value = random_value(field, random);
      ASSERT_EQ(words_of(codec, value.data()), reference_words(field, value.data()));
    }
  });
}

TEST(FieldWords, ADecodedValueEncodesToTheSameWords) {
  for_each_field([](const Field& field) {
    const FieldWords codec = field_words(field);
    core::Random random(2);
    for (int i = 0; i < 300; ++i) {
      const core::Bytes value = random_value(field, random);
      const Words words = words_of(codec, value.data());
      core::Bytes back(field.size, std::byte{0x5a});
      ASSERT_TRUE(codec.to_value(codec, words.data(), back.data()));
      ASSERT_EQ(words_of(codec, back.data()), words);
      core::Bytes again(field.size);
      ASSERT_TRUE(codec.to_value(codec, words.data(), again.data()));
      ASSERT_EQ(again, back);
    }
  });
}

TEST(FieldWords, AnyWordsAreRefusedOrReadAsWritten) {
  int accepted = 0;
  int refused = 0;
  for_each_field([&](const Field& field) {
    const FieldWords codec = field_words(field);
    core::Random random(3);
    for (int i = 0; i < 300; ++i) {
      const core::Bytes value = random_value(field, random);
      Words words = words_of(codec, value.data());
      std::uint32_t& one = words[random.below(codec.words)];
      one = random.chance(1, 2) ? one ^ (1u << random.below(32)) : static_cast<std::uint32_t>(random.next());
      core::Bytes back(field.size);
      if (!codec.to_value(codec, words.data(), back.data())) {
        ++refused;
      } else {
        ++accepted;
        ASSERT_EQ(words_of(codec, back.data()), words);
      }
    }
  });
  EXPECT_GT(accepted, 5000);
  EXPECT_GT(refused, 5000);
}

template <class T>
Words field_of(const Component& component, std::string_view path, T& value) {
  const Field& field = *component.find_field(path);
  const FieldWords codec = field_words(field);
  Words words = words_of(codec, bytes_of(value) + field.offset);
  EXPECT_TRUE(codec.to_value(codec, words.data(), bytes_of(value) + field.offset));
  return words;
}

TEST(FieldWords, FloatsGoToTheNearestStepAndNanToLow) {
  const Component& ranged = kitchen_component("Ranged");
  core::Random random(3);
  for (int i = 0; i < 1000; ++i) {
    kitchen::Ranged value;
    value.fine = random.uniform(-512, 512);
    const float before = value.fine;
    field_of(ranged, "fine", value);
    ASSERT_NEAR(value.fine, before, 0.005001);
  }
  kitchen::Ranged value;
  value.fine = std::numeric_limits<float>::quiet_NaN();
  value.odd = 1e30f;
  value.by_bits = -std::numeric_limits<float>::infinity();
  EXPECT_EQ(field_of(ranged, "fine", value), Words{0});
  EXPECT_EQ(field_of(ranged, "odd", value), Words{10});
  EXPECT_EQ(field_of(ranged, "by_bits", value), Words{0});
  EXPECT_EQ(value.fine, -512.0f);
  EXPECT_EQ(value.odd, 0.7f);
  EXPECT_EQ(value.by_bits, 0.0f);
}

TEST(FieldWords, IntegersAndEnumsOutsideAreClamped) {
  const Component& ranged = kitchen_component("Ranged");
  kitchen::Ranged value;
  value.an_int8 = 5;
  value.an_int16 = -3000;
  value.an_int64 = std::numeric_limits<std::int64_t>::min();
  value.a_uint64 = std::numeric_limits<std::uint64_t>::max();
  value.small = static_cast<kitchen::Small>(1);
  value.wide = kitchen::Wide::huge;
  EXPECT_EQ(field_of(ranged, "an_int8", value), Words{97});
  EXPECT_EQ(field_of(ranged, "an_int16", value), Words{0});
  EXPECT_EQ(field_of(ranged, "an_int64", value), (Words{0, 0}));
  EXPECT_EQ(field_of(ranged, "a_uint64", value), (Words{0xffffffff, 0x1fffff}));
  EXPECT_EQ(field_of(ranged, "small", value), Words{1});
  field_of(ranged, "wide", value);
  EXPECT_EQ(value.an_int8, -3);
  EXPECT_EQ(value.an_int16, -256);
  EXPECT_EQ(value.an_int64, -9007199254740992);
  EXPECT_EQ(value.a_uint64, 9007199254740991u);
  EXPECT_EQ(value.small, kitchen::Small::zero);
  EXPECT_EQ(value.wide, kitchen::Wide::huge);
}

TEST(FieldWords, ATextIsWhatComesBeforeItsFirstZero) {
  const Component& component = test::demo_component("Name");
  demo::Name name;
  std::memcpy(name.text.data(), "mob\0junk", 8);
  const Words words = field_of(component, "text", name);
  EXPECT_EQ(words[0], 3u);
  EXPECT_EQ(words[1], 0x00626f6du);
  EXPECT_EQ(name.text[4], '\0');
  name.text.fill('y');  // full, without an end
  EXPECT_EQ(field_of(component, "text", name)[0], name.text.size());
}

TEST(FieldWords, BytesBehindATextsEndAreRefused) {
  const Field& field = *kitchen_component("Plain").find_field("a_text");  // ten bytes
  const FieldWords codec = field_words(field);
  core::Bytes value(10);
  const auto accepts = [&](Words words) { return codec.to_value(codec, words.data(), value.data()); };
  EXPECT_TRUE(accepts({10, 0x61616161, 0x61616161, 0x00006161}));
  EXPECT_FALSE(accepts({10, 0x61616161, 0x61616161, 0x00616161}));
  EXPECT_FALSE(accepts({10, 0x61616161, 0x61616161, 0x00000061}));
  EXPECT_FALSE(accepts({9, 0x61616161, 0x61616161, 0x00006161}));
  EXPECT_FALSE(accepts({11, 0x61616161, 0x61616161, 0x00616161}));
  EXPECT_TRUE(accepts({0, 0, 0, 0}));
}

TEST(FieldWords, AnEntityWithoutGenerationIsNone) {
  const Component& component = test::demo_component("Target");
  demo::Target target;
  target.entity.index = 9;
  EXPECT_EQ(field_of(component, "entity", target), (Words{0, 0}));
  EXPECT_EQ(target.entity, ecs::null_entity);
  const FieldWords codec = field_words(*component.find_field("entity"));
  const Words words{5, 0};
  EXPECT_FALSE(codec.to_value(codec, words.data(), bytes_of(target)));
}

// Quaternions ----------------------------------------------------------------------------

class QuaternionWords : public testing::TestWithParam<int> {
 protected:
  const std::shared_ptr<const reflect::Schema> schema_ =
      mobula::test::load_schema("struct C (component) { q:mobula.engine.Quat (unit_quaternion, bits:\"" +
                                std::to_string(GetParam()) + "\", default:\"0 0 0 1\"); }");
  const FieldWords codec_ = field_words(schema_->find("C")->fields[0]);
  const double unit_ = std::sqrt(0.5) / ((1 << (GetParam() - 1)) - 1);

  engine::Quat snapped(engine::Quat q) const {
    const Words words = words_of(codec_, bytes_of(q));
    EXPECT_TRUE(codec_.to_value(codec_, words.data(), bytes_of(q)));
    return q;
  }
};

INSTANTIATE_TEST_SUITE_P(Bits, QuaternionWords, testing::Values(2, 3, 4, 9, 10, 11, 12, 15, 16));

engine::Quat normalised(engine::Quat q) {
  const float length = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return {q.x / length, q.y / length, q.z / length, q.w / length};
}

float dot(const engine::Quat& a, const engine::Quat& b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }

TEST_P(QuaternionWords, StayAUnitCloseToWhatItWasAndAreAFixedPoint) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    core::Random random(seed);
    engine::Quat q;
    // Whole halves make ties of the greatest parts.
    const bool tie = random.chance(1, 3);
    for (float* part : {&q.x, &q.y, &q.z, &q.w})
      *part = tie ? static_cast<float>(random.below(5)) - 2 : random.uniform(-1, 1);
    if (dot(q, q) < 0.01f) continue;
    q = normalised(q);
    const engine::Quat once = snapped(q);
    ASSERT_NEAR(dot(once, once), 1, 1e-6);
    // In the worst case, at a tie, two units of each part; the omitted part accumulates the errors of the others.
    ASSERT_GE(std::abs(static_cast<double>(dot(once, q))), 1 - 12 * unit_ * unit_ - 1e-6);
    ASSERT_EQ(snapped(once), once);
    const engine::Quat negated = snapped({-q.x, -q.y, -q.z, -q.w});
    ASSERT_GE(std::abs(static_cast<double>(dot(once, negated))), 1 - 12 * unit_ * unit_ - 1e-6);
  }
}

TEST_P(QuaternionWords, AValueThatIsNoRotationBecomesTheIdentity) {
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

// All words, or a sample if there are many.
TEST_P(QuaternionWords, AcceptedWordsRoundTrip) {
  const std::uint32_t codes = 1u << GetParam();
  const bool all = GetParam() <= 4;
  const std::uint64_t tries = all ? 4ull * codes * codes * codes : 20000;
  core::Random random(11);
  std::uint64_t accepted = 0;
  for (std::uint64_t i = 0; i < tries; ++i) {
    const std::uint64_t n = all ? i : random.next();
    const auto part = [&](int which) { return static_cast<std::uint32_t>(n >> (2 + which * GetParam())) % codes; };
    const Words words{static_cast<std::uint32_t>(n % 4), part(0), part(1), part(2)};
    engine::Quat q;
    if (!codec_.to_value(codec_, words.data(), bytes_of(q))) continue;
    ++accepted;
    ASSERT_EQ(words_of(codec_, bytes_of(q)), words);
  }
  EXPECT_GT(accepted, tries / 32);
  EXPECT_LT(accepted, tries);
}

}  // namespace
}  // namespace mobula::wire
