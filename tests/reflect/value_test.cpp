#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <mobula/reflect/field_tree.hpp>
#include <mobula/reflect/value.hpp>
#include <reflect/compile_schema.hpp>
#include <reflect/random_schema.hpp>

namespace mobula::reflect {
namespace {

// Returns whether a rotation has length 1 within the precision that write_value keeps unchanged.
bool is_normalised(const std::byte* rotation) {
  double squares = 0;
  for (const float part : core::load<Quaternion>(rotation)) squares += double{part} * double{part};
  return std::fabs(squares - 1) <= 1e-6;
}

// Reads random bytes as a value. A value that can be written back gives the same bytes; a refused one changes nothing.
TEST(Value, AReadValueIsWrittenBackOrRefused) {
  const auto schema = test::load_schema(R"(
    enum Mood:byte { sad = -1, calm = 0, angry = 5 }
    struct All (component) {
      flag:bool; small:byte; big:ulong; mood:Mood; ranged:int (range:"-3 9"); real:float; fine:double (range:"0 1", step:"0.5");
      turn:mobula.engine.Quat (unit_quaternion, default:"0 0 0 1"); who:mobula.engine.EntityRef;
      text:[ubyte:5] (fixed_string); name:uint (string_id);
    })");
  std::uint32_t state = 1;
  const auto random_byte = [&] { return static_cast<std::byte>((state = state * 1664525 + 1013904223) >> 24); };
  for (const Field& field : schema->find("All")->fields) {
    SCOPED_TRACE(field.path);
    for (int round = 0; round < 2000; ++round) {
      std::byte from[16];
      for (std::byte& each : from) each = round % 2 == 0 ? random_byte() : random_byte() & std::byte{1};
      std::byte to[16];
      std::byte before[16];
      for (int i = 0; i < 16; ++i) before[i] = to[i] = random_byte();
      const Value value = read_value(field, from);
      const core::Status done = write_value(field, value, to);
      EXPECT_EQ(std::memcmp(to + field.size, before + field.size, 16 - field.size), 0) << "nothing beside it";
      if (!done) {
        EXPECT_EQ(std::memcmp(to, before, field.size), 0);
      } else if (field.kind == FieldKind::fixed_string || field.kind == FieldKind::boolean) {
        EXPECT_EQ(read_value(field, to), value) << "its bytes are made regular";
      } else if (field.kind == FieldKind::unit_quaternion && !is_normalised(from)) {
        EXPECT_TRUE(is_normalised(to));
      } else {
        EXPECT_EQ(std::memcmp(to, from, field.size), 0);
      }
    }
  }
}

TEST(Value, WritesOnlyValidBytes) {
  core::Random random(5);
  for (int round = 0; round < 300; ++round) {
    const auto schema = test::load_schema(test::random_schema(random));
    for (const Field& field : schema->find("C")->fields) {
      std::byte any[16];
      for (std::byte& each : any) each = static_cast<std::byte>(random.below(256));
      std::byte good[16];
      test::write_random_value(field, random, good);
      EXPECT_TRUE(value_is_good(field, good)) << field.path;
      for (const std::byte* from : {any, good}) {
        std::byte to[16];
        const bool written = write_value(field, read_value(field, from), to).ok();
        EXPECT_TRUE(!written || value_is_good(field, to)) << field.path;
        const bool rotation = field.kind == FieldKind::unit_quaternion;  // writing is stricter
        EXPECT_TRUE(written || rotation || !value_is_good(field, from)) << field.path;
      }
    }
  }
}

TEST(Value, IsValidUpToItsLimits) {
  const auto schema = test::load_schema(R"(
    enum Mood:byte { sad = -1, calm = 0 }
    struct All (component) { flag:bool; mood:Mood; whole:long (range:"-9007199254740992 9007199254740992");
      real:float (range:"-0.3 0.7", step:"0.1"); free:double; text:[ubyte:4] (fixed_string);
      turn:mobula.engine.Quat (unit_quaternion, default:"0 0 0 1"); who:mobula.engine.EntityRef; })");
  const auto good = [&](std::string_view path, const auto& value) {
    return value_is_good(*schema->find("All")->find_field(path), reinterpret_cast<const std::byte*>(&value));
  };
  EXPECT_TRUE(good("flag", std::uint8_t{1}));
  EXPECT_FALSE(good("flag", std::uint8_t{2}));
  EXPECT_TRUE(good("mood", std::int8_t{-1}));
  EXPECT_FALSE(good("mood", std::int8_t{1}));
  EXPECT_TRUE(good("whole", std::int64_t{9007199254740992}));
  EXPECT_FALSE(good("whole", std::int64_t{9007199254740993})) << "which a double cannot tell from its limit";
  EXPECT_TRUE(good("real", -0.3f)) << "less than -0.3";
  EXPECT_FALSE(good("real", 0.71f));
  EXPECT_FALSE(good("real", std::numeric_limits<float>::quiet_NaN()));
  EXPECT_TRUE(good("free", -1e300));
  EXPECT_FALSE(good("free", std::numeric_limits<double>::infinity()));
  EXPECT_TRUE(good("text", std::array{'a', 'b', 'c', 'd'}));
  EXPECT_FALSE(good("text", std::array{'a', '\0', 'c', '\0'}));
  EXPECT_FALSE(good("text", std::array{'a', '\xff', '\0', '\0'}));
  EXPECT_TRUE(good("turn", Quaternion{0, 0.6f, 0, 0.8f}));
  EXPECT_FALSE(good("turn", Quaternion{0, 0, 0, 0}));
  EXPECT_TRUE(good("who", ecs::Entity{}));
}

TEST(FieldTree, DistinguishesArraysOfStructsFromStructsWithArrays) {
  const auto schema = test::load_schema(R"(
    struct One { values:[short:3]; }
    struct Many { value:short; }
    struct Box (component) { one:One; many:[Many:3]; })");
  const FieldNode tree = field_tree(*schema->find("Box"));
  ASSERT_EQ(tree.children.size(), 2u);
  EXPECT_EQ(tree.find("one")->array_count, 1u);
  EXPECT_EQ(tree.find("one")->find("values")->field->count, 3u);
  EXPECT_EQ(tree.find("many")->array_count, 3u);
  EXPECT_EQ(tree.find("many")->find("value")->array_count, 1u);
  EXPECT_EQ(schema->find("Box")->find_field("one.values")->array_at, 10u);
  EXPECT_EQ(schema->find("Box")->find_field("many.value")->array_at, 4u);
}

}  // namespace
}  // namespace mobula::reflect
