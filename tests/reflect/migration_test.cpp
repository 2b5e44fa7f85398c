#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <kitchen/components.hpp>
#include <mobula/reflect/migration.hpp>
#include <mobula/reflect/value.hpp>
#include <reflect/compile_schema.hpp>
#include <reflect/random_schema.hpp>
#include <reflect/reference_migration.hpp>

namespace mobula::reflect {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Two versions of the component C, and rows of it.
class Versions {
 public:
  Versions(std::string_view from, std::string_view to)
      : from_(test::load_schema(from)), to_(test::load_schema(to)), migration_(*from_->find("C"), *to_->find("C")) {
    old_ = from_->find("C")->default_value;
  }

  [[nodiscard]] const Component& from() const { return *from_->find("C"); }
  [[nodiscard]] const Component& to() const { return *to_->find("C"); }
  [[nodiscard]] const Migration& migration() const { return migration_; }
  [[nodiscard]] const std::vector<std::string>& notes() const { return migration_.notes(); }

  void set(std::string_view path, const Value& value, std::uint32_t element = 0) {
    const Field& field = *from().find_field(path);
    ASSERT_TRUE(write_value(field, value, old_.data() + field.offset + element * field.stride).ok()) << path;
  }

  // Migrates the row. Returns the number of lost values.
  std::uint32_t apply() {
    new_.assign(to().size, std::byte{0xEE});
    repairs_ = migration_.apply(old_.data(), new_.data());
    return repairs_.lost;
  }
  // Returns how many numbers of the last row became the nearest.
  [[nodiscard]] std::uint32_t nearest() const { return repairs_.nearest; }

  template <class T>
  [[nodiscard]] T get(std::string_view path, std::uint32_t element = 0) const {
    const Field& field = *to().find_field(path);
    return *value_as<T>(field, read_value(field, new_.data() + field.offset + element * field.stride));
  }

  [[nodiscard]] std::vector<int> all(std::string_view path) const {
    std::vector<int> values;
    for (std::uint32_t i = 0; i < to().find_field(path)->count; ++i) values.push_back(get<int>(path, i));
    return values;
  }

 private:
  std::shared_ptr<const Schema> from_;
  std::shared_ptr<const Schema> to_;
  Migration migration_;
  core::Bytes old_;
  core::Bytes new_;
  Repairs repairs_;
};

void expect_good(const Component& component, const core::Bytes& row) {
  for (const Field& field : component.fields)
    for (std::uint32_t i = 0; i < field.count; ++i)
      EXPECT_TRUE(value_is_good(field, row.data() + field.offset + i * field.stride)) << field.path << " " << i;
}

TEST(Migration, EqualsTheModelForRandomSchemasAndRows) {
  Repairs all;
  std::uint32_t rows = 0;
  for (std::uint64_t seed = 1; seed <= 400 && !testing::Test::HasFailure(); ++seed) {
    core::Random random(seed);
    const std::string from_text = test::random_schema(random);
    const std::string to_text = test::random_schema(random);
    SCOPED_TRACE(testing::Message() << "seed " << seed << "\n" << from_text << "\n" << to_text);
    const auto from_schema = test::load_schema(from_text);
    const auto to_schema = test::load_schema(to_text);
    const Component& from = *from_schema->find("C");
    const Component& to = *to_schema->find("C");
    const Migration migration(from, to);
    for (int i = 0; i < 20; ++i, ++rows) {
      const core::Bytes row = test::random_row(from, random);
      expect_good(from, row);
      core::Bytes done(to.size + 1, std::byte{0xEE});
      const test::ReferenceRow expected = test::reference_migrate(from, to, row);
      EXPECT_EQ(migration.apply(row.data(), done.data()), expected.repairs);
      EXPECT_EQ(done.back(), std::byte{0xEE});
      done.pop_back();
      EXPECT_TRUE(migration.same() || done == expected.bytes);
      expect_good(to, done);
      all.add(expected.repairs);
    }
  }
  EXPECT_GT(all.lost, rows / 20) << "the test covers losses";
  EXPECT_GT(all.nearest, rows / 20);
}

TEST(Migration, StaysWithinTheComponentsForAnyBytes) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    core::Random random(seed);
    const auto from = test::load_schema(test::random_schema(random));
    const auto to = test::load_schema(test::random_schema(random));
    const Migration migration(*from->find("C"), *to->find("C"));
    for (int i = 0; i < 10; ++i) {
      core::Bytes row(from->find("C")->size);
      for (std::byte& each : row) each = static_cast<std::byte>(i == 0 ? 0xFF : random.below(256));
      core::Bytes done(to->find("C")->size);
      static_cast<void>(migration.apply(row.data(), done.data()));  // sanitizers watch
    }
  }
}

TEST(Migration, AnEqualSchemaNeedsNone) {
  const auto schema = *Schema::load(kitchen::schema_bytes());
  const auto again = *Schema::load(kitchen::schema_bytes());
  core::Random random(3);
  for (const Component& component : schema->components()) {
    const Migration migration(component, *again->find(component.name));
    EXPECT_TRUE(migration.same());
    EXPECT_THAT(migration.notes(), IsEmpty());
    const core::Bytes row = test::random_row(component, random);
    core::Bytes done(component.size);
    EXPECT_EQ(migration.apply(row.data(), done.data()), Repairs{});
    EXPECT_EQ(done, row) << "with its padding";
  }
  EXPECT_THAT(differences(*schema, *again), IsEmpty());
}

TEST(Migration, NewDefaultsAndWiderRangesNeedNone) {
  const Versions versions(R"(enum E:ubyte { red = 0, blue = 2 }
                             struct C (component) { n:int (range:"0 10"); e:E; f:float (range:"0 1", step:"0.5"); })",
                          R"(enum E:ubyte { red = 0, green, blue }
                             struct C (component) { n:int (range:"-1 10", default:"3"); e:E; f:float; })");
  EXPECT_TRUE(versions.migration().same());
  EXPECT_THAT(versions.notes(), IsEmpty());
}

TEST(Migration, IsNeededIfAValueCouldBeLostOrChange) {
  for (const auto& [from, to] : {std::pair{"n:int;", "n:uint;"},
                                 {"n:int;", "n:int (range:\"0 10\");"},
                                 {"n:short; m:short;", "m:short; n:short;"},
                                 {"n:int;", "m:int;"},
                                 {"n:int; m:byte; k:byte;", "n:int; m:byte;"},
                                 {"n:int; a:[ubyte:3];", "n:int; a:[ubyte:4];"},
                                 {"a:[ubyte:4]; n:ubyte;", "a:[ubyte:4] (count:\"n\"); n:ubyte;"},
                                 {"a:[ubyte:4] (count:\"n\"); n:ubyte; m:ubyte (range:\"0 4\");",
                                  "a:[ubyte:4] (count:\"m\"); n:ubyte; m:ubyte;"}}) {
    const Versions versions("struct C (component) { " + std::string(from) + " }",
                            "struct C (component) { " + std::string(to) + " }");
    EXPECT_FALSE(versions.migration().same()) << from << " and " << to;
  }
  const Versions renumbered("enum E:ubyte { red = 0, blue } struct C (component) { e:E; }",
                            "enum E:ubyte { blue = 0, red } struct C (component) { e:E; }");
  EXPECT_FALSE(renumbered.migration().same());
}

TEST(Migration, AddsRemovesAndMovesFields) {
  Versions versions("struct C (component) { mana:int; a:short; x:float; y:float; name:[ubyte:6] (fixed_string); }",
                    R"(struct C (component) { y:float; x:float; name:[ubyte:6] (fixed_string);
                       armor:ulong (default:"77"); a:short; })");
  versions.set("mana", std::int64_t{5});
  versions.set("a", std::int64_t{-3});
  versions.set("x", 1.5);
  versions.set("y", 2.5);
  versions.set("name", "Anna");
  EXPECT_EQ(versions.apply(), 0u);
  EXPECT_EQ(versions.get<int>("a"), -3);
  EXPECT_EQ(versions.get<float>("x"), 1.5f);
  EXPECT_EQ(versions.get<float>("y"), 2.5f);
  EXPECT_EQ(versions.get<std::string_view>("name"), "Anna");
  EXPECT_EQ(versions.get<int>("armor"), 77);
  EXPECT_THAT(versions.notes(), ElementsAre("C.armor is new and gets its default", "C.mana was removed"));
}

TEST(Migration, ARenamedFieldIsANewAndARemovedOne) {
  Versions versions("struct C (component) { power:int; }", "struct C (component) { strength:int (default:\"4\"); }");
  versions.set("power", std::int64_t{9});
  EXPECT_EQ(versions.apply(), 0u);
  EXPECT_EQ(versions.get<int>("strength"), 4);
  EXPECT_THAT(versions.notes(), ElementsAre("C.strength is new and gets its default", "C.power was removed"));
}

TEST(Migration, RenumberedEnumsKeepTheirNames) {
  Versions versions("enum E:ubyte { red = 0, green, blue } struct C (component) { e:E; f:E; }",
                    R"(enum E:short { green = -2, white = 0, red = 5 }
                       struct C (component) { e:E; f:E (default:"white"); })");
  versions.set("e", "green");
  versions.set("f", "blue");
  EXPECT_EQ(versions.apply(), 1u);
  EXPECT_EQ(versions.get<int>("e"), -2);
  EXPECT_EQ(versions.get<int>("f"), 0);
  EXPECT_THAT(versions.notes(), ElementsAre("C.e can no longer be blue", "C.f can no longer be blue"));
}

TEST(Migration, ANarrowedRangeMovesOnlyWhatIsOutside) {
  Versions versions(R"(struct C (component) { now:ushort (range:"0 200", default:"100"); })",
                    R"(struct C (component) { now:ushort (range:"0 150", default:"100"); })");
  for (const int before : {0, 1, 100, 120, 150, 151, 200}) {
    SCOPED_TRACE(before);
    versions.set("now", std::int64_t{before});
    EXPECT_EQ(versions.apply(), 0u);
    EXPECT_EQ(versions.get<int>("now"), std::min(before, 150));
    EXPECT_EQ(versions.nearest(), before > 150 ? 1u : 0u);
  }
}

TEST(Migration, NumbersOfOtherKindsBecomeTheNearest) {
  Versions versions(
      "struct C (component) { a:float; b:ushort; c:short; d:float; e:float; }",
      R"(struct C (component) { a:ushort; b:float; c:ubyte (default:"9"); d:float (range:"-1 1", step:"0.01");
                       e:ubyte (default:"9"); })");
  versions.set("a", 99.5);
  versions.set("b", std::uint64_t{65535});
  versions.set("c", std::int64_t{-1});
  versions.set("d", -7.0);
  versions.set("e", 1e30);
  EXPECT_EQ(versions.apply(), 0u);
  EXPECT_EQ(versions.nearest(), 4u);
  EXPECT_EQ(versions.get<int>("a"), 100);
  EXPECT_EQ(versions.get<float>("b"), 65535.0f);
  EXPECT_EQ(versions.get<int>("c"), 0);
  EXPECT_EQ(versions.get<float>("d"), -1.0f);
  EXPECT_EQ(versions.get<int>("e"), 255);
}

TEST(Migration, AGrownEnumChangesNothing) {
  for (const char* grown : {"red = 0, green, blue, white", "red = 0, pink, green, blue"}) {
    Versions versions("enum E:ubyte { red = 0, green, blue } struct C (component) { e:E; b:bool; }",
                      "enum E:ubyte { " + std::string(grown) + " } enum B:ubyte { no = 0, yes } " +
                          "struct C (component) { e:E; b:B; }");
    versions.set("e", "blue");
    versions.set("b", true);
    EXPECT_EQ(versions.apply(), 0u);
    EXPECT_EQ(versions.get<std::string_view>("e"), "blue");
    EXPECT_EQ(versions.get<std::string_view>("b"), "yes") << "a bool becomes an enum by its number";
    EXPECT_EQ(versions.nearest(), 0u);
  }
}

TEST(Migration, ValuesBeyondANarrowerRangeBecomeTheNearest) {
  Versions versions("struct C (component) { hp:ushort; heat:float; }",
                    R"(struct C (component) { hp:ushort (range:"0 100", default:"50");
                       heat:float (range:"-1 1", step:"0.5"); })");
  versions.set("hp", std::uint64_t{100});
  versions.set("heat", 1.0);
  EXPECT_EQ(versions.apply(), 0u);
  EXPECT_EQ(versions.get<int>("hp"), 100);
  EXPECT_EQ(versions.get<float>("heat"), 1.0f);
  versions.set("hp", std::uint64_t{101});
  versions.set("heat", 1.0001);
  EXPECT_EQ(versions.apply(), 0u);
  EXPECT_EQ(versions.nearest(), 2u);
  EXPECT_EQ(versions.get<int>("hp"), 100);
  EXPECT_EQ(versions.get<float>("heat"), 1.0f);
  EXPECT_THAT(versions.notes(), ElementsAre("C.hp is only 0 to 100 now", "C.heat is only -1 to 1 now"));
}

TEST(Migration, NotesOldAndNewKindsAndSizes) {
  const Versions versions(
      R"(enum E:ubyte { no = 0 }
         struct C (component) { a:ushort; b:E; c:mobula.engine.EntityRef; d:[ubyte:9] (fixed_string); e:uint (string_id);
           f:[int:3]; g:[ubyte:3] (fixed_string); h:bool; })",
      R"(enum E:ubyte { no = 0 }
         struct C (component) { a:float; b:int; c:E; d:[ubyte:4] (fixed_string); e:[ubyte:8] (fixed_string);
           f:[long:1]; g:[ubyte:8] (fixed_string); h:[bool:2]; })");
  EXPECT_THAT(versions.notes(),
              ElementsAre("C.a is a float32 where it was a uint16", "C.b is an int32 where it was an enum",
                          "C.c is an enum where it was an entity, and gets its default",
                          "C.d has room for 4 bytes where it had 9",
                          "C.e is a text where it was a name, and gets its default", "C.f has 1 element where it had 3",
                          "C.f is an int64 where it was an int32", "C.h has 2 elements where it had 1"));
}

TEST(Migration, ResizesArraysAndMakesThemOfSingleValues) {
  Versions versions("struct C (component) { grown:[int:2]; shrunk:[int:4]; one:int; many:[int:3]; }",
                    "struct C (component) { grown:[long:4]; shrunk:[int:2]; one:[int:3]; many:int; }");
  for (std::uint32_t i = 0; i < 2; ++i) versions.set("grown", std::int64_t{10} + i, i);
  for (std::uint32_t i = 0; i < 4; ++i) versions.set("shrunk", std::int64_t{20} + i, i);
  for (std::uint32_t i = 0; i < 3; ++i) versions.set("many", std::int64_t{30} + i, i);
  versions.set("one", std::int64_t{40});
  EXPECT_EQ(versions.apply(), 0u) << "a change of the schema is noted once, not for each row";
  EXPECT_THAT(versions.all("grown"), ElementsAre(10, 11, 0, 0));
  EXPECT_THAT(versions.all("shrunk"), ElementsAre(20, 21));
  EXPECT_THAT(versions.all("one"), ElementsAre(40, 0, 0));
  EXPECT_THAT(versions.all("many"), ElementsAre(30));
}

constexpr std::string_view four = "struct C (component) { items:[ubyte:4] (count:\"n\"); n:ubyte; }";

// Sets `count` elements 1, 2, 3, …; the unused ones are 9.
void set_items(Versions& versions, std::uint32_t count) {
  versions.set("n", std::uint64_t{count});
  for (std::uint32_t i = 0; i < versions.from().find_field("items")->count; ++i)
    versions.set("items", std::uint64_t{i < count ? i + 1 : 9}, i);
}

TEST(Migration, ALongerBoundedArrayKeepsItsCountAndHasNoTail) {
  Versions versions(four, "struct C (component) { n:ushort; items:[ubyte:6] (count:\"n\"); }");
  set_items(versions, 2);
  EXPECT_EQ(versions.apply(), 0u);
  EXPECT_EQ(versions.get<int>("n"), 2);
  EXPECT_THAT(versions.all("items"), ElementsAre(1, 2, 0, 0, 0, 0));
  EXPECT_THAT(versions.notes(), ElementsAre("C.items has 6 elements where it had 4"));
}

TEST(Migration, ATruncatedListCountsAsOneLostValue) {
  Versions versions(four, "struct C (component) { items:[ubyte:2] (count:\"n\"); n:ubyte; }");
  set_items(versions, 2);
  EXPECT_EQ(versions.apply(), 0u);
  EXPECT_THAT(versions.all("items"), ElementsAre(1, 2));
  set_items(versions, 4);
  EXPECT_EQ(versions.apply(), 1u);
  EXPECT_EQ(versions.get<int>("n"), 2);
  EXPECT_THAT(versions.all("items"), ElementsAre(1, 2));

  Versions unbounded(four, "struct C (component) { items:[ubyte:3]; n:ubyte; }");
  set_items(unbounded, 2);
  EXPECT_EQ(unbounded.apply(), 0u);
  EXPECT_THAT(unbounded.all("items"), ElementsAre(1, 2, 0));
  set_items(unbounded, 4);
  EXPECT_EQ(unbounded.apply(), 1u);
  EXPECT_THAT(unbounded.all("items"), ElementsAre(1, 2, 3));
  EXPECT_EQ(unbounded.get<int>("n"), 4) << "now an ordinary number";
}

TEST(Migration, ARenamedCountKeepsTheElements) {
  Versions versions(four, "struct C (component) { items:[ubyte:4] (count:\"item_count\"); item_count:uint; }");
  set_items(versions, 3);
  EXPECT_EQ(versions.apply(), 0u);
  EXPECT_EQ(versions.get<int>("item_count"), 3);
  EXPECT_THAT(versions.all("items"), ElementsAre(1, 2, 3, 0));
  EXPECT_THAT(versions.notes(),
              ElementsAre("C.item_count is new and counts the elements that were there", "C.n was removed"));
}

TEST(Migration, AFieldThatBecomesACountIsLimitedByTheArray) {
  Versions versions("struct C (component) { items:[ubyte:4]; n:int; }", four);
  set_items(versions, 3);
  EXPECT_EQ(versions.apply(), 0u);
  EXPECT_EQ(versions.get<int>("n"), 3);
  EXPECT_THAT(versions.all("items"), ElementsAre(1, 2, 3, 0));
  versions.set("n", std::int64_t{5});
  EXPECT_EQ(versions.apply(), 0u);
  EXPECT_EQ(versions.nearest(), 1u);
  EXPECT_EQ(versions.get<int>("n"), 4);
  versions.set("n", std::int64_t{-5});
  EXPECT_EQ(versions.apply(), 1u);
  EXPECT_EQ(versions.get<int>("n"), 0);
  EXPECT_THAT(versions.all("items"), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(versions.notes(), ElementsAre("C.n is a uint8 where it was an int32"));
}

TEST(Migration, AnUncountedArrayIsFullyInUse) {
  Versions versions("struct C (component) { items:[ubyte:4]; }",
                    "struct C (component) { n:ubyte; items:[ubyte:6] (count:\"n\"); }");
  for (std::uint32_t i = 0; i < 4; ++i) versions.set("items", std::uint64_t{i + 1}, i);
  EXPECT_EQ(versions.apply(), 0u);
  EXPECT_EQ(versions.get<int>("n"), 4);
  EXPECT_THAT(versions.all("items"), ElementsAre(1, 2, 3, 4, 0, 0));
}

TEST(Migration, ArraysOfStructsFollowByTheirLeaves) {
  Versions versions(R"(struct Inner { weight:ushort; gone:double; angle:float; }
                       struct C (component) { several:[Inner:4] (count:"n"); n:ubyte; single:Inner; })",
                    R"(struct Inner { angle:float; weight:uint; fresh:int (default:"8"); }
                       struct C (component) { n:ubyte; several:[Inner:3] (count:"n"); single:[Inner:2]; })");
  versions.set("n", std::uint64_t{4});
  for (std::uint32_t i = 0; i < 4; ++i) {
    versions.set("several.weight", std::uint64_t{i + 1}, i);
    versions.set("several.angle", i + 0.5, i);
  }
  versions.set("single.weight", std::uint64_t{60});
  EXPECT_EQ(versions.apply(), 1u) << "a truncated list counts as one value, whatever its leaves";
  EXPECT_THAT(versions.all("several.weight"), ElementsAre(1, 2, 3));
  EXPECT_EQ(versions.get<float>("several.angle", 2), 2.5f);
  EXPECT_THAT(versions.all("several.fresh"), ElementsAre(8, 8, 8));
  EXPECT_THAT(versions.all("single.weight"), ElementsAre(60, 0));
}

TEST(Migration, PaddingBecomesZero) {
  Versions versions("struct C (component) { a:byte; b:long; gone:int; }", "struct C (component) { a:byte; b:long; }");
  core::Bytes old(versions.from().size, std::byte{0xFF});
  core::Bytes done(versions.to().size);
  EXPECT_EQ(versions.migration().apply(old.data(), done.data()), Repairs{});
  EXPECT_EQ(core::load<std::uint64_t>(done.data()), 0xFFu);
  EXPECT_EQ(core::load<std::uint64_t>(done.data() + 8), ~0ull);
}

TEST(Migration, ReturnsTheNewOffsetsOfHandles) {
  const Versions versions(
      R"(struct Slot { kind:int; who:mobula.engine.EntityRef; }
         struct C (component) { target:mobula.engine.EntityRef; gone:mobula.engine.EntityRef; other:mobula.engine.EntityRef;
           slots:[Slot:3]; all:[mobula.engine.EntityRef:2]; })",
      R"(struct Slot { who:mobula.engine.EntityRef; kind:long; }
         struct C (component) { all:[mobula.engine.EntityRef:4]; slots:[Slot:2]; other:int;
           target:mobula.engine.EntityRef; })");
  const Component& from = versions.from();
  const Component& to = versions.to();
  const auto new_place = [&](std::string_view path, std::uint32_t element) {
    const Field& field = *from.find_field(path);
    return versions.migration().offset_of(field.offset + element * field.stride);
  };
  EXPECT_EQ(new_place("target", 0), to.find_field("target")->offset);
  EXPECT_EQ(new_place("gone", 0), std::nullopt);
  EXPECT_EQ(new_place("other", 0), std::nullopt) << "it is no entity any more";
  EXPECT_EQ(new_place("slots.who", 1), to.find_field("slots.who")->offset + 16);
  EXPECT_EQ(new_place("slots.who", 2), std::nullopt) << "cut";
  EXPECT_EQ(new_place("all", 1), to.find_field("all")->offset + 8);
  EXPECT_EQ(new_place("all", 2), std::nullopt) << "beyond its end";
  EXPECT_EQ(new_place("slots.kind", 0), std::nullopt);
  EXPECT_EQ(versions.migration().offset_of(1), std::nullopt) << "inside of a handle";
}

TEST(Migration, DifferencesListsChangesOfAllComponents) {
  const auto from = test::load_schema("struct B (component) { n:int; } struct C (component) { n:int; m:int; }");
  const auto to = test::load_schema("struct A (component) { n:int; } struct C (component) { n:int; }");
  EXPECT_THAT(differences(*from, *to), ElementsAre("A is new", "C.m was removed", "B was removed"));
}

}  // namespace
}  // namespace mobula::reflect
