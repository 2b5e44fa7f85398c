// The two parts of a compiled level: data that clients may have, and data that they may not.
#include <gtest/gtest.h>

#include <algorithm>
#include <kitchen/components.hpp>
#include <mobula/schema/components.hpp>
#include <reflect/compile_schema.hpp>
#include <resource/test_level.hpp>

namespace mobula::resource {
namespace {

using test::component_of;

std::shared_ptr<const Resource> clients_copy(const Resource& whole) {
  return *Resource::from_bytes(whole.clients_bytes());
}

bool has_column(const Resource& resource, std::string_view instance) {
  return std::ranges::any_of(resource.level().columns,
                             [&](const Column& column) { return column.key.instance == core::StringId32(instance); });
}

bool contains(core::ByteView bytes, std::string_view text) {
  const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return all.find(text) != std::string_view::npos;
}

TEST(Split, ComponentsThatAreNeverSentAreNotInTheClientsPart) {
  const auto whole = test::load_text(
      R"({"entities":{"a":{"components":{"Health":{},"Wander":{"speed":3}}},"b":{"components":{"Health":{}}}}})");
  const auto copy = clients_copy(*whole);
  EXPECT_TRUE(has_column(*whole, "Wander"));
  EXPECT_FALSE(has_column(*copy, "Wander"));
  EXPECT_TRUE(has_column(*copy, "Health"));
  EXPECT_EQ(whole->level().prototypes.size(), 2u);
  EXPECT_EQ(copy->level().prototypes.size(), 1u) << "without Wander they are alike";
  EXPECT_EQ(component_of<demo::Wander>(whole->level(), 0).speed, 3.0f);
}

TEST(Split, FieldsForOwnersAreTheirDefaultForEveryoneElse) {
  const auto schema = *reflect::Schema::load(kitchen::schema_bytes());
  const auto whole = test::load_text(
      R"({"entities":{"a":{"components":{"Flags":{"seen":7,"own":8,"secret":9,"guessed":10}}}}})", *schema);
  const auto seen = component_of<kitchen::Flags>(clients_copy(*whole)->level(), 0);
  EXPECT_EQ(seen.seen, 7);
  EXPECT_EQ(seen.own, 2);
  EXPECT_EQ(seen.secret, 3);
  EXPECT_EQ(seen.guessed, 10);
  EXPECT_EQ(component_of<kitchen::Flags>(whole->level(), 0).own, 8);
}

TEST(Split, MarkedEntitiesAndDescendantsAreServerOnly) {
  const auto whole = test::load_text(R"({
    "prefabs": {"trap": {"server_only": true, "components": {"Health": {}}}},
    "entities": {
      "open": {"components": {"Health": {}, "Team": {"$server_only": true, "color": "red"}}},
      "secret": {"server_only": true, "components": {"Health": {"current": 6}},
                 "children": {"door": {"components": {"Name": {"text": "hidden"}}}}},
      "deep": {"parent": "/secret/door", "components": {"Health": {}}},
      "pit": {"prefab": "trap"},
      "shown": {"prefab": "trap", "server_only": false}
    }})");
  const auto copy = clients_copy(*whole);
  ASSERT_EQ(whole->level().num_entities, 6u);
  EXPECT_EQ(copy->level().num_entities, 6u) << "the same indices";
  EXPECT_FALSE(has_column(*copy, "Team"));
  EXPECT_FALSE(has_column(*copy, "Name"));
  EXPECT_FALSE(has_column(*copy, "Parent")) << "its children are hidden";
  const Column& health = test::column_of(copy->level(), "Health", "Health");
  EXPECT_EQ(std::vector(health.entity_index.begin(), health.entity_index.end()), (std::vector<std::uint32_t>{0, 5}));
  EXPECT_EQ(test::column_of(whole->level(), "Health", "Health").num_instances, 5u);
  EXPECT_EQ(component_of<demo::Health>(whole->level(), 1).current, 6);
}

TEST(Split, NamesOfHiddenDataAreNotInTheClientsPart) {
  const auto whole = test::load_text(R"({
    "entities": {
      "garden": {"components": {"Body": {"$type": "RenderData", "mesh": "rose_bush"}}},
      "vault": {"server_only": true, "components": {"Loot": {"$type": "RenderData", "mesh": "crown_jewels"}}}}})");
  for (const char* hidden : {"vault", "garden", "Loot", "crown_jewels"}) {
    EXPECT_FALSE(contains(whole->clients_bytes(), hidden)) << hidden;
    EXPECT_EQ(whole->name_of(core::StringId32(hidden)), hidden);
  }
  for (const char* shown : {"Body", "rose_bush"}) EXPECT_TRUE(contains(whole->clients_bytes(), shown)) << shown;
}

TEST(Split, AReferenceInAHiddenFieldIsServerOnly) {
  const auto schema = test::load_schema(
      "struct Plan (component) { open:mobula.engine.EntityRef; secret:mobula.engine.EntityRef (owner_only); }");
  const auto whole =
      test::load_text(R"({"entities":{"a":{"components":{"Plan":{"open":"/b","secret":"/b"}}},"b":{}}})", *schema);
  EXPECT_EQ(test::column_of(whole->level(), "Plan", "Plan").references.size(), 2u);
  EXPECT_EQ(test::column_of(clients_copy(*whole)->level(), "Plan", "Plan").references.size(), 1u);
}

TEST(Split, NamesThatAnOverrideHasReplacedAreNotInTheFile) {
  const auto whole = test::load_text(R"({"prefabs":{
      "base":{"components":{"Body":{"$type":"RenderData","mesh":"never_seen"}}},
      "trap":{"spawnable":true,"server_only":true}},
      "entities":{"a":{"prefab":"base","components":{"Body":{"mesh":"seen"}}}}})");
  EXPECT_FALSE(contains(whole->bytes(), "never_seen"));
  EXPECT_TRUE(contains(whole->clients_bytes(), "seen"));
  EXPECT_FALSE(contains(whole->clients_bytes(), "trap")) << "a hidden prefab has no name for clients";
  EXPECT_NE(whole->find_prefab(core::StringId32("trap")), nullptr);
}

TEST(Split, ReferencesOfHiddenInstancesAreHidden) {
  const auto whole = test::load_text(R"({"entities":{
    "a": {"components": {"Target": {"entity": "/c"}}},
    "b": {"components": {"Target": {"entity": "/a", "$server_only": true}}},
    "c": {"components": {"Target": {"entity": "/b"}}}}})");
  const auto copy = clients_copy(*whole);
  const Column& targets = test::column_of(copy->level(), "Target", "Target");
  ASSERT_EQ(targets.references.size(), 2u);
  EXPECT_EQ(targets.references[0].offset, 0u);
  EXPECT_EQ(targets.references[0].target, 2u);
  EXPECT_EQ(targets.references[1].offset, 8u);
  EXPECT_EQ(targets.references[1].target, 1u);
  EXPECT_EQ(test::column_of(whole->level(), "Target", "Target").references.size(), 3u);
}

}  // namespace
}  // namespace mobula::resource
