#include <flatbuffers/idl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <awkward/components.hpp>
#include <fstream>
#include <kitchen/components.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/hex.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/reflect/typescript_generator.hpp>
#include <mobula/schema/components.hpp>
#include <reflect/compile_schema.hpp>
#include <reflect/generated_file.hpp>

namespace mobula::reflect {
namespace {

using testing::HasSubstr;
using testing::Not;

// Files of the tree that mobula-schema-gen SCHEMA.bfbs --typescript FILE writes. The game and the web client's tests
// use them.
using test::expect_is_file;
using test::file_text;

core::Bytes compile_messages(const std::string& source, bool with_comments) {
  flatbuffers::IDLOptions options;
  options.binary_schema_comments = with_comments;
  options.lang_to_generate = flatbuffers::IDLOptions::kCpp;  // the language with the most kinds of unions
  flatbuffers::Parser parser(options);
  if (!parser.Parse(source.c_str())) throw std::invalid_argument(parser.error_);
  parser.Serialize();
  const core::ByteView bytes = core::as_bytes(parser.builder_.GetBufferPointer(), parser.builder_.GetSize());
  return {bytes.begin(), bytes.end()};
}

core::Result<std::string> message_code(const std::string& source) {
  return generate_typescript(compile_messages("namespace test;\n" + source, false),
                             compile_messages("namespace test;\n" + source, true), "messages");
}

std::string awkward_code() { return *generate_typescript(awkward::names_of::schema_bytes(), {}, "awkward"); }

// Returns the code without the fingerprint, which also changes with engine.fbs.
std::string without_fingerprint(std::string code) {
  const std::string_view key = "fingerprint: \"";
  return code.erase(code.find(key) + key.size(), 64);
}

// Compares the code of FOLDER/NAME.fbs with a file of the tree.
void expect_messages(const std::string& folder, const std::string& name, const std::string& path) {
  const std::string source = file_text(folder + "/" + name + ".fbs");
  expect_is_file(generate_typescript(compile_messages(source, false), compile_messages(source, true), name), path);
}

TEST(TypescriptGenerator, EveryKindOfFieldIsAsInTheGoldenFile) {
  const std::string code = *generate_typescript(kitchen::schema_bytes(), {}, "kitchen");
  EXPECT_EQ(without_fingerprint(code), without_fingerprint(file_text("client/web/test/generated/kitchen.ts")));
}

TEST(TypescriptGenerator, EveryKindOfMessageIsAsInTheGoldenFile) {
  expect_messages("tests/reflect", "pantry", "client/web/test/generated/pantry.ts");
}

TEST(TypescriptGenerator, MessagesOfTheDemoAreAsInTheTree) {
  expect_messages("schema", "demo_commands", "client/web/demo/demo_commands.ts");
  expect_messages("schema", "demo_events", "client/web/demo/demo_events.ts");
}

TEST(TypescriptGenerator, FingerprintIsThatOfTheSchema) {
  const auto schema = *Schema::load(kitchen::schema_bytes());
  EXPECT_THAT(*generate_typescript(kitchen::schema_bytes(), {}, "kitchen"),
              HasSubstr("fingerprint: \"" + core::to_string(schema->fingerprint()) + "\""));
}

TEST(TypescriptGenerator, OnlyWhatClientsReceiveIsGenerated) {
  const std::string code = *generate_typescript(demo::schema_bytes(), {}, "components");
  EXPECT_THAT(code, HasSubstr("export const Transform: mobula.Component<Transform> = { key: \"Transform/Transform\""));
  for (const char* unsent : {"Wander", "Patrol", "Obstacle", "interface EntityRef"}) {
    EXPECT_THAT(code, Not(HasSubstr(unsent)));
  }
  const std::string flags = *generate_typescript(kitchen::schema_bytes(), {}, "kitchen");
  EXPECT_THAT(flags, Not(HasSubstr("secret")));
  EXPECT_THAT(flags, Not(HasSubstr("Hidden")));
}

TEST(TypescriptGenerator, StructsOfWhichNothingIsSentAreLeftOut) {
  const core::Bytes schema = test::compile_schema(
      "struct Inner { a:int (not_sent); }\n"
      "struct Part (component) { inner:Inner; other:Inner (not_sent); shown:int; }\n");
  const std::string code = *generate_typescript(schema, {}, "part");
  EXPECT_THAT(code, HasSubstr("export interface Part {\n  readonly shown: number;\n}"));
  EXPECT_THAT(code, Not(HasSubstr("Inner")));
}

TEST(TypescriptGenerator, NamesThatTypescriptRefusesGetUnderscores) {
  const std::string code = awkward_code();
  EXPECT_THAT(code, HasSubstr("export const default_ = {\n  auto: 0,\n  this: 1,\n} as const;"));
  EXPECT_THAT(code, HasSubstr("readonly static: default_;"));
  EXPECT_THAT(code, HasSubstr("export const small_case: mobula.Component<small_case>"));
  EXPECT_THAT(code, HasSubstr("readonly class_: number;"));
}

TEST(TypescriptGenerator, TypesOfTwoNamespacesHaveTwoNames) {
  const core::Bytes schema =
      test::compile_schema("struct Vec3 { v:int; }\nstruct Part (component) { a:Vec3; b:mobula.engine.Vec3; }\n");
  const std::string code = *generate_typescript(schema, {}, "part");
  EXPECT_THAT(code, HasSubstr("export interface Vec3 {"));
  EXPECT_THAT(code, HasSubstr("export interface Vec3_ {"));
}

TEST(TypescriptGenerator, CommentsComeFromTheSecondSchema) {
  const std::string source = "/// A wave.\ntable Wave {\n/// Metres.\nhigh:float; }\nroot_type Wave;";
  EXPECT_THAT(*message_code(source), HasSubstr("/** A wave. */\nexport interface Wave {\n  /** Metres. */\n"));
  EXPECT_THAT(*generate_typescript(compile_messages(source, false), {}, "wave"), Not(HasSubstr("/** ")));
  const core::Bytes damaged(64);
  EXPECT_THAT(generate_typescript(compile_messages(source, false), damaged, "wave").error().message,
              HasSubstr("the schema with comments"));
}

TEST(TypescriptGenerator, VariantsNeedOneUnionInTheRoot) {
  const std::string tables = "table A { a:int; }\nunion U { A }\nunion V { A }\n";
  EXPECT_THAT(*message_code(tables + "table M { u:U; }\nroot_type M;"), HasSubstr("variant(\"A\", () => M, \"u\""));
  EXPECT_THAT(*message_code(tables + "table M { u:U; v:V; }\nroot_type M;"), HasSubstr("mobula.table(\"A\""));
  EXPECT_THAT(*message_code(tables + "table M { b:int; }\nroot_type M;"), HasSubstr("mobula.table(\"A\""));
}

TEST(TypescriptGenerator, RefusesMessagesThatClientsDoNotSupport) {
  EXPECT_THAT(message_code("table A { a:int; }\nunion U { A }\ntable M { u:[U]; }\nroot_type M;").error().message,
              HasSubstr("u: vectors of unions are not supported"));
  EXPECT_THAT(message_code("struct S { a:int; }\nunion U { S }\ntable M { u:U; }\nroot_type M;").error().message,
              HasSubstr("S: a union of messages contains tables alone"));
}

TEST(TypescriptGenerator, RefusesASchemaWithNothingToGenerate) {
  EXPECT_THAT(
      generate_typescript(compile_messages("namespace test; table A { a:int; }", false), {}, "a").error().message,
      HasSubstr("neither a component nor a root_type"));
  EXPECT_THAT(generate_typescript({}, {}, "empty").error().reason, testing::StrEq("bad schema"));
}

TEST(TypescriptGenerator, SameBytesGiveTheSameText) { EXPECT_EQ(awkward_code(), awkward_code()); }

}  // namespace
}  // namespace mobula::reflect
