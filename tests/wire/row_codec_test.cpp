#include <gtest/gtest.h>

#include <cstring>
#include <mobula/wire/row_codec.hpp>
#include <reflect/random_schema.hpp>
#include <wire/codec_world.hpp>

namespace mobula::wire::row_codec_test {
namespace {

using reflect::Component;
using reflect::Field;
using test::bytes_of;
using test::demo_component;
using test::kitchen_component;
using test::Words;

Words words_of(const RowCodec& codec, const std::byte* component) {
  Words words(codec.words(), 0xdeadbeef);
  codec.to_words(component, words.data());
  return words;
}

std::vector<std::shared_ptr<const reflect::Schema>> schemas() {
  std::vector<std::shared_ptr<const reflect::Schema>> all{
      *reflect::Schema::load(kitchen::schema_bytes()), *reflect::Schema::load(demo::schema_bytes()),
      mobula::test::load_schema(test::units_schema), mobula::test::load_schema(test::piloted_schema)};
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    core::Random random(seed);
    all.push_back(mobula::test::load_schema(mobula::test::random_schema(random)));
  }
  return all;
}

template <class Function>
void for_each_component(Function&& function) {
  std::size_t which = 0;
  for (const auto& schema : schemas()) {
    for (const Component& component : schema->components()) {
      SCOPED_TRACE("schema " + std::to_string(which) + ", " + component.name);
      function(component, RowCodec(component));
      if (testing::Test::HasFatalFailure()) return;
    }
    ++which;
  }
}

// Valid values, or any bytes.
core::Bytes random_bytes(const Component& component, core::Random& random) {
  core::Bytes bytes = mobula::test::random_row(component, random);
  if (random.chance(1, 3))
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.chance(1, 4) ? 0 : random.below(256));
  return bytes;
}

TEST(RowCodec, AMirrorsComponentHasTheSameWords) {
  for_each_component([](const Component& component, const RowCodec& codec) {
    core::Random random(1);
    for (int i = 0; i < 100; ++i) {
      const core::Bytes value = random_bytes(component, random);
      const Words words = words_of(codec, value.data());
      core::Bytes mirror = random_bytes(component, random);
      ASSERT_TRUE(codec.to_component(words.data(), true, test::tick, mirror.data()));
      ASSERT_EQ(words_of(codec, mirror.data()), words);
      ASSERT_EQ(words_of(codec, core::Bytes(mirror).data()), words);
    }
  });
}

TEST(RowCodec, BytesThatDoNotTravelStay) {
  for_each_component([](const Component& component, const RowCodec& codec) {
    core::Random random(2);
    for (const bool owner : {false, true}) {
      core::Bytes travels(component.size);
      for (const Field& field : component.fields) {
        if (component.not_sent || field.not_sent || (field.owner_only && !owner)) continue;
        for (std::uint32_t i = 0; i < field.count; ++i)
          std::memset(travels.data() + field.offset + i * field.stride, 1, field.size);
      }
      const core::Bytes value = random_bytes(component, random);
      const core::Bytes before = random_bytes(component, random);
      core::Bytes after = before;
      ASSERT_TRUE(codec.to_component(words_of(codec, value.data()).data(), owner, test::tick, after.data()));
      for (std::size_t i = 0; i < after.size(); ++i)
        if (travels[i] == std::byte{0}) {
          ASSERT_EQ(after[i], before[i]) << "byte " << i;
        }
    }
  });
}

TEST(RowCodec, ResetsOwnerOnlyFieldsAlone) {
  for_each_component([](const Component& component, const RowCodec& codec) {
    core::Random random(5);
    const core::Bytes before = random_bytes(component, random);
    const core::Bytes defaults = random_bytes(component, random);
    core::Bytes expected = before;
    for (const Field& field : component.fields) {
      if (component.not_sent || field.not_sent || !field.owner_only) continue;
      for (std::uint32_t i = 0; i < field.count; ++i)
        std::memcpy(expected.data() + field.offset + i * field.stride,
                    defaults.data() + field.offset + i * field.stride, field.size);
    }
    core::Bytes after = before;
    codec.reset_owner_only(defaults.data(), after.data());
    ASSERT_EQ(after, expected);
  });
}

TEST(RowCodec, AnyWordsAreRefusedOrReadAsWritten) {
  int accepted = 0;
  int refused = 0;
  for_each_component([&](const Component& component, const RowCodec& codec) {
    if (codec.words() == 0) return;
    core::Random random(3);
    for (int i = 0; i < 200; ++i) {
      const core::Bytes value = random_bytes(component, random);
      Words words = words_of(codec, value.data());
      for (std::uint32_t changes = random.below(3); changes > 0; --changes) {
        std::uint32_t& one = words[random.below(codec.words())];
        one = random.chance(3, 4) ? one ^ (1u << random.below(8)) : static_cast<std::uint32_t>(random.next());
      }
      core::Bytes after = random_bytes(component, random);
      if (!codec.to_component(words.data(), true, test::tick, after.data())) {
        ++refused;
      } else {
        ++accepted;
        const auto sails = [&](const CourseUnit& unit) { return is_under_way(unit, words.data()); };
        if (std::ranges::any_of(codec.courses(), sails)) continue;  // the value is that of test::tick
        const Words again = words_of(codec, after.data());
        // The owner does not receive these.
        std::copy(again.begin() + codec.common_words(), again.begin() + codec.public_words(),
                  words.begin() + codec.common_words());
        ASSERT_EQ(again, words);
      }
    }
  });
  EXPECT_GT(accepted, 5000);
  EXPECT_GT(refused, 1000);
}

// Every word belongs to one unit, and no value is above the unit's maximum.
TEST(RowCodec, UnitsShareTheRowAmongThem) {
  for_each_component([](const Component& component, const RowCodec& codec) {
    std::uint32_t next = 0;
    for (const Unit& unit : codec.units()) {
      const std::uint32_t section = unit.receivers == Receivers::everyone ? 0
                                    : unit.receivers == Receivers::others ? codec.common_words()
                                                                          : codec.public_words();
      next = std::max(next, section);  // after the courses
      ASSERT_EQ(unit.first, next);
      ASSERT_EQ(unit.receivers == Receivers::owner, unit.first >= codec.public_words());
      ASSERT_EQ(unit.receivers == Receivers::everyone, unit.first < codec.common_words());
      if (unit.is_array()) {
        ASSERT_TRUE(unit.kind != Unit::Kind::vector && unit.kind != Unit::Kind::rotation);
      }
      if (unit.kind == Unit::Kind::rotation) {
        ASSERT_EQ(unit.words, 4);
      }
      if (unit.counter != Unit::no_counter) {
        ASSERT_LT(unit.counter, unit.first) << "the counter stands before what it counts";
      }
      next += unit.size();
    }
    ASSERT_EQ(std::max(next, codec.public_words()), codec.words());
    core::Random random(4);
    for (int i = 0; i < 50; ++i) {
      const Words words = words_of(codec, random_bytes(component, random).data());
      for (const Unit& unit : codec.units()) {
        if (unit.kind == Unit::Kind::text || unit.kind == Unit::Kind::entity) continue;
        for (std::uint32_t word = 0; word < unit.size(); ++word) {
          const std::uint32_t value = words[unit.first + word];
          ASSERT_LE(value, unit.max[word % unit.words]);
          ASSERT_LT(unit.max[word % unit.words], 1ull << unit.bits[word % unit.words]);
        }
      }
    }
  });
}

TEST(RowCodec, ATransformIsAVectorAndARotation) {
  const RowCodec codec(demo_component("Transform"));
  ASSERT_EQ(codec.units().size(), 2u);
  EXPECT_EQ(codec.units()[0].kind, Unit::Kind::vector);
  EXPECT_EQ(codec.units()[0].words, 3);
  EXPECT_EQ(codec.units()[0].max[0], 512000u);
  EXPECT_EQ(codec.units()[1].kind, Unit::Kind::rotation);
  EXPECT_EQ(codec.units()[1].first, 3);
  const engine::Transform transform{.position = {.x = 0, .y = 512, .z = -511.99f}, .rotation = {.w = 1}};
  Words expected{256000, 512000, 5, 3, 2047, 2047, 2047};
  expected.resize(codec.words());  // at rest
  EXPECT_EQ(words_of(codec, bytes_of(transform)), expected);
}

TEST(RowCodec, CountersComeFirstAndTheOwnersLast) {
  const auto schema = mobula::test::load_schema(test::units_schema);
  const Component& component = *schema->find("Own");
  const RowCodec codec(component);
  std::vector<std::string> paths;
  for (const Unit& unit : codec.units()) paths.push_back(component.fields[unit.field].path);
  EXPECT_EQ(paths, (std::vector<std::string>{"seen", "last", "n", "place.x", "turn.l", "items"}));
  EXPECT_EQ(codec.public_words(), 2u);
  EXPECT_EQ(codec.words(), 2u + 1 + 3 + 4 + 5);
  EXPECT_EQ(codec.units()[5].counter, 2);
}

// The fields that others follow and the owner receives exactly are there twice.
TEST(RowCodec, APredictedCourseIsInTheRowTwice) {
  const auto schema = mobula::test::load_schema(test::piloted_schema);
  const Component& component = *schema->find("Piloted");
  const RowCodec codec(component);
  std::vector<std::string> paths[3];
  for (const Unit& unit : codec.units())
    paths[static_cast<std::size_t>(unit.receivers)].push_back(component.fields[unit.field].path);
  EXPECT_EQ(paths[0], (std::vector<std::string>{"seen", "depth", "mixed.y", "mixed.z", "turn"}));
  EXPECT_EQ(paths[1], (std::vector<std::string>{"position.x", "rotation", "mixed.x"}));
  EXPECT_EQ(paths[2], (std::vector<std::string>{"n", "own", "position.x", "rotation", "mixed.x", "items"}));
  EXPECT_EQ(codec.courses().size(), 5u);
  EXPECT_EQ(codec.common_words(), 1u + 1 + 1 + 1 + 4 + 3 + 3);
  EXPECT_EQ(codec.public_words(), codec.common_words() + 3 + 4 + 1 + 7 + 4 + 3);
  EXPECT_EQ(codec.words(), codec.public_words() + 1 + 1 + 3 + 4 + 1 + 5);
}

TEST(RowCodec, ThePilotHasTheExactValueAndOthersTheCourse) {
  const auto schema = mobula::test::load_schema(R"(struct C (component) {
    x:float (range:"0 100", step:"0.5", dead_reckoning:"2", predicted); own:float (owner_only); })");
  const RowCodec codec(*schema->find("C"));
  std::array<float, 2> value{10, 7};
  Words words = words_of(codec, bytes_of(value));
  const CourseUnit& course = codec.courses()[0];
  words[course.course] = 64;  // a metre per tick
  words[course.tick_word()] = 5;
  const auto seen = [&](bool owner) {
    std::array<float, 2> shown{-1, -1};
    EXPECT_TRUE(codec.to_component(words.data(), owner, 9, bytes_of(shown)));
    return shown;
  };
  EXPECT_EQ(seen(true), (std::array<float, 2>{10, 7}));
  EXPECT_EQ(seen(false), (std::array<float, 2>{14, -1}));
  value = {3, 4};
  const std::array<float, 2> defaults{1, 2};
  codec.reset_owner_only(bytes_of(defaults), bytes_of(value));
  EXPECT_EQ(value, (std::array<float, 2>{3, 2})) << "others see the course";
  // Words that a client does not receive are not read.
  words[course.first] = ~0u;
  EXPECT_EQ(seen(true), (std::array<float, 2>{10, 7}));
  value = {10.3f, 0.3f};
  codec.snap_predicted(bytes_of(value));
  EXPECT_EQ(value, (std::array<float, 2>{10.5f, 0.3f}));
}

TEST(RowCodec, PartsOfAVectorStandInOneStructAndAreFourAtMost) {
  const auto schema = mobula::test::load_schema(test::units_schema);
  const RowCodec codec(*schema->find("Edges"));
  std::vector<int> words;
  for (const Unit& unit : codec.units()) words.push_back(unit.words);
  EXPECT_EQ(words, (std::vector<int>{4, 1, 2, 1, 4, 4}));
}

TEST(RowCodec, TheDefaultsAreTheDefaultsWords) {
  for_each_component([](const Component& component, const RowCodec& codec) {
    const Words words = words_of(codec, component.default_value.data());
    ASSERT_TRUE(std::ranges::equal(codec.default_words(), words));
  });
}

TEST(RowCodec, UnitsOfAComponentHaveDifferentPaths) {
  const auto schema = mobula::test::load_schema(R"(
    struct Pair { x:float; y:float; }
    struct Six { a:float; b:float; c:float; d:float; e:float; f:float; }
    struct Vessel (component) {
      at:Pair (range:"0 1", step:"0.5");
      six:Six (range:"0 1", step:"0.5");
      bare:float (range:"0 1", step:"0.5");
      turn:mobula.engine.Quat (unit_quaternion, bits:"12", default:"0 0 0 1");
      count:int;
    })");
  const reflect::Component& component = *schema->find("Vessel");
  const RowCodec codec(component);
  std::vector<std::string> paths;
  for (const Unit& unit : codec.units()) paths.push_back(unit_path(component, unit));
  EXPECT_EQ(paths, (std::vector<std::string>{"at", "six", "six.e", "bare", "turn", "count"}));
}

TEST(RowCodec, AComponentThatIsNotSentHasNoWords) {
  for (const Component* component : {&kitchen_component("Hidden"), &demo_component("Wander")}) {
    const RowCodec codec(*component);
    EXPECT_EQ(codec.words(), 0u);
    EXPECT_TRUE(codec.units().empty());
  }
}

TEST(RowCodec, OnlyElementsThatCountTravelAndTheRestBecomeZero) {
  const RowCodec codec(kitchen_component("Nested"));
  kitchen::Nested value;
  value.several_count = 1;
  value.several[0].weight = 5;
  value.several[2].weight = 6;
  kitchen::Nested other;
  ASSERT_TRUE(codec.to_component(words_of(codec, bytes_of(value)).data(), true, test::tick, bytes_of(other)));
  EXPECT_EQ(other.several_count, 1);
  EXPECT_EQ(other.several[0].weight, 5);
  EXPECT_EQ(other.several[2].weight, 0);
  value.several_count = 999;
  ASSERT_TRUE(codec.to_component(words_of(codec, bytes_of(value)).data(), true, test::tick, bytes_of(other)));
  EXPECT_EQ(other.several_count, 3);
  EXPECT_EQ(other.several[2].weight, 6);
}

TEST(RowCodec, OwnerOnlyFieldsStayUntouchedForOthers) {
  const RowCodec codec(kitchen_component("Flags"));
  const kitchen::Flags server{.seen = 10, .own = 20, .secret = 30, .guessed = 40, .fresh = 50};
  const Words words = words_of(codec, bytes_of(server));
  EXPECT_EQ(words, (Words{10, 40, 50, 20}));
  kitchen::Flags client{.seen = -1, .own = -2, .secret = -3, .guessed = -4, .fresh = -5};
  ASSERT_TRUE(codec.to_component(words.data(), false, test::tick, bytes_of(client)));
  EXPECT_EQ(client, (kitchen::Flags{.seen = 10, .own = -2, .secret = -3, .guessed = 40, .fresh = 50}));
  ASSERT_TRUE(codec.to_component(words.data(), true, test::tick, bytes_of(client)));
  EXPECT_EQ(client.own, 20);
}

TEST(RowCodec, PredictedFieldsBecomeWhatAMirrorMakesOfThem) {
  const auto schema = mobula::test::load_schema(
      "struct C (component) { free:float (range:\"0 1\", bits:\"3\"); v:mobula.engine.Vec3 (range:\"0 1\", bits:\"5\", "
      "predicted); items:[float:3] (range:\"0 1\", bits:\"4\", count:\"n\", predicted); n:ubyte (predicted); }");
  const Component& component = *schema->find("C");
  const RowCodec codec(component);
  EXPECT_TRUE(codec.has_predicted());
  EXPECT_FALSE(RowCodec(kitchen_component("Plain")).has_predicted());
  core::Random random(5);
  for (int i = 0; i < 500; ++i) {
    const core::Bytes value = random_bytes(component, random);
    core::Bytes snapped = value;
    codec.snap_predicted(snapped.data());
    core::Bytes mirror = value;
    ASSERT_TRUE(codec.to_component(words_of(codec, value.data()).data(), true, test::tick, mirror.data()));
    std::memcpy(mirror.data(), value.data(), 4);  // fields that are not predicted stay
    ASSERT_EQ(snapped, mirror);
  }
}

}  // namespace
}  // namespace mobula::wire::row_codec_test
