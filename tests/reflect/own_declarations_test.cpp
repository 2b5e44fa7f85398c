#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kitchen/components.hpp>
#include <mobula/reflect/own_declarations.hpp>
#include <mobula/schema/components.hpp>
#include <mobula/schema/engine.hpp>
#include <reflect/compile_schema.hpp>

namespace mobula::reflect {
namespace {

using testing::HasSubstr;

std::vector<std::string> names(const OwnDeclarations& own) {
  std::vector<std::string> all;
  for (const DeclaredEnum* type : own.enums) all.push_back(type->full_name);
  for (const DeclaredStruct* type : own.structs) all.push_back(type->full_name);
  return all;
}

TEST(OwnDeclarations, ListsOneFileInOneNamespace) {
  const auto input = read_generator_input(kitchen::schema_bytes(), "kitchen");
  ASSERT_TRUE(input.ok());
  EXPECT_EQ(input->own.file, "kitchen.fbs");
  EXPECT_EQ(input->own.name_space, "kitchen");
  EXPECT_FALSE(input->own.is_engine());
  EXPECT_THAT(names(input->own), testing::UnorderedElementsAre("kitchen.Small", "kitchen.Wide", "kitchen.Only",
                                                               "kitchen.Inner", "kitchen.Plain", "kitchen.Ranged",
                                                               "kitchen.Nested", "kitchen.Flags", "kitchen.Hidden"));
}

TEST(OwnDeclarations, EngineOmitsTheEntityHandle) {
  const auto input = read_generator_input(engine::schema_bytes(), "engine");
  ASSERT_TRUE(input.ok());
  EXPECT_TRUE(input->own.is_engine());
  EXPECT_EQ(input->own.name_space, "mobula.engine");
  EXPECT_THAT(names(input->own),
              testing::UnorderedElementsAre("mobula.engine.Vec3", "mobula.engine.Quat", "mobula.engine.Transform",
                                            "mobula.engine.Parent", "mobula.engine.Cuts", "mobula.engine.SpawnKey"));
}

TEST(OwnDeclarations, RefusesDeclarationsOfOtherFiles) {
  EXPECT_THAT(read_generator_input(demo::schema_bytes(), "other").error().message, HasSubstr("components.fbs"));
  EXPECT_THAT(read_generator_input(engine::schema_bytes(), "mine").error().message, HasSubstr("no struct or enum"));
}

TEST(OwnDeclarations, RefusesASchemaThatAServerRefuses) {
  const core::Bytes wrong = test::compile_schema("struct C (component) { n:int (step:\"1\"); }");
  EXPECT_THAT(read_generator_input(wrong, "").error().message, HasSubstr("test.C.n"));
}

}  // namespace
}  // namespace mobula::reflect
