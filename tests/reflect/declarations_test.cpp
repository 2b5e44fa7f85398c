// The bytes of a schema may come from a hostile server and must do no harm.
#include <flatbuffers/reflection_generated.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <mobula/core/random.hpp>
#include <mobula/reflect/declarations.hpp>
#include <mobula/schema/components.hpp>
#include <reflect/compile_schema.hpp>

namespace mobula::reflect {
namespace {

using testing::HasSubstr;

// Reads everything that the checks of a loaded schema guarantee.
std::size_t visit(const Schema& schema) {
  std::size_t sum = 0;
  for (const Component& component : schema.components()) {
    EXPECT_EQ(component.default_value.size(), component.size);
    EXPECT_LE(component.size, Limits::component_bytes);
    for (const Field& field : component.fields) {
      EXPECT_GE(field.count, 1u);
      const std::uint64_t end = field.offset + std::uint64_t{field.count - 1} * field.stride + field.size;
      EXPECT_LE(end, component.size) << component.name << "." << field.path;
      EXPECT_LT(field.count_field, static_cast<std::int32_t>(component.fields.size()));
      if (field.bits > 0 && field.kind != FieldKind::unit_quaternion) {
        EXPECT_LE(field.steps >> (field.bits - 1), 1u);
      }
      for (std::uint32_t i = 0; i < field.size && end <= component.size; ++i) {
        sum += std::to_integer<std::size_t>(component.default_value[end - field.size + i]);
      }
    }
  }
  return sum;
}

TEST(Declarations, EveryTruncationIsRefused) {
  const core::ByteView whole = demo::schema_bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    // An own copy, so that a sanitizer reports a read past the end.
    const core::Bytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    const auto schema = Schema::load(part);
    if (schema) visit(**schema);  // the last bytes may be padding
    EXPECT_TRUE(!schema || size + 8 >= whole.size()) << size;
  }
}

TEST(Declarations, FlippedBitsDoNoHarm) {
  const core::ByteView whole = demo::schema_bytes();
  std::size_t refused = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    SCOPED_TRACE(seed);
    core::Random random(seed);
    core::Bytes bytes(whole.begin(), whole.end());
    for (std::uint32_t flips = 1 + random.below(3); flips > 0; --flips) {
      bytes[random.below(static_cast<std::uint32_t>(bytes.size()))] ^= std::byte{1} << random.below(8);
    }
    const auto schema = Schema::load(bytes);
    schema ? static_cast<void>(visit(**schema)) : static_cast<void>(++refused);
  }
  EXPECT_GT(refused, 1000u);
}

TEST(Declarations, ForeignBytesAreRefused) {
  core::Random random(7);
  core::Bytes bytes(2000);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.below(256));
  EXPECT_STREQ(Schema::load(bytes).error().reason, "bad schema");
  EXPECT_THAT(Schema::load({}).error().message, HasSubstr("not a FlatBuffers binary schema"));
  EXPECT_THAT(Schema::load(core::Bytes(Limits::schema_bytes + 1)).error().message, HasSubstr("at most"));
}

// A small schema as FlatBuffers objects, which tests modify.
struct Forged {
  flatbuffers::FlatBufferBuilder builder;
  std::vector<flatbuffers::Offset<reflection::Object>> objects;
  std::vector<flatbuffers::Offset<reflection::Enum>> enums;

  flatbuffers::Offset<reflection::Field> field(const char* name, flatbuffers::Offset<reflection::Type> type,
                                               std::uint16_t offset) {
    return reflection::CreateField(builder, builder.CreateString(name), type, 0, offset);
  }
  flatbuffers::Offset<reflection::Type> type(reflection::BaseType base, std::int32_t index = -1,
                                             reflection::BaseType element = reflection::None,
                                             std::uint16_t length = 0) {
    return reflection::CreateType(builder, base, element, index, length);
  }
  // `fields` must be sorted by name.
  void object(const char* name, const std::vector<flatbuffers::Offset<reflection::Field>>& fields, int alignment,
              int size) {
    const auto key = builder.CreateString("component");
    const auto attribute = reflection::CreateKeyValue(builder, key, builder.CreateString("0"));
    const auto attributes = builder.CreateVector(&attribute, 1);
    objects.push_back(reflection::CreateObject(builder, builder.CreateString(name), builder.CreateVector(fields), true,
                                               alignment, size, attributes));
  }
  void enumeration(const char* name, reflection::BaseType underlying) {
    const auto value = reflection::CreateEnumVal(builder, builder.CreateString("zero"), 0);
    enums.push_back(reflection::CreateEnum(builder, builder.CreateString(name), builder.CreateVector(&value, 1), false,
                                           type(underlying)));
  }
  core::Result<std::shared_ptr<const Schema>> load() {
    builder.Finish(reflection::CreateSchema(builder, builder.CreateVector(objects), builder.CreateVector(enums)),
                   reflection::SchemaIdentifier());
    return Schema::load(core::as_bytes(builder.GetBufferPointer(), builder.GetSize()));
  }
};

std::string refusal_of(const std::function<void(Forged&)>& forge) {
  Forged forged;
  forge(forged);
  const auto schema = forged.load();
  return schema ? std::string() : schema.error().message;
}

TEST(Declarations, AValidForgedSchemaLoads) {
  EXPECT_EQ(refusal_of([](Forged& f) {
              f.enumeration("t.E", reflection::UByte);
              f.object("t.C", {f.field("a", f.type(reflection::Int), 0), f.field("e", f.type(reflection::UByte, 0), 4)},
                       4, 8);
            }),
            "");
}

TEST(Declarations, AForgedLayoutIsRefused) {
  const auto one_int = [](std::uint16_t offset, int alignment, int size) {
    return refusal_of(
        [&](Forged& f) { f.object("t.C", {f.field("a", f.type(reflection::Int), offset)}, alignment, size); });
  };
  EXPECT_EQ(one_int(0, 4, 4), "");
  EXPECT_THAT(one_int(4, 4, 4), HasSubstr("has an offset where it does not fit"));
  EXPECT_THAT(one_int(65532, 4, 4), HasSubstr("does not fit"));
  EXPECT_THAT(one_int(2, 4, 8), HasSubstr("does not fit"));
  EXPECT_THAT(one_int(0, 2, 4), HasSubstr("does not fit"));
  EXPECT_THAT(one_int(0, 3, 6), HasSubstr("alignment"));
  EXPECT_THAT(one_int(0, 0, 4), HasSubstr("alignment"));
  EXPECT_THAT(one_int(0, 4, 6), HasSubstr("bytes"));
  EXPECT_THAT(one_int(0, 4, 0), HasSubstr("bytes"));
  EXPECT_THAT(one_int(0, 4, -8), HasSubstr("bytes"));
  EXPECT_THAT(one_int(0, 4, 1 << 30), HasSubstr("bytes"));
  EXPECT_THAT(refusal_of([](Forged& f) {
                f.object("t.C", {f.field("a", f.type(reflection::Int), 0), f.field("b", f.type(reflection::Int), 0)}, 4,
                         8);
              }),
              HasSubstr("does not fit"));
  EXPECT_THAT(refusal_of([](Forged& f) { f.object("t.C", {}, 4, 8); }), HasSubstr("fields"));
}

TEST(Declarations, AForgedTypeIsRefused) {
  const auto one = [](reflection::BaseType base, std::int32_t index, reflection::BaseType element,
                      std::uint16_t length) {
    return refusal_of([&](Forged& f) {
      f.enumeration("t.E", reflection::UByte);
      f.object("t.C", {f.field("a", f.type(base, index, element, length), 0)}, 8, 8);
    });
  };
  EXPECT_THAT(one(reflection::Obj, 1, reflection::None, 0), HasSubstr("not there"));
  EXPECT_THAT(one(reflection::Obj, -1, reflection::None, 0), HasSubstr("not there"));
  EXPECT_THAT(one(reflection::String, -1, reflection::None, 0), HasSubstr("no struct can hold"));
  EXPECT_THAT(one(reflection::None, -1, reflection::None, 0), HasSubstr("no struct can hold"));
  EXPECT_THAT(one(static_cast<reflection::BaseType>(31), -1, reflection::None, 0), HasSubstr("no struct can hold"));
  EXPECT_THAT(one(reflection::Array, -1, reflection::Array, 2), HasSubstr("no struct can hold"));
  EXPECT_THAT(one(reflection::Array, -1, reflection::UByte, 0), HasSubstr("at least one element"));
  EXPECT_THAT(one(reflection::Array, -1, reflection::ULong, 65535), HasSubstr("does not fit"));
  EXPECT_THAT(one(reflection::UByte, 1, reflection::None, 0), HasSubstr("unknown enum"));
  EXPECT_THAT(one(reflection::Int, 0, reflection::None, 0), HasSubstr("does not agree with its enum"));
}

TEST(Declarations, StructsThatContainThemselvesAreRefused) {
  EXPECT_THAT(refusal_of([](Forged& f) { f.object("t.C", {f.field("a", f.type(reflection::Obj, 0), 0)}, 4, 4); }),
              HasSubstr("form a cycle"));
  EXPECT_THAT(refusal_of([](Forged& f) {
                f.object("t.A", {f.field("b", f.type(reflection::Obj, 1), 0)}, 4, 4);
                f.object("t.B", {f.field("a", f.type(reflection::Obj, 0), 0)}, 4, 4);
              }),
              HasSubstr("form a cycle"));
}

// N structs, each contained `width` times in the next.
std::string tower(int levels, std::uint16_t width) {
  return refusal_of([&](Forged& f) {
    f.object("t.S0", {f.field("a", f.type(reflection::UByte), 0)}, 1, 1);
    int size = 1;
    for (int level = 1; level < levels; ++level) {
      std::vector<flatbuffers::Offset<reflection::Field>> fields;
      for (std::uint16_t i = 0; i < width; ++i) {
        fields.push_back(f.field(("f" + std::to_string(i)).c_str(), f.type(reflection::Obj, level - 1),
                                 static_cast<std::uint16_t>(i * size)));
      }
      size *= width;
      f.object(("t.S" + std::to_string(level)).c_str(), fields, 1, size);
    }
  });
}

TEST(Declarations, DepthAndBreadthHaveLimits) {
  EXPECT_EQ(tower(8, 1), "");
  EXPECT_THAT(tower(9, 1), HasSubstr("deeper than 8 levels"));
  EXPECT_EQ(tower(5, 4), "");                                     // 256 leaves
  EXPECT_THAT(tower(6, 4), HasSubstr("at most 256 fields"));      // 1024
  EXPECT_THAT(tower(8, 4), HasSubstr("a struct has 1 to 4096"));  // 16384 bytes
}

TEST(Declarations, NamesMustBeNames) {
  for (const char* name : {"", "t..C", "t.C;", "t.1C", ".C", "C.", "t.C\n"}) {
    EXPECT_THAT(refusal_of([&](Forged& f) { f.object(name, {f.field("a", f.type(reflection::Int), 0)}, 4, 4); }),
                HasSubstr("name"))
        << name;
  }
  EXPECT_THAT(refusal_of([](Forged& f) { f.object("t.C", {f.field("a b", f.type(reflection::Int), 0)}, 4, 4); }),
              HasSubstr("a field without a name"));
  const std::string long_name(65, 'a');
  EXPECT_THAT(
      refusal_of([&](Forged& f) { f.object(long_name.c_str(), {f.field("a", f.type(reflection::Int), 0)}, 4, 4); }),
      HasSubstr("not a name"));
}

TEST(Declarations, StructsComeAfterThoseTheyContain) {
  const core::Bytes bytes =
      test::compile_schema("struct Z { n:int; } struct B { z:Z; } struct A { b:B; } struct C (component) { a:[A:2]; }");
  const auto declarations = read_declarations(bytes);
  ASSERT_TRUE(declarations.ok());
  const std::vector<DeclaredStruct>& structs = declarations->structs;
  for (std::size_t i = 0; i < structs.size(); ++i) {
    for (const DeclaredField& field : structs[i].fields) EXPECT_LT(field.type.struct_index, static_cast<int>(i));
  }
  EXPECT_EQ(structs.back().name(), "C");
  EXPECT_EQ(structs.back().name_space(), "test");
  EXPECT_EQ(structs.back().fields[0].type.size(), 8u);
}

}  // namespace
}  // namespace mobula::reflect
