// Components of random schemas with random values, converted to JSON and back.
#include <gtest/gtest.h>

#include <cmath>
#include <mobula/core/format.hpp>
#include <mobula/reflect/value.hpp>
#include <mobula/resource/compiler/component_json.hpp>
#include <mobula/resource/compiler/json_writer.hpp>
#include <reflect/compile_schema.hpp>
#include <reflect/random_schema.hpp>
#include <resource/test_level.hpp>
#include <seeds.hpp>

namespace mobula::resource {
namespace {

using reflect::Component;
using reflect::Field;
using reflect::FieldKind;

// Knows every name, but no entity.
class AllNames final : public FieldTexts {
 public:
  std::optional<std::string_view> name(core::StringId32 id, const Field& /*field*/) override {
    const auto found = texts_.find(id.value);
    return found == texts_.end() ? std::nullopt : std::optional<std::string_view>(found->second);
  }
  std::optional<std::string> path(std::uint32_t /*offset*/) override { return std::nullopt; }
  std::uint32_t add(const std::string& text) {
    const core::StringId32 id{std::string_view(text)};
    texts_[id.value] = text;
    return id.value;
  }

 private:
  std::map<std::uint32_t, std::string> texts_;
};

std::string text_of(const JsonValue& json) {
  JsonWriter out;
  out.value(json);
  return out.take();
}

// Makes a row as compile_fields would: defaults in padding and unused elements, rotations of length 1.
core::Bytes tidy_row(const Component& component, core::Random& random, AllNames& names) {
  const core::Bytes any = test::random_row(component, random);
  core::Bytes row = component.default_value;
  for (const Field& field : component.fields) {
    const std::uint32_t count = reflect::elements_in_use(component, field, any.data());
    for (std::uint32_t i = 0; i < count; ++i) {
      std::byte* const to = row.data() + field.offset + i * field.stride;
      if (field.kind == FieldKind::string_id) {
        core::store(to, names.add(core::format("name {}", random.below(9))));
      } else if (field.kind == FieldKind::unit_quaternion) {
        core::store(to, reflect::Quaternion{0.6f, 0, -0.8f, -0.0f});
      } else if (field.kind != FieldKind::entity) {
        std::memcpy(to, any.data() + field.offset + i * field.stride, field.size);
      }
    }
  }
  return row;
}

TEST(ComponentJson, ExpressesEveryRowThatFieldsCanMake) {
  for (std::uint64_t seed = 1; seed <= test::few_or_all(50, 200) && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    core::Random random(seed);
    const std::string text = test::random_schema(random);
    SCOPED_TRACE(text);
    const auto schema = test::load_schema(text);
    const Component& component = *schema->find("C");
    const reflect::FieldNode tree = reflect::field_tree(component);
    for (int i = 0; i < 5; ++i) {
      AllNames names;
      const core::Bytes row = tidy_row(component, random, names);
      const JsonValue json = component_json(component, tree, row.data(), names);
      EXPECT_TRUE(recompiles_to(component, tree, json, row.data(), 0)) << text_of(json);
      const auto file =
          test::load_text("{\"entities\":{\"e\":{\"components\":{\"C\":" + text_of(json) + "}}}}", *schema);
      EXPECT_TRUE(std::ranges::equal(test::column_of(file->level(), "C", "C").data, row)) << text_of(json);
    }
  }
}

TEST(ComponentJson, AFloatReadsBackAsItself) {
  const auto schema = test::load_schema("struct C (component) { f:float; }");
  const Component& component = *schema->find("C");
  const reflect::FieldNode tree = reflect::field_tree(component);
  AllNames names;
  core::Random random(7);
  for (int i = 0; i < 100'000; ++i) {
    auto bits = static_cast<std::uint32_t>(random.next());
    if (i < 2) bits = 0x7f7fffffu | static_cast<std::uint32_t>(i) << 31;  // the greatest and the least
    if (!std::isfinite(std::bit_cast<float>(bits))) continue;
    const core::ByteView row = core::as_bytes(&bits, 1);
    const JsonValue json = component_json(component, tree, row.data(), names);
    EXPECT_TRUE(recompiles_to(component, tree, json, row.data(), 0)) << text_of(json);
  }
}

TEST(ComponentJson, DetectsRowsThatItCannotExpress) {
  const auto schema = test::load_schema("struct C (component) { n:uint (string_id); e:[mobula.engine.EntityRef:2]; }");
  const Component& component = *schema->find("C");
  const reflect::FieldNode tree = reflect::field_tree(component);
  AllNames names;
  core::Bytes row = component.default_value;
  const JsonValue json = component_json(component, tree, row.data(), names);
  EXPECT_EQ(text_of(json), "{\"e\": [null, null]}\n");
  EXPECT_TRUE(recompiles_to(component, tree, json, row.data(), 0));
  EXPECT_FALSE(recompiles_to(component, tree, json, row.data(), 1)) << "a reference that the JSON lacks";
  core::store(row.data(), std::uint32_t{77});
  EXPECT_FALSE(recompiles_to(component, tree, component_json(component, tree, row.data(), names), row.data(), 0))
      << "a name without text";
}

}  // namespace
}  // namespace mobula::resource
