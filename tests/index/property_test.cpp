#include <cmath>
#include <unordered_map>

#include "ecs/allocations.hpp"
#include "index/kitchen_world.hpp"

namespace mobula::index {
namespace {

using reflect::Quaternion;
using reflect::Value;
using test::KitchenWorld;
using test::refused;

TEST(Property, EveryKindOfFieldIsReadAndWrittenTyped) {
  KitchenWorld world;
  Properties& properties = world.properties;
  const ecs::Entity e = world.make();
  const ecs::Entity other = world.make({});
  const auto check = [&]<class T>(const char* path, T before, T after) {
    SCOPED_TRACE(path);
    const auto read = properties.get<T>(e, "Plain", path);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, before);
    const auto done = properties.set(e, "Plain", path, after);
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_EQ(*properties.get<T>(e, "Plain", path), after);
  };
  check("a_bool", false, true);
  check("an_int8", std::int8_t{-128}, std::int8_t{127});
  check("a_uint8", std::uint8_t{255}, std::uint8_t{0});
  check("an_int16", std::int16_t{-32768}, std::int16_t{5});
  check("a_uint16", std::uint16_t{65535}, std::uint16_t{6});
  check("an_int32", std::numeric_limits<std::int32_t>::min(), 7);
  check("a_uint32", ~std::uint32_t{0}, 8u);
  check("an_int64", std::numeric_limits<std::int64_t>::min(), std::int64_t{9});
  check("a_uint64", ~std::uint64_t{0}, std::uint64_t{1} << 63);
  check("a_float", 1e-7f, -2.5f);
  check("a_double", -0.1, 1e300);
  check("a_quaternion", Quaternion{0, 1, 0, 0}, Quaternion{0, 0.6f, 0.8f, 0});
  check("an_entity", ecs::null_entity, other);
  check("a_text", std::string_view("two words"), std::string_view("ten bytes!"));
  check("a_name", core::StringId32("crate"), core::StringId32("rock"));
  check("shorts[2]", std::int16_t{0}, std::int16_t{-3});
  check("entities[1]", ecs::null_entity, e);

  const auto plain = world.component<kitchen::Plain>(e);
  EXPECT_TRUE(plain.a_bool);
  EXPECT_EQ(plain.a_uint64, std::uint64_t{1} << 63);
  EXPECT_EQ(plain.shorts[2], -3);
  EXPECT_EQ(core::load<ecs::Entity>(&plain.entities[1]), e);
  EXPECT_EQ(std::string_view(plain.a_text.data(), 10), "ten bytes!");
}

TEST(Property, EnumsAreSetByNameOrNumber) {
  KitchenWorld world;
  Properties& properties = world.properties;
  const ecs::Entity e = world.make();
  EXPECT_EQ(*properties.get<std::string_view>(e, "Ranged", "small"), "plus");
  EXPECT_EQ(*properties.get<int>(e, "Ranged", "small"), 7);
  EXPECT_EQ(*properties.get<kitchen::Small>(e, "Ranged", "small"), kitchen::Small::plus);
  EXPECT_TRUE(properties.set(e, "Ranged", "small", "minus"));
  EXPECT_EQ(world.component<kitchen::Ranged>(e).small, kitchen::Small::minus);
  EXPECT_TRUE(properties.set(e, "Ranged", "small", kitchen::Small::most));
  EXPECT_EQ(*properties.get<int>(e, "Ranged", "small"), 127);
  EXPECT_EQ(*properties.get<std::uint64_t>(e, "Ranged", "wide"), 18446744073709551615u);
  EXPECT_EQ(refused(world, [&] { return properties.set(e, "Ranged", "wide", -1); }),
            "out of range: 'wide' is out of range: -1; expected huge, zero, one");
  EXPECT_EQ(refused(world, [&] { return properties.set(e, "Ranged", "small", 3); }),
            "out of range: 'small' is out of range: 3; expected minus, zero, plus, most");
  EXPECT_EQ(refused(world, [&] { return properties.set(e, "Ranged", "small", "Plus "); }),
            "out of range: 'small' has no value 'Plus ' (did you mean 'plus'?); expected minus, zero, plus, most");
}

TEST(Property, ANumberReadsAsAnyTypeThatHoldsIt) {
  KitchenWorld world;
  Properties& properties = world.properties;
  const ecs::Entity e = world.make();
  EXPECT_EQ(*properties.get<double>(e, "Plain", "an_int8"), -128.0);
  EXPECT_EQ(*properties.get<std::uint64_t>(e, "Plain", "a_uint8"), 255u);
  EXPECT_TRUE(properties.set(e, "Plain", "a_float", 3));
  EXPECT_EQ(*properties.get<float>(e, "Plain", "a_float"), 3.0f);
  EXPECT_TRUE(properties.set(e, "Plain", "a_name", "rock")) << "a name by its text";
  EXPECT_EQ(*properties.get<core::StringId32>(e, "Plain", "a_name"), core::StringId32("rock"));
  EXPECT_STREQ(properties.get<std::uint8_t>(e, "Plain", "an_int8").error().reason, "out of range");
  EXPECT_STREQ(properties.get<int>(e, "Plain", "a_uint64").error().reason, "out of range");
  EXPECT_STREQ(properties.get<int>(e, "Plain", "a_float").error().reason, "wrong type");
  EXPECT_STREQ(properties.get<bool>(e, "Plain", "an_int8").error().reason, "wrong type");
  EXPECT_STREQ(properties.get<std::string_view>(e, "Plain", "a_name").error().reason, "wrong type");
  EXPECT_STREQ(properties.get<ecs::Entity>(e, "Plain", "a_uint64").error().reason, "wrong type");
  EXPECT_EQ(std::get<std::int64_t>(*properties.get<Value>(e, "Plain", "an_int32")),
            std::numeric_limits<std::int32_t>::min());
}

TEST(Property, AnInvalidValueIsRefusedAndChangesNothing) {
  KitchenWorld world;
  Properties& properties = world.properties;
  const ecs::Entity e = world.make();
  const auto set = [&](const char* component, const char* path, const auto& value) {
    return refused(world, [&] { return properties.set(e, component, path, value); });
  };
  EXPECT_EQ(set("Plain", "a_bool", 1), "wrong type: 'a_bool' is a number; expected true or false");
  EXPECT_EQ(set("Plain", "an_int8", 128), "out of range: 'an_int8' is out of range: 128; expected -128 to 127");
  EXPECT_EQ(set("Plain", "a_uint64", -1),
            "out of range: 'a_uint64' is out of range: -1; expected 0 to 18446744073709551615");
  EXPECT_EQ(set("Plain", "an_int32", 1.5), "wrong type: 'an_int32' is 1.5; expected a whole number");
  EXPECT_EQ(set("Plain", "an_int32", true), "wrong type: 'an_int32' is true or false; expected a whole number");
  EXPECT_EQ(set("Plain", "a_float", "1"), "wrong type: 'a_float' is text; expected a number");
  EXPECT_THAT(set("Plain", "a_float", 1e39), testing::StartsWith("out of range: 'a_float' is out of range: 1e+39"));
  EXPECT_THAT(set("Plain", "a_double", std::nan("")), testing::StartsWith("out of range: "));
  EXPECT_THAT(set("Plain", "a_double", HUGE_VAL), testing::StartsWith("out of range: "));
  EXPECT_EQ(set("Plain", "a_quaternion", Quaternion{1, 1, 1, 1}),
            "out of range: 'a_quaternion' is not a rotation: its length is 2; expected 0.98 to 1.02");
  EXPECT_THAT(set("Plain", "a_quaternion", Quaternion{NAN, 0, 0, 1}), testing::StartsWith("out of range: "));
  EXPECT_EQ(set("Plain", "a_quaternion", 0.5), "wrong type: 'a_quaternion' is 0.5; expected a rotation");
  EXPECT_EQ(set("Plain", "an_entity", 7), "wrong type: 'an_entity' is a number; expected an entity");
  EXPECT_EQ(set("Plain", "a_text", "eleven byte"), "out of range: 'a_text' is too long: 11 bytes; expected at most 10");
  EXPECT_EQ(set("Plain", "a_text", std::string_view("a\0b", 3)), "not text: 'a_text' holds a zero byte; expected text");
  EXPECT_EQ(set("Plain", "a_text", 4), "wrong type: 'a_text' is a number; expected text");
  EXPECT_EQ(set("Plain", "a_name", 4), "wrong type: 'a_name' is a number; expected a name");
  EXPECT_EQ(set("Ranged", "an_int8", -2), "out of range: 'an_int8' is out of range: -2; expected -100 to -3");
  EXPECT_EQ(set("Ranged", "a_uint32", 9u), "out of range: 'a_uint32' is out of range: 9; expected 10 to 4294967295");
  EXPECT_EQ(set("Ranged", "an_int64", (std::int64_t{1} << 53) + 1),
            "out of range: 'an_int64' is out of range: 9007199254740993; expected -9007199254740992 to "
            "9007199254740992");
  EXPECT_EQ(set("Ranged", "fine", 512.5), "out of range: 'fine' is out of range: 512.5; expected -512 to 512");
  EXPECT_EQ(set("Nested", "one", 1), "wrong type: 'one' is a struct, not one value");
  EXPECT_EQ(set("Plain", "shorts", 1), "wrong type: 'shorts' is an array, not one value");
  EXPECT_EQ(set("Plain", "", 1), "wrong type: 'Plain' is a struct, not one value");
  EXPECT_EQ(set("Flags", "fresh", 6), "read only: 'fresh' is read only");
}

// The ends 0.7 and -0.3 are not exact floats: the field's ends are the nearest floats.
TEST(Property, ATextIsUtf8) {
  KitchenWorld world;
  const ecs::Entity e = world.make();
  EXPECT_EQ(refused(world, [&] { return world.properties.set(e, "Plain", "a_text", "h\xe4y"); }),
            "not text: 'a_text' is not UTF-8; expected text");
  EXPECT_TRUE(world.properties.set(e, "Plain", "a_text", "häy"));
}

TEST(Property, BothEndsOfARangeCanBeSetAndWrittenBack) {
  KitchenWorld world;
  const ecs::Entity e = world.make();
  for (const double end : {-0.3, 0.7}) {
    ASSERT_TRUE(world.properties.set(e, "Ranged", "odd", end));
    const float got = *world.properties.get<float>(e, "Ranged", "odd");
    EXPECT_EQ(got, static_cast<float>(end));
    EXPECT_TRUE(world.properties.set(e, "Ranged", "odd", got));
  }
  EXPECT_FALSE(world.properties.set(e, "Ranged", "odd", std::nextafter(0.7f, 1.0f)));
  EXPECT_FALSE(world.properties.set(e, "Ranged", "odd", std::nextafter(-0.3f, -1.0f)));
}

TEST(Property, ARotationIsNormalisedAndOtherwiseUnchanged) {
  KitchenWorld world;
  const ecs::Entity e = world.make();
  ASSERT_TRUE(world.properties.set(e, "Plain", "a_quaternion", Quaternion{0, 0.7071f, 0, 0.7071f}));
  const Quaternion first = *world.properties.get<Quaternion>(e, "Plain", "a_quaternion");
  EXPECT_FLOAT_EQ(first[1], 0.70710678f);
  ASSERT_TRUE(world.properties.set(e, "Plain", "a_quaternion", first));
  EXPECT_EQ(*world.properties.get<Quaternion>(e, "Plain", "a_quaternion"), first);
}

TEST(Property, StructsAndArraysAreReachedByPath) {
  KitchenWorld world;
  Properties& properties = world.properties;
  const ecs::Entity e = world.make();
  EXPECT_EQ(*properties.get<float>(e, "Nested", "one.angle"), 0.5f);
  ASSERT_TRUE(properties.set(e, "Nested", "several_count", 2));
  ASSERT_TRUE(properties.set(e, "Nested", "several[1].weight", 9));
  EXPECT_EQ(world.component<kitchen::Nested>(e).several[1].weight, 9);
  EXPECT_EQ(*properties.get<int>(e, "Nested", "several.weight[1]"), 9) << "the other way to write it";
  EXPECT_EQ(refused(world, [&] { return properties.set(e, "Nested", "several[2].weight", 1); }),
            "out of range: 'several.weight' has 2 elements in use; there is no element 2");
  EXPECT_EQ(refused(world, [&] { return properties.set(e, "Nested", "several[3].weight", 1); }),
            "out of range: 'several[3].weight' is out of range: there are 3 elements, from 0 to 2");
  EXPECT_EQ(refused(world, [&] { return properties.set(e, "Nested", "several[99999999999].weight", 1); }),
            "out of range: 'several[99999999999].weight' is out of range: there are 3 elements, from 0 to 2");
  EXPECT_EQ(refused(world, [&] { return properties.set(e, "Nested", "colors[0]", "plus"); }),
            "out of range: 'colors' has 0 elements in use; there is no element 0");
  for (const char* path : {"several[1]weight", "several[-1].weight", "several[].weight", "several[1", "several[ 1]",
                           "several[1].", "[0]", "one[0].weight", "one.weight[0]", "several[0][0].weight", ".", "ones"})
    EXPECT_STREQ(properties.resolve(e, "Nested", path).error().reason, "no such property") << path;
}

TEST(Property, ReadsInvalidMemorySafely) {
  KitchenWorld world;
  const ecs::Entity e = world.make();
  world.registry.get<kitchen::Nested>(e).several_count = 60000;
  world.registry.get<kitchen::Ranged>(e).small = static_cast<kitchen::Small>(99);
  EXPECT_TRUE(world.properties.get<int>(e, "Nested", "several[2].weight"));
  EXPECT_EQ(*world.properties.get<int>(e, "Ranged", "small"), 99);
  EXPECT_STREQ(world.properties.get<std::string_view>(e, "Ranged", "small").error().reason, "out of range");
  EXPECT_EQ(world.text(e, "Ranged", "small"), "99");
}

TEST(Property, AnUnknownNameIsRefusedWithASuggestion) {
  KitchenWorld world;
  Properties& properties = world.properties;
  const ecs::Entity e = world.make({"Plain"});
  world.add(e, "Plain", "Spare");
  EXPECT_EQ(refused(world, [&] { return properties.set(e, "Spar", "a_bool", true); }),
            "no such component: entity " + to_string(e) +
                " has no component 'Spar' (did you mean 'Spare'?); it has Plain, Spare");
  EXPECT_EQ(refused(world, [&] { return properties.get<int>(e, core::StringId32("rock"), "a_bool"); }),
            "no such component: entity " + to_string(e) + " has no component 'rock'; it has Plain, Spare");
  EXPECT_EQ(refused(world, [&] { return properties.set(e, "Plain", "a_boool", true); }),
            "no such property: component Plain has no property 'a_boool' (did you mean 'a_bool'?)");
  const PropertyRef flag = *properties.resolve(e, "Spare", "a_bool");
  const ecs::Entity bare = world.make({});
  EXPECT_EQ(refused(world, [&] { return properties.set(bare, flag, true); }),
            "no such component: entity " + to_string(bare) + " has no component 'Spare'; it has none");
  world.registry.destroy(e);
  const std::string stale = "stale handle: entity " + to_string(e) + " is not alive";
  EXPECT_EQ(refused(world, [&] { return properties.set(e, flag, true); }), stale);
  EXPECT_EQ(refused(world, [&] { return properties.get<bool>(e, flag); }), stale);
  EXPECT_EQ(refused(world, [&] { return properties.get<bool>(e, "Spare", "a_bool"); }), stale);
  EXPECT_EQ(refused(world, [&] { return properties.get_text(e, flag); }), stale);
  EXPECT_EQ(refused(world, [&] { return properties.set_text(e, flag, "true"); }), stale);
  EXPECT_EQ(refused(world, [&] { return properties.list(e); }), stale);
  while (world.registry.create().index != e.index) {
  }
  EXPECT_EQ(refused(world, [&] { return properties.set(e, flag, true); }), stale) << "its index lives again";
}

TEST(Property, ASetMarksItsBlockAsChangedAndAGetDoesNot) {
  KitchenWorld world;
  std::vector<ecs::Entity> entities;
  for (int i = 0; i < 130; ++i) entities.push_back(world.make({"Plain"}));
  const PropertyRef property = *world.properties.resolve(entities[0], "Plain", "an_int32");
  const ecs::Pool& pool = std::as_const(world.registry).pool(property.pool());
  ASSERT_EQ(world.registry.tick(), 1u);
  world.registry.set_tick(7);
  EXPECT_TRUE(world.properties.get<int>(entities[100], property));
  EXPECT_TRUE(world.properties.get_text(entities[100], property));
  EXPECT_EQ(std::vector(pool.change_ticks().begin(), pool.change_ticks().end()), (std::vector<ecs::Tick>{1, 1, 1}));
  EXPECT_TRUE(world.properties.set(entities[100], property, 5));
  EXPECT_EQ(std::vector(pool.change_ticks().begin(), pool.change_ticks().end()), (std::vector<ecs::Tick>{1, 7, 1}));
  EXPECT_TRUE(world.properties.set_text(entities[1], property, "5"));
  EXPECT_EQ(std::vector(pool.change_ticks().begin(), pool.change_ticks().end()), (std::vector<ecs::Tick>{7, 7, 1}));
}

TEST(Property, AReferenceWorksForItsPoolOnly) {
  KitchenWorld world;
  const ecs::Entity a = world.make({"Plain"});
  const ecs::Entity b = world.make({"Flags", "Plain"});
  world.add(b, "Plain", "Spare");
  const PropertyRef property = *world.properties.resolve(a, "Plain", "an_int16");
  EXPECT_TRUE(world.properties.set(a, property, 1));
  EXPECT_TRUE(world.properties.set(b, property, 2));
  EXPECT_EQ(*world.properties.get<int>(a, property), 1);
  EXPECT_EQ(*world.properties.get<int>(b, property), 2);
  EXPECT_EQ(*world.properties.get<int>(b, "Spare", "an_int16"), -32768);
}

TEST(Property, GetAndSetByReferenceAllocateNothing) {
  KitchenWorld world;
  Properties& properties = world.properties;
  const ecs::Entity e = world.make();
  ASSERT_TRUE(properties.set(e, "Nested", "several_count", 3));
  const PropertyRef number = *properties.resolve(e, "Ranged", "fine");
  const PropertyRef text = *properties.resolve(e, "Plain", "a_text");
  const PropertyRef name = *properties.resolve(e, "Plain", "a_name");
  const PropertyRef choice = *properties.resolve(e, "Ranged", "small");
  const PropertyRef element = *properties.resolve(e, "Nested", "several[2].weight");
  const PropertyRef turn = *properties.resolve(e, "Ranged", "rotation");
  const std::uint64_t before = ecs::test::allocations();
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(properties.set(e, number, 0.25 * i));
    EXPECT_TRUE(properties.set(e, text, "unchanged"));
    EXPECT_TRUE(properties.set(e, name, std::string_view("rock")));
    EXPECT_TRUE(properties.set(e, choice, kitchen::Small::minus));
    EXPECT_TRUE(properties.set(e, element, i));
    EXPECT_TRUE(properties.set(e, turn, Quaternion{0, 0, 0, 1}));
    EXPECT_EQ(*properties.get<float>(e, number), 0.25f * static_cast<float>(i));
    EXPECT_EQ(*properties.get<std::string_view>(e, text), "unchanged");
    EXPECT_EQ(*properties.get<std::string_view>(e, choice), "minus");
    EXPECT_EQ(*properties.get<int>(e, element), i);
    EXPECT_TRUE(properties.get<Quaternion>(e, turn));
    EXPECT_EQ(*properties.get<double>(e, "Ranged", "fine"), 0.25 * i) << "by name neither";
  }
  EXPECT_EQ(ecs::test::allocations(), before);
}

TEST(Property, ANameWithTheHashOfAnotherIsRefused) {
  KitchenWorld world;
  const ecs::Entity e = world.make();
  // Among 200,000 names some two share a 32-bit hash. The test finds them, so that it needs no magic text.
  std::unordered_map<core::StringId32, std::string> seen;
  std::string first;
  std::string second;
  for (int number = 0; number < 1'000'000 && first.empty(); ++number) {
    std::string name = "n" + std::to_string(number * 7919);
    const auto [place, added] = seen.try_emplace(core::StringId32(name), name);
    if (added) continue;
    first = place->second;
    second = std::move(name);
  }
  ASSERT_NE(first, second);
  ASSERT_TRUE(world.names.add(first));
  EXPECT_TRUE(world.properties.set(e, "Plain", "a_name", first));
  const std::string expected = "name collision: \"" + second + "\" has the hash of \"" + first + "\"";
  EXPECT_EQ(refused(world, [&] { return world.properties.set(e, "Plain", "a_name", second); }), expected);
  EXPECT_EQ(refused(world, [&] { return world.properties.set_text(e, "Plain", "a_name", '"' + second + '"'); }),
            expected);
}

TEST(Property, TheListDescribesEveryField) {
  KitchenWorld world;
  const ecs::Entity e = world.make({"Ranged"});
  world.add(e, "Nested", "Box");
  world.add(e, "Flags", "Flags");
  const std::vector<PropertyInfo> all = *world.properties.list(e);
  std::size_t fields = 0;
  for (const char* type : {"Ranged", "Nested", "Flags"}) fields += world.schema->find(type)->fields.size();
  EXPECT_EQ(all.size(), fields);
  const auto find = [&](std::string_view component, std::string_view path) -> const PropertyInfo& {
    for (const PropertyInfo& info : all)
      if (info.component == component && info.path == path) return info;
    throw std::runtime_error("not listed");
  };
  const PropertyInfo& fine = find("Ranged", "fine");
  EXPECT_EQ(fine.type, "Ranged");
  EXPECT_EQ(fine.field.kind, reflect::FieldKind::float32);
  EXPECT_EQ(fine.field.low, -512);
  EXPECT_EQ(fine.field.high, 512);
  EXPECT_EQ(fine.field.step, 0.01);
  EXPECT_FALSE(fine.read_only);
  EXPECT_FALSE(fine.computed);
  EXPECT_TRUE(find("Flags", "fresh").read_only);
  const PropertyInfo& weights = find("Box", "several.weight");
  EXPECT_EQ(weights.type, "Nested");
  EXPECT_EQ(weights.field.count, 3u);
  for (const PropertyInfo& info : all) {
    EXPECT_TRUE(world.properties.get_text(e, info.property)) << info.path;
    const auto again = world.properties.resolve(e, std::string(info.component), info.path);
    ASSERT_TRUE(again) << info.path;
    EXPECT_EQ(&again->node(), &info.property.node());
  }
  EXPECT_EQ(describe_type(fine.field), "float32, -512 to 512 in steps of 0.01");
  EXPECT_EQ(describe_type(find("Ranged", "small").field), "one of minus, zero, plus, most");
  EXPECT_EQ(describe_type(find("Ranged", "a_uint16").field), "uint16, 1000 to 1001");
  EXPECT_EQ(describe_type(weights.field), "at most 3 × uint16");
  EXPECT_EQ(describe_type(*world.schema->find("Plain")->find_field("shorts")), "3 × int16");
  EXPECT_EQ(describe_type(*world.schema->find("Plain")->find_field("a_text")), "text of at most 10 bytes");
}

TEST(Property, AnAddressIsAHandleAComponentAndAPath) {
  const auto full = parse_property_address("12.1/Fog/position.x");
  ASSERT_TRUE(full);
  EXPECT_EQ(full->entity, (ecs::Entity{12, 1}));
  EXPECT_EQ(full->component, "Fog");
  EXPECT_EQ(full->path, "position.x");
  EXPECT_EQ(parse_property_address("12.1/Fog")->path, "");
  for (const char* bad : {"", "12.1", "12.1/", "12.1//x", "Fog/density", "12/Fog/density", "12.1.1/Fog/density", "/"})
    EXPECT_STREQ(parse_property_address(bad).error().reason, "bad address") << bad;
}

}  // namespace
}  // namespace mobula::index
