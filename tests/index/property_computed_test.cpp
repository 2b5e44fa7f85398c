// Computed properties of a component type, and columns of one property of many entities.
#include "index/kitchen_world.hpp"

namespace mobula::index {
namespace {

using reflect::FieldKind;
using test::KitchenWorld;
using test::Memory;
using test::refused;

// Nested/share: used fraction of its array of structs, from 0 to 1. Writable.
ComputedProperty share() {
  ComputedProperty property;
  property.value.path = "share";
  property.value.kind = FieldKind::float32;
  property.value.ranged = true;
  property.value.high = 1;
  property.value.step = 0.25;
  property.get = [](const ecs::Registry&, ecs::Entity, const std::byte* component, std::byte* value) {
    core::store(value, static_cast<float>(core::load<kitchen::Nested>(component).several_count) / 3.0f);
  };
  property.set = [](const ecs::Registry&, ecs::Entity, std::byte* component, const std::byte* value) -> core::Status {
    auto nested = core::load<kitchen::Nested>(component);
    nested.several_count = static_cast<std::uint16_t>(core::load<float>(value) * 3);
    nested.texts_count = 4;
    core::store(component, nested);
    if (nested.several_count == 2) return core::Error{"out of range", "two is company"};  // its writes are discarded
    return core::Done{};
  };
  return property;
}

// Plain/label: text, read only.
ComputedProperty label() {
  ComputedProperty property;
  property.value.path = "label";
  property.value.kind = FieldKind::fixed_string;
  property.value.size = 32;
  property.get = [](const ecs::Registry&, ecs::Entity entity, const std::byte*, std::byte* value) {
    const std::string text = "entity " + to_string(entity);
    std::memset(value, 0, 32);
    std::memcpy(value, text.data(), text.size());
  };
  return property;
}

TEST(ComputedProperty, IsReadAndWrittenLikeAField) {
  KitchenWorld world;
  ASSERT_TRUE(world.properties.add("Nested", share()));
  ASSERT_TRUE(world.properties.add("Plain", label()));
  const ecs::Entity e = world.make();
  EXPECT_EQ(*world.properties.get<float>(e, "Nested", "share"), 0.0f);
  world.registry.set_tick(9);
  ASSERT_TRUE(world.properties.set(e, "Nested", "share", 1.0));
  EXPECT_EQ(world.component<kitchen::Nested>(e).several_count, 3);
  EXPECT_EQ(
      std::as_const(world.registry).pool(world.properties.resolve(e, "Nested", "share")->pool()).change_ticks()[0], 9u);
  EXPECT_EQ(world.text(e, "Nested", "share"), "1");
  const core::Result<core::Bytes> preview = world.properties.preview_text(e, "Nested", "share", "0.4");
  ASSERT_TRUE(preview.ok());
  EXPECT_EQ(core::load<kitchen::Nested>(preview->data()).several_count, 1);
  EXPECT_EQ(world.component<kitchen::Nested>(e).several_count, 3) << "a preview writes nothing";
  ASSERT_TRUE(world.properties.set_text(e, "Nested", "share", "0.4"));
  EXPECT_EQ(world.component<kitchen::Nested>(e).several_count, 1);
  EXPECT_EQ(*world.properties.get<std::string_view>(e, "Plain", "label"), "entity " + to_string(e));
  EXPECT_EQ(world.text(e, "Plain", "label"), "\"entity " + to_string(e) + '"');
}

TEST(ComputedProperty, ItsRefusalsLeaveNoTrace) {
  KitchenWorld world;
  ASSERT_TRUE(world.properties.add("Nested", share()));
  ASSERT_TRUE(world.properties.add("Plain", label()));
  const ecs::Entity e = world.make();
  const auto set = [&](const char* component, const char* path, const auto& value) {
    return refused(world, [&] { return world.properties.set(e, component, path, value); });
  };
  const auto set_text = [&](const char* component, const char* path, const char* json) {
    return refused(world, [&] { return world.properties.set_text(e, component, path, json); });
  };
  EXPECT_EQ(set("Nested", "share", 2), "out of range: 'share' is out of range: 2; expected 0 to 1");
  EXPECT_EQ(set("Nested", "share", "x"), "wrong type: 'share' is text; expected a number");
  EXPECT_EQ(set("Nested", "share", 0.7), "out of range: two is company");
  EXPECT_EQ(set_text("Nested", "share", "0.7"), "out of range: two is company");
  EXPECT_EQ(set_text("Nested", "share", "[]"), "wrong type: 'share' is an array; expected a number");
  EXPECT_EQ(set("Plain", "label", "x"), "read only: 'label' is read only");
  EXPECT_EQ(set_text("Plain", "label", "\"x\""), "read only: 'label' is read only");
}

TEST(ComputedProperty, IsListedAfterTheFields) {
  KitchenWorld world;
  ASSERT_TRUE(world.properties.add("Plain", label()));
  const ecs::Entity e = world.make({"Plain"});
  const std::vector<PropertyInfo> all = *world.properties.list(e);
  EXPECT_EQ(all.back().path, "label");
  EXPECT_TRUE(all.back().computed);
  EXPECT_TRUE(all.back().read_only);
  EXPECT_FALSE(all.front().computed);
}

TEST(ComputedProperty, AnInvalidOneIsRefused) {
  KitchenWorld world;
  const auto reason = [&](const char* component, auto change) -> std::string {
    ComputedProperty property = share();
    change(property);
    const core::Status done = world.properties.add(component, std::move(property));
    return done ? "" : done.error().reason;
  };
  EXPECT_EQ(reason("Nobody", [](ComputedProperty&) {}), "unknown component");
  EXPECT_EQ(reason("Nested", [](ComputedProperty& p) { p.value.path = "one.weight"; }), "name collision");
  EXPECT_EQ(reason("Nested", [](ComputedProperty& p) { p.value.path = ""; }), "bad property");
  EXPECT_EQ(reason("Nested", [](ComputedProperty& p) { p.value.path = "a[1]"; }), "bad property");
  EXPECT_EQ(reason("Nested", [](ComputedProperty& p) { p.value.count = 2; }), "bad property");
  EXPECT_EQ(reason("Nested", [](ComputedProperty& p) { p.get = nullptr; }), "bad property");
  EXPECT_EQ(reason("Nested", [](ComputedProperty& p) { p.value.kind = FieldKind::fixed_string; }), "bad property");
  EXPECT_EQ(reason("Nested", [](ComputedProperty&) {}), "");
  EXPECT_EQ(reason("Nested", [](ComputedProperty&) {}), "name collision");
}

TEST(PropertyColumn, ReadsAndWritesEntitiesWithTheProperty) {
  KitchenWorld world;
  std::vector<ecs::Entity> entities;
  for (int i = 0; i < 100; ++i) entities.push_back(i % 10 == 3 ? world.make({"Flags"}) : world.make({"Plain"}));
  world.registry.destroy(entities[4]);
  const PropertyRef property = *world.properties.resolve(entities[0], "Plain", "an_int32");
  std::vector<int> values(100);
  for (int i = 0; i < 100; ++i) values[static_cast<std::size_t>(i)] = i;
  const auto set = world.properties.set_column<int>(property, entities, values);
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(*set, 89u);
  std::vector<std::int64_t> read(100, -1);
  EXPECT_EQ(*world.properties.get_column<std::int64_t>(property, entities, read), 89u);
  for (std::size_t i = 0; i < 100; ++i)
    EXPECT_EQ(read[i], i % 10 == 3 || i == 4 ? -1 : static_cast<std::int64_t>(i)) << "others are left alone";
}

TEST(PropertyColumn, OneBadValueRefusesAll) {
  KitchenWorld world;
  ASSERT_TRUE(world.properties.add("Nested", share()));
  const std::vector<ecs::Entity> entities{world.make(), world.make(), world.make()};
  const auto set = [&]<class T>(const char* component, const char* path, std::vector<T> values) {
    const PropertyRef property = *world.properties.resolve(entities[0], component, path);
    return refused(world, [&] { return world.properties.set_column<T>(property, entities, values); });
  };
  EXPECT_EQ(set("Ranged", "fine", std::vector{1.0, 2.0, 600.0}),
            "out of range: 'fine' is out of range: 600; expected -512 to 512");
  EXPECT_EQ(set("Nested", "share", std::vector{1.0f, 0.4f, 0.7f}), "out of range: two is company");
  EXPECT_EQ(set("Flags", "fresh", std::vector{1, 2, 3}), "read only: 'fresh' is read only");
  EXPECT_EQ(set("Plain", "shorts", std::vector{1, 2, 3}), "wrong type: 'shorts' is an array, not one value");
  std::vector<int> numbers(3);
  const PropertyRef text = *world.properties.resolve(entities[0], "Plain", "a_text");
  EXPECT_STREQ(world.properties.get_column<int>(text, entities, numbers).error().reason, "wrong type");
}

// The setter of the first entity makes that of the second refuse, which is a programming error.
TEST(PropertyColumnDeathTest, ASetterThatRefusesLaterFailsACheck) {
  KitchenWorld world;
  ComputedProperty fickle = share();
  fickle.set = [](const ecs::Registry& registry, ecs::Entity, std::byte* component, const std::byte*) -> core::Status {
    auto nested = core::load<kitchen::Nested>(component);
    nested.texts_count = 4;
    core::store(component, nested);
    bool first = true;
    registry.view<const kitchen::Nested>().each([&](const kitchen::Nested& each) { first &= each.texts_count == 0; });
    if (first) return core::Done{};
    return core::Error{"out of range", "one is enough"};
  };
  ASSERT_TRUE(world.properties.add("Nested", fickle));
  const std::vector<ecs::Entity> entities{world.make(), world.make()};
  const PropertyRef property = *world.properties.resolve(entities[0], "Nested", "share");
  EXPECT_DEATH(static_cast<void>(world.properties.set_column<float>(property, entities, std::vector{1.0f, 1.0f})),
               "refuses what it had agreed to");
}

TEST(PropertyColumn, AnUnusedElementIsSkipped) {
  KitchenWorld world;
  const std::vector<ecs::Entity> entities{world.make(), world.make()};
  ASSERT_TRUE(world.properties.set(entities[1], "Nested", "several_count", 2));
  const PropertyRef property = *world.properties.resolve(entities[0], "Nested", "several[1].weight");
  EXPECT_EQ(*world.properties.set_column<int>(property, entities, std::vector{5, 6}), 1u);
  std::vector<int> read{0, 0};
  EXPECT_EQ(*world.properties.get_column<int>(property, entities, read), 1u);
  EXPECT_EQ(read, (std::vector{0, 6}));
  EXPECT_EQ(world.component<kitchen::Nested>(entities[0]).several[1].weight, 7) << "its default";
}

}  // namespace
}  // namespace mobula::index
