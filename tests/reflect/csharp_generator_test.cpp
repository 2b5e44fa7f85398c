#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <awkward/components.hpp>
#include <fstream>
#include <kitchen/components.hpp>
#include <mobula/core/base64.hpp>
#include <mobula/reflect/csharp_generator.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/schema/components.hpp>
#include <mobula/schema/engine.hpp>
#include <reflect/generated_file.hpp>

namespace mobula::reflect {
namespace {

using testing::HasSubstr;
using testing::Not;

// Files of the tree that mobula-schema-gen SCHEMA.bfbs --csharp FILE writes.
using test::expect_is_file;

std::string awkward_code() { return *generate_csharp(awkward::names_of::schema_bytes(), "awkward"); }

// Returns the code without the class of the schema itself, whose bytes also change with engine.fbs.
std::string without_schema(std::string code) {
  const std::size_t first = code.find("  public static class ");
  const std::string_view end = "  }\n\n";
  return code.erase(first, code.find(end, first) + end.size() - first);
}

TEST(CsharpGenerator, EveryKindOfFieldIsAsInTheGoldenFile) {
  expect_is_file(without_schema(*generate_csharp(kitchen::schema_bytes(), "kitchen")), "tests/reflect/kitchen.cs");
}

TEST(CsharpGenerator, SchemaIsInTheCodeWithItsFingerprint) {
  const auto schema = *Schema::load(kitchen::schema_bytes());
  const std::string code = *generate_csharp(kitchen::schema_bytes(), "kitchen");
  EXPECT_THAT(code, HasSubstr("class KitchenSchema {"));
  EXPECT_THAT(code, HasSubstr("\"" + core::to_string(schema->fingerprint()) + "\";"));
  EXPECT_THAT(code, HasSubstr(core::to_base64(kitchen::schema_bytes()).substr(0, 100)));
}

TEST(CsharpGenerator, LibraryHasTheCurrentEngine) {
  expect_is_file(generate_csharp(engine::schema_bytes(), "engine"), "client/csharp/src/Engine.cs");
}

TEST(CsharpGenerator, OnlyTheSchemasOwnDeclarationsAreGenerated) {
  const auto code = generate_csharp(demo::schema_bytes(), "components");
  ASSERT_TRUE(code.ok());
  EXPECT_THAT(*code, HasSubstr("public struct Health :"));
  EXPECT_THAT(*code, HasSubstr("public global::Mobula.Engine.Vec3 Linear;"));
  EXPECT_THAT(*code, Not(HasSubstr("struct Transform")));
}

TEST(CsharpGenerator, BoolsAndTextsAreBytesWithProperties) {
  const auto code = generate_csharp(demo::schema_bytes(), "components");
  ASSERT_TRUE(code.ok());
  EXPECT_THAT(*code, HasSubstr("private byte rawVisible;\n    public bool Visible {"));
  EXPECT_THAT(*code, HasSubstr("public string Text {"));
  EXPECT_THAT(*code, HasSubstr("public TextUtf8Array TextUtf8;"));
}

TEST(CsharpGenerator, ArraysOfBoolsAreReadAsBools) {
  const std::string code = awkward_code();
  EXPECT_THAT(code, HasSubstr("private byte first;"));
  EXPECT_THAT(code, HasSubstr("public bool this[int at]"));
  EXPECT_THAT(code, HasSubstr("Blittable.Get(ref first, 3, at) != 0;"));
}

TEST(CsharpGenerator, PaddingIsExplicit) {
  EXPECT_THAT(awkward_code(), HasSubstr("public byte Lock;\n    private byte padding0;\n    public ushort B;\n"
                                        "    public FlagsArray Flags;\n    private byte padding1;\n"));
}

TEST(CsharpGenerator, NamesThatCsharpRefusesGetUnderscores) {
  const std::string code = awkward_code();
  EXPECT_THAT(code, HasSubstr("namespace Awkward.NamesOf {"));
  for (const char* member : {"public int Name_;", "public int Equals_;", "public int ItemA;", "public int ItemA_;",
                             "AB = 0,", "AB_ = 1,", "public byte TextUtf8_;"}) {
    EXPECT_THAT(code, HasSubstr(member));
  }
  for (const char* type : {"struct SmallCase :", "struct SmallCase_ :", "class NamesOfSchema_ {"}) {
    EXPECT_THAT(code, HasSubstr(type));
  }
}

TEST(CsharpGenerator, LayoutNamesEveryLeafOfTheServersSchema) {
  EXPECT_THAT(awkward_code(),
              HasSubstr("[global::Mobula.Component(\"small_case\", 20,\n"
                        "      \"lock:uint8@0 b:uint16@2 flags:bool@4x3/1 spot.x:float32@8 spot.y:float32@12 "
                        "spot.z:float32@16\")]"));
}

TEST(CsharpGenerator, ZeroDefaultsAreLeftOut) {
  const std::string code = awkward_code();
  EXPECT_THAT(code, HasSubstr("\"0000000002010000\""));
  std::size_t defaults = 0;
  for (std::size_t at = code.find("Default ="); at != std::string::npos; at = code.find("Default =", at + 1))
    ++defaults;
  EXPECT_EQ(defaults, 2u) << "those of Small_Case and register";
}

TEST(CsharpGenerator, SameBytesGiveTheSameText) {
  EXPECT_EQ(*generate_csharp(kitchen::schema_bytes(), "kitchen"), *generate_csharp(kitchen::schema_bytes(), "kitchen"));
}

TEST(CsharpGenerator, RefusesWhatTheGeneratorOfCppRefuses) {
  EXPECT_THAT(generate_csharp(demo::schema_bytes(), "other").error().message, HasSubstr("components.fbs"));
  EXPECT_THAT(generate_csharp({}, "empty").error().reason, testing::StrEq("bad schema"));
}

}  // namespace
}  // namespace mobula::reflect
