#include <gtest/gtest.h>

#include <cstring>
#include <mobula/reflect/field_tree.hpp>
#include <mobula/reflect/value.hpp>
#include <reflect/compile_schema.hpp>

namespace mobula::reflect {
namespace {

// Random bytes are read as some value; what can be written back gives the same bytes, the rest changes nothing.
TEST(Value, WhatIsReadCanBeWrittenBackOrIsRefusedWhole) {
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
      } else {
        EXPECT_EQ(std::memcmp(to, from, field.size), 0);
      }
    }
  }
}

TEST(FieldTree, TellsAnArrayOfStructsFromAStructWithAnArray) {
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
