#include <gtest/gtest.h>

#include <cstring>
#include <mobula/core/format.hpp>
#include <mobula/reflect/conversion.hpp>
#include <mobula/reflect/value.hpp>
#include <reflect/compile_schema.hpp>
#include <reflect/random_schema.hpp>
#include <reflect/reference_migration.hpp>

namespace mobula::reflect {
namespace {

// A field of each kind, with its variants.
std::shared_ptr<const Schema> kinds() {
  return test::load_schema(R"(
    enum Few:ubyte { red = 0, green = 1, blue = 7 }
    enum More:ubyte { red = 0, green = 1, grey = 2, blue = 7 }
    enum Other:short { red = -300, grey = 0, green = 1 }
    enum Wide:ulong { grey = 0, red = 1, huge = 18446744073709551615 }
    struct C (component) {
      truth:bool; i8:byte; u8:ubyte; i16:short; u16:ushort; i32:int; u32:uint; i64:long; u64:ulong; f32:float; f64:double;
      few:Few; more:More; other:Other; wide:Wide;
      near8:byte (range:"-5 5"); whole8:ubyte (range:"0 255"); above:ushort (range:"10 20", default:"10");
      near32:int (range:"-5 5"); wide64:long (range:"-9007199254740992 9007199254740992"); bits:ulong (bits:"53");
      inexact:float (range:"-0.3 0.7", step:"0.1"); inside:float (range:"-0.2 0.6", step:"0.1");
      real:double (range:"-0.3 0.7", step:"0.1"); half:double (range:"0 0.5", step:"0.5");
      turn:mobula.engine.Quat (unit_quaternion, default:"0 0 0 1");
      coarse:mobula.engine.Quat (unit_quaternion, bits:"4", default:"1 0 0 0");
      who:mobula.engine.EntityRef; text:[ubyte:3] (fixed_string); long_text:[ubyte:12] (fixed_string); name:uint (string_id);
    })");
}

const Field& field(const Schema& schema, std::string_view path) { return *schema.find("C")->find_field(path); }

TEST(Conversion, EveryPairOfKindsGivesValidValuesLikeTheModel) {
  const auto schema = kinds();
  core::Random random(1);
  for (const Field& from : schema->find("C")->fields) {
    for (const Field& to : schema->find("C")->fields) {
      SCOPED_TRACE(from.path + " to " + to.path);
      const Conversion conversion(from, to);
      bool any = false;
      for (int round = 0; round < 40; ++round) {
        std::byte old[16];
        test::write_random_value(from, random, old);
        ASSERT_TRUE(value_is_good(from, old));
        std::byte done[24];
        std::byte expected[16];
        std::memset(done, 0xEE, sizeof done);
        const Converted converted = conversion.apply(old, done + 4);
        ASSERT_EQ(converted, test::reference_convert(from, to, old, expected));
        const bool held = converted != Converted::not_at_all;
        any |= held;
        for (const std::size_t beside : {std::size_t{0}, std::size_t{3}, std::size_t{4} + to.size})
          ASSERT_EQ(done[beside], std::byte{0xEE}) << "nothing beside it";
        ASSERT_TRUE(!conversion.certain() || std::memcmp(done + 4, old, to.size) == 0);
        if (!held) continue;
        ASSERT_EQ(std::memcmp(done + 4, expected, to.size), 0);
        ASSERT_TRUE(value_is_good(to, done + 4));
      }
      EXPECT_TRUE(conversion.possible() || !any);
      EXPECT_TRUE(any || !conversion.certain());
    }
  }
}

TEST(Conversion, InvalidBytesWriteOnlyTheirDestination) {
  const auto schema = kinds();
  core::Random random(2);
  for (const Field& from : schema->find("C")->fields) {
    for (const Field& to : schema->find("C")->fields) {
      for (int round = 0; round < 10; ++round) {
        std::byte old[16];
        for (std::byte& each : old) each = static_cast<std::byte>(round == 0 ? 0xFF : random.below(256));
        std::byte done[17];
        done[to.size] = std::byte{0xEE};
        const Conversion conversion(from, to);
        const bool held = conversion.apply(old, done) != Converted::not_at_all;
        EXPECT_EQ(done[to.size], std::byte{0xEE});
        EXPECT_TRUE(!held || conversion.certain() || value_is_good(to, done)) << from.path << " to " << to.path;
      }
    }
  }
}

struct Certainty {
  std::string_view from;
  std::string_view to;
  bool certain;
};

TEST(Conversion, IsCertainWhereNoValueCanBeLost) {
  const auto schema = kinds();
  for (const Certainty& each : std::initializer_list<Certainty>{
           {"u8", "u8", true},           {"u8", "whole8", true},      {"whole8", "u8", true},
           {"u8", "i8", false},          {"u8", "u16", false},        {"i8", "near8", false},
           {"near8", "i8", true},        {"i64", "wide64", false},    {"f32", "inexact", false},
           {"inexact", "inside", false}, {"inside", "inexact", true}, {"inexact", "f32", true},
           {"few", "more", true},        {"more", "few", false},      {"few", "u8", true},
           {"few", "whole8", true},      {"u8", "few", false},        {"other", "i16", true},
           {"text", "long_text", false}, {"turn", "coarse", true},    {"name", "u32", false},
           {"who", "who", true}}) {
    EXPECT_EQ(Conversion(field(*schema, each.from), field(*schema, each.to)).certain(), each.certain)
        << each.from << " to " << each.to;
  }
}

TEST(Conversion, IsImpossibleOnlyBetweenUnrelatedKinds) {
  const auto schema = kinds();
  for (const std::string_view path : {"truth", "few", "i8", "u64", "f64", "near32"}) {
    EXPECT_TRUE(Conversion(field(*schema, path), field(*schema, "f32")).possible()) << path;
    EXPECT_FALSE(Conversion(field(*schema, path), field(*schema, "text")).possible()) << path;
    EXPECT_FALSE(Conversion(field(*schema, path), field(*schema, "name")).possible()) << path;
    EXPECT_FALSE(Conversion(field(*schema, "who"), field(*schema, path)).possible()) << path;
  }
  EXPECT_TRUE(Conversion(field(*schema, "text"), field(*schema, "wide")).possible());
  EXPECT_TRUE(Conversion(field(*schema, "text"), field(*schema, "name")).possible());
  EXPECT_FALSE(Conversion(field(*schema, "text"), field(*schema, "u64")).possible());
}

// Converts one value. The nearest to it begins with '~'.
std::string converted(const Schema& schema, std::string_view from, const Value& value, std::string_view to) {
  std::byte old[16];
  std::byte done[16];
  const core::Status written = write_value(field(schema, from), value, old);
  if (!written) return written.error().message;
  const Converted converted = Conversion(field(schema, from), field(schema, to)).apply(old, done);
  if (converted == Converted::not_at_all) return "lost";
  const char* const mark = converted == Converted::to_nearest ? "~" : "";
  const Value result = read_value(field(schema, to), done);
  if (const auto* number = std::get_if<std::int64_t>(&result)) return core::format("{}{}", mark, *number);
  if (const auto* number = std::get_if<std::uint64_t>(&result)) return core::format("{}{}", mark, *number);
  if (const auto* number = std::get_if<double>(&result)) return core::format("{}{}", mark, *number);
  if (const auto* truth = std::get_if<bool>(&result)) return *truth ? "true" : "false";
  if (const auto* text = std::get_if<std::string_view>(&result)) return std::string(*text);
  return "something else";
}

TEST(Conversion, NumbersKeepTheirValueOrBecomeTheNearest) {
  const auto schema = kinds();
  EXPECT_EQ(converted(*schema, "i32", std::int64_t{200}, "u8"), "200");
  EXPECT_EQ(converted(*schema, "i32", std::int64_t{-1}, "u8"), "~0");
  EXPECT_EQ(converted(*schema, "i32", std::int64_t{300}, "u8"), "~255");
  EXPECT_EQ(converted(*schema, "i32", std::int64_t{-1}, "u64"), "~0");
  EXPECT_EQ(converted(*schema, "u64", std::uint64_t{18446744073709551615u}, "i64"), "~9223372036854775807");
  EXPECT_EQ(converted(*schema, "i32", std::int64_t{6}, "near32"), "~5");
  EXPECT_EQ(converted(*schema, "i64", std::int64_t{-300}, "near8"), "~-5");
  EXPECT_EQ(converted(*schema, "u8", std::uint64_t{20}, "above"), "20");
  EXPECT_EQ(converted(*schema, "u8", std::uint64_t{9}, "above"), "~10");
  EXPECT_EQ(converted(*schema, "f32", 100.0, "u8"), "100");
  EXPECT_EQ(converted(*schema, "f32", 99.5, "u8"), "~100");
  EXPECT_EQ(converted(*schema, "f32", 1.0, "inexact"), "~0.699999988079071");
  EXPECT_EQ(converted(*schema, "f64", 9223372036854775808.0, "i64"), "~9223372036854775807");
  EXPECT_EQ(converted(*schema, "f64", -9223372036854775808.0, "i64"), "-9223372036854775808");
  EXPECT_EQ(converted(*schema, "f64", 9223372036854775808.0, "u64"), "9223372036854775808");
  EXPECT_EQ(converted(*schema, "f64", 1e300, "f32"), "~3.4028234663852886e+38");
  EXPECT_EQ(converted(*schema, "i64", std::int64_t{16777217}, "f32"), "16777216");
  EXPECT_EQ(converted(*schema, "truth", true, "f32"), "1");
  EXPECT_EQ(converted(*schema, "i8", std::int64_t{1}, "truth"), "true");
  EXPECT_EQ(converted(*schema, "i8", std::int64_t{2}, "truth"), "lost");
}

TEST(Conversion, EnumsAreConvertedByName) {
  const auto schema = kinds();
  EXPECT_EQ(converted(*schema, "few", "red", "other"), "-300");
  EXPECT_EQ(converted(*schema, "few", "green", "other"), "1");
  EXPECT_EQ(converted(*schema, "few", "blue", "other"), "lost");
  EXPECT_EQ(converted(*schema, "wide", "red", "few"), "0");
  EXPECT_EQ(converted(*schema, "wide", "huge", "u64"), "18446744073709551615");
  EXPECT_EQ(converted(*schema, "u64", std::uint64_t{18446744073709551615u}, "wide"), "18446744073709551615");
  EXPECT_EQ(converted(*schema, "i8", std::int64_t{7}, "few"), "7");
  EXPECT_EQ(converted(*schema, "i8", std::int64_t{2}, "few"), "lost");
  EXPECT_EQ(converted(*schema, "i8", std::int64_t{-1}, "few"), "lost") << "no value of an enum is near another";
  EXPECT_EQ(converted(*schema, "long_text", "blue", "few"), "7");
  EXPECT_EQ(converted(*schema, "long_text", "Blue", "few"), "lost");
}

TEST(Conversion, TextsAreConvertedCompletelyOrLost) {
  const auto schema = kinds();
  EXPECT_EQ(converted(*schema, "long_text", "abc", "text"), "abc");
  EXPECT_EQ(converted(*schema, "long_text", "abcd", "text"), "lost");
  EXPECT_EQ(converted(*schema, "text", "abc", "long_text"), "abc");
  std::byte old[12] = {};
  std::byte done[4];
  ASSERT_TRUE(write_value(field(*schema, "long_text"), "crate", old).ok());
  ASSERT_EQ(Conversion(field(*schema, "long_text"), field(*schema, "name")).apply(old, done), Converted::exactly);
  EXPECT_EQ(core::load<core::StringId32>(done), core::StringId32("crate"));
}

TEST(Conversion, CountsAreWholeNumbersThatAreNotNegative) {
  const auto schema = kinds();
  std::byte at[8];
  core::store(at, 3.0);
  EXPECT_EQ(whole_number(field(*schema, "f64"), at), 3u);
  core::store(at, 3.5);
  EXPECT_EQ(whole_number(field(*schema, "f64"), at), std::nullopt);
  core::store(at, std::int64_t{-3});
  EXPECT_EQ(whole_number(field(*schema, "i64"), at), std::nullopt);
  core::store(at, std::int64_t{1} << 32);
  EXPECT_EQ(whole_number(field(*schema, "i64"), at), std::nullopt);
  EXPECT_EQ(whole_number(field(*schema, "text"), at), std::nullopt);
}

}  // namespace
}  // namespace mobula::reflect
