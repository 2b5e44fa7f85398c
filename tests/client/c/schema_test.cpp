#include <gmock/gmock.h>

#include <client/c/c_world.hpp>
#include <cstring>

namespace mobula::c {
namespace {

class CSchema : public test::CWorld {
 protected:
  void SetUp() override {
    CWorld::SetUp();
    play();
  }
};

TEST_F(CSchema, TypesAndFieldsAreThoseOfTheServer) {
  const std::vector<reflect::Component>& components = test::game_schema()->components();
  std::uint32_t count = 0;
  ASSERT_EQ(mobula_client_type_count(client(), &count), MOBULA_OK);
  ASSERT_EQ(count, components.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    auto type = test::sized<mobula_type_info>();
    ASSERT_EQ(mobula_client_type(client(), i, &type), MOBULA_OK);
    EXPECT_EQ(type.name, components[i].name);
    EXPECT_EQ(type.size, components[i].size);
    EXPECT_EQ(type.alignment, components[i].alignment);
    EXPECT_EQ(std::memcmp(type.default_value, components[i].default_value.data(), type.size), 0);
    ASSERT_EQ(type.fields, components[i].fields.size());
    for (std::uint32_t j = 0; j < type.fields; ++j) {
      const reflect::Field& field = components[i].fields[j];
      auto info = test::sized<mobula_field_info>();
      ASSERT_EQ(mobula_client_field(client(), i, j, &info), MOBULA_OK);
      EXPECT_EQ(info.path, field.path);
      EXPECT_EQ(info.kind, static_cast<std::uint32_t>(field.kind));
      EXPECT_EQ(info.offset, field.offset);
      EXPECT_EQ(info.count, field.count);
      EXPECT_EQ(info.array_length, field.count > 1 ? field.array_at : 0);
      EXPECT_EQ(info.count_field, static_cast<std::uint32_t>(field.count_field));  // -1 is MOBULA_NO_FIELD
      EXPECT_EQ((info.flags & MOBULA_FIELD_RANGED) != 0, field.ranged);
      EXPECT_EQ((info.flags & MOBULA_FIELD_OWNER_ONLY) != 0, field.owner_only);
      EXPECT_EQ((info.flags & MOBULA_FIELD_NOT_SENT) != 0, field.not_sent);
      EXPECT_EQ((info.flags & MOBULA_FIELD_RECKONED) != 0, field.tolerance > 0);
      EXPECT_EQ(info.enum_values, field.enum_values.size());
      for (std::uint32_t k = 0; k < info.enum_values; ++k) {
        const char* name = nullptr;
        std::int64_t value = -1;
        ASSERT_EQ(mobula_client_enum_value(client(), i, j, k, &name, &value), MOBULA_OK);
        EXPECT_EQ(name, field.enum_values[k].name);
        EXPECT_EQ(value, field.enum_values[k].value);
      }
    }
  }
}

TEST_F(CSchema, NumbersOfNothingAreRefused) {
  std::uint32_t types = 0;
  ASSERT_EQ(mobula_client_type_count(client(), &types), MOBULA_OK);
  auto type = test::sized<mobula_type_info>();
  auto field = test::sized<mobula_field_info>();
  const char* name = nullptr;
  std::int64_t value = 0;
  EXPECT_EQ(mobula_client_type(client(), types, &type), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_client_field(client(), ~0u, 0, &field), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_client_field(client(), 0, ~0u, &field), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_client_enum_value(client(), 0, 0, ~0u, &name, &value), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_client_type(client(), 0, nullptr), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_client_type_count(client(), nullptr), MOBULA_ERROR_INVALID_ARGUMENT);
}

TEST_F(CSchema, TheBytesAreThoseOfTheServer) {
  const void* bytes = nullptr;
  std::uint64_t size = 0;
  ASSERT_EQ(mobula_client_schema(client(), &bytes, &size), MOBULA_OK);
  ASSERT_EQ(size, test::game_schema()->bytes().size());
  EXPECT_EQ(std::memcmp(bytes, test::game_schema()->bytes().data(), size), 0);
  EXPECT_EQ(mobula_client_schema(client(), nullptr, &size), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_client_schema(client(), &bytes, nullptr), MOBULA_ERROR_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace mobula::c
