#include <gtest/gtest.h>

#include <deque>
#include <mobula/core/content_hash.hpp>
#include <numeric>
#include <reflect/random_schema.hpp>
#include <wire/codec_world.hpp>

namespace mobula::wire {
namespace {

using test::Bits;
using test::Words;

// Components of a prototype, all of one schema.
class Prototype {
 public:
  Prototype(std::shared_ptr<const reflect::Schema> schema, std::initializer_list<std::string_view> names)
      : schema_(std::move(schema)) {
    for (const std::string_view name : names) layout.add(codecs_.emplace_back(*schema_->find(name)));
  }
  explicit Prototype(std::shared_ptr<const reflect::Schema> schema) : schema_(std::move(schema)) {
    for (const reflect::Component& component : schema_->components()) layout.add(codecs_.emplace_back(component));
  }

  EntityLayout layout;

 private:
  std::shared_ptr<const reflect::Schema> schema_;
  std::deque<RowCodec> codecs_;
};

std::deque<Prototype>& prototypes() {
  static std::deque<Prototype> all = [] {
    std::deque<Prototype> made;
    const auto units = mobula::test::load_schema(test::units_schema);
    made.emplace_back(units);
    made.emplace_back(units, std::initializer_list<std::string_view>{"Moving"});
    made.emplace_back(units, std::initializer_list<std::string_view>{"Edges"});
    made.emplace_back(units, std::initializer_list<std::string_view>{"Rest"});
    made.emplace_back(units, std::initializer_list<std::string_view>{"Own", "Moving"});
    made.emplace_back(units, std::initializer_list<std::string_view>{"Lone"});
    made.emplace_back(units, std::initializer_list<std::string_view>{"Lines"});
    made.emplace_back(units, std::initializer_list<std::string_view>{"Sailing"});
    made.emplace_back(units, std::initializer_list<std::string_view>{"Moving", "Sailing", "Own"});
    made.emplace_back(units, std::initializer_list<std::string_view>{});
    made.emplace_back(mobula::test::load_schema(test::piloted_schema));
    made.emplace_back(*reflect::Schema::load(kitchen::schema_bytes()));
    made.emplace_back(*reflect::Schema::load(demo::schema_bytes()));
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      core::Random random(seed);
      made.emplace_back(mobula::test::load_schema(mobula::test::random_schema(random)));
    }
    return made;
  }();
  return all;
}

// States of one entity, and the ticks between them.
struct States {
  Words early_baseline;
  Words previous_baseline;
  Words baseline;
  Words now;
  bool has_previous = true;
  bool has_early = true;
  Interval time;

  [[nodiscard]] Baselines baselines() const {
    return {.baseline = baseline.data(),
            .previous_baseline = has_previous ? previous_baseline.data() : nullptr,
            .early_baseline = has_previous && has_early ? early_baseline.data() : nullptr,
            .time = time};
  }
};

// Separate statements, because compilers differ in the order of a call's arguments.
void change_some(const EntityLayout& layout, core::Random& random, Words& words) {
  const std::uint32_t chance_near = random.below(9);
  const std::uint32_t chance = random.below(9);
  test::change(layout, random, chance, chance_near, words);
}

// Moves the values of extrapolated units on by their distance between two states, in half of the cases.
void move_on(const EntityLayout& layout, core::Random& random, const Words& from, const Words& to, Words& words) {
  words = to;
  for (const EntityLayout::Row& row : layout.rows) {
    for (const Unit& unit : row.codec->units()) {
      if (!unit.can_extrapolate() || random.chance(1, 2)) continue;
      const bool turns = unit.kind == Unit::Kind::rotation;
      for (std::uint32_t i = turns ? 1 : 0; i < unit.words; ++i) {
        const std::uint32_t at = row.first + unit.first + i;
        const std::int64_t there = 2 * static_cast<std::int64_t>(to[at]) - from[at] + random.below(3) - 1;
        if (there >= 0 && there <= unit.max[i]) words[at] = static_cast<std::uint32_t>(there);
      }
    }
  }
}

States random_states(const EntityLayout& layout, core::Random& random) {
  States states{.early_baseline = layout.defaults, .previous_baseline = {}, .baseline = {}, .now = {}, .time = {}};
  states.has_previous = random.chance(7, 8);
  states.has_early = random.chance(1, 2);
  test::change(layout, random, 8, 0, states.early_baseline);
  states.previous_baseline = states.early_baseline;
  change_some(layout, random, states.previous_baseline);
  states.baseline = states.previous_baseline;
  change_some(layout, random, states.baseline);
  if (random.chance(1, 2)) move_on(layout, random, states.early_baseline, states.previous_baseline, states.baseline);
  states.now = states.baseline;
  change_some(layout, random, states.now);
  states.time = {.age = random.below(20), .span = random.below(20), .early = 0};
  if (random.chance(1, 2)) states.time = {.age = 1 + random.below(3), .span = 1 + random.below(3), .early = 0};
  states.time.early = states.time.span + (random.chance(1, 2) ? states.time.span : 1 + random.below(5));
  return states;
}

Bits change_of(const EntityLayout& layout, bool owner, const States& states) {
  return test::written(layout.bits_max, [&](core::BitWriter& writer) {
    EntityCodec(layout, owner, test::tick).write_delta(states.now.data(), states.baselines(), writer);
  });
}
Bits whole_of(const EntityLayout& layout, bool owner, const Words& words) {
  return test::written(layout.bits_max, [&](core::BitWriter& writer) {
    EntityCodec(layout, owner, test::tick).write_full(words.data(), writer);
  });
}

void expect_delta_read_back(const EntityLayout& layout, bool owner, const States& states) {
  const Bits bits = change_of(layout, owner, states);
  ASSERT_LE(bits.bits, layout.bits_max);
  Words read(layout.words, 0xdeadbeef);
  core::BitReader reader(bits.bytes);
  ASSERT_TRUE(EntityCodec(layout, owner, test::tick).read_delta(states.baselines(), reader, read.data()));
  ASSERT_EQ(reader.position(), bits.bits);
  ASSERT_EQ(read, test::as_received(layout, owner, states.now, states.baseline));
}

void expect_full_state_read_back(const EntityLayout& layout, bool owner, const Words& words) {
  const Bits bits = whole_of(layout, owner, words);
  ASSERT_LE(bits.bits, layout.bits_max);
  Words read(layout.words, 0xdeadbeef);
  core::BitReader reader(bits.bytes);
  ASSERT_TRUE(EntityCodec(layout, owner, test::tick).read_full(reader, read.data()));
  ASSERT_EQ(reader.position(), bits.bits);
  ASSERT_EQ(read, test::as_received(layout, owner, words, layout.defaults));
}

TEST(EntityCodec, EveryDeltaIsReadAsWritten) {
  std::size_t which = 0;
  for (const Prototype& prototype : prototypes()) {
    for (std::uint64_t seed = 0; seed < 8000; ++seed) {
      SCOPED_TRACE("prototype " + std::to_string(which) + ", seed " + std::to_string(seed));
      core::Random random(seed);
      expect_delta_read_back(prototype.layout, random.chance(1, 2), random_states(prototype.layout, random));
      if (HasFatalFailure()) return;
    }
    ++which;
  }
}

TEST(EntityCodec, EveryFullStateIsReadAsWritten) {
  for (const Prototype& prototype : prototypes()) {
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
      SCOPED_TRACE(seed);
      core::Random random(seed);
      Words words = prototype.layout.defaults;
      test::change(prototype.layout, random, random.below(9), random.below(9), words);
      expect_full_state_read_back(prototype.layout, random.chance(1, 2), words);
      if (HasFatalFailure()) return;
    }
  }
}

// Measuring writes the same bits, and attributes each to a component. Unchanged components cost at most the bit that
// marks them.
TEST(EntityCodec, MeasuredBitsAreThoseThatAreWritten) {
  for (const Prototype& prototype : prototypes()) {
    const EntityLayout& layout = prototype.layout;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      SCOPED_TRACE(seed);
      core::Random random(seed);
      const States states = random_states(layout, random);
      const bool owner = random.chance(1, 2);
      std::vector<std::uint32_t> rows(layout.rows.size());
      const Bits change = test::written(layout.bits_max, [&](core::BitWriter& writer) {
        EntityCodec(layout, owner, test::tick).measure_delta(states.now.data(), states.baselines(), writer, rows);
      });
      ASSERT_EQ(change, change_of(layout, owner, states));
      ASSERT_EQ(std::accumulate(rows.begin(), rows.end(), std::size_t{0}), change.bits);
      for (std::size_t row = 0; row < rows.size() && !states.has_previous; ++row) {
        const auto first = static_cast<std::ptrdiff_t>(layout.rows[row].first);
        const auto words = static_cast<std::ptrdiff_t>(layout.rows[row].codec->words());
        if (std::equal(states.now.begin() + first, states.now.begin() + first + words,
                       states.baseline.begin() + first)) {
          ASSERT_LE(rows[row], 1u);
        }
      }
      rows.assign(rows.size(), 0);
      const Bits whole = test::written(layout.bits_max, [&](core::BitWriter& writer) {
        EntityCodec(layout, owner, test::tick).measure_full(states.now.data(), writer, rows);
      });
      ASSERT_EQ(whole, whole_of(layout, owner, states.now));
      ASSERT_EQ(std::accumulate(rows.begin(), rows.end(), std::size_t{0}), whole.bits);
    }
  }
}

// The worst case for all units at once: each value is as far from its prediction as can be.
TEST(EntityCodec, NoEncodingIsLongerThanItsBound) {
  const auto fill = [](const EntityLayout& layout, bool full, Words& words) {
    for (const EntityLayout::Row& row : layout.rows) {
      for (const Unit& unit : row.codec->units()) {
        for (std::uint32_t i = 0; i < unit.elements; ++i) {
          std::uint32_t* const at = words.data() + row.first + unit.first + i * unit.words;
          std::fill_n(at, unit.words, 0u);
          if (!full) continue;
          if (unit.kind == Unit::Kind::entity) std::fill_n(at, 2, 0xffffffff);
          for (std::uint32_t word = 0; word < std::min<std::uint32_t>(unit.words, 4); ++word)
            if (unit.kind != Unit::Kind::entity && unit.kind != Unit::Kind::text) at[word] = unit.max[word];
          if (unit.kind == Unit::Kind::text) {
            at[0] = unit.max[0];
            for (std::uint32_t byte = 0; byte < at[0]; ++byte) at[1 + byte / 4] |= 0xffu << (byte % 4 * 8);
          }
        }
      }
    }
  };
  for (const Prototype& prototype : prototypes()) {
    const EntityLayout& layout = prototype.layout;
    Words empty(layout.words);
    Words full(layout.words);
    fill(layout, false, empty);
    fill(layout, true, full);
    for (const auto& [previous_baseline, baseline, now] :
         {std::tuple(empty, full, empty), std::tuple(full, empty, full), std::tuple(full, full, empty),
          std::tuple(empty, empty, full)}) {
      for (const std::uint32_t age : {1u, 7u, 16u, 17u}) {
        for (const std::uint32_t span : {1u, 5u}) {
          for (const std::uint32_t early : {span + 1, 2 * span}) {
            const States states{.early_baseline = previous_baseline,
                                .previous_baseline = previous_baseline,
                                .baseline = baseline,
                                .now = now,
                                .time = {.age = age, .span = span, .early = early}};
            for (const bool owner : {true, false}) expect_delta_read_back(layout, owner, states);
            if (HasFatalFailure()) return;
          }
        }
      }
      for (const bool owner : {true, false}) expect_full_state_read_back(layout, owner, now);
    }
  }
}

// Random bits: the reader stays within its words and returns none above its maximum. RowCodec accepts or refuses them.
TEST(EntityCodec, AnyBitsAreReadSafely) {
  int accepted = 0;
  int refused = 0;
  for (const Prototype& prototype : prototypes()) {
    const EntityLayout& layout = prototype.layout;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
      core::Random random(seed);
      const States states = random_states(layout, random);
      const bool owner = random.chance(1, 2);
      const bool whole = random.chance(1, 4);
      Bits bits = whole ? whole_of(layout, owner, states.now) : change_of(layout, owner, states);
      // A few flips of valid bits reach deeper than noise.
      if (random.chance(1, 4)) {
        bits.bytes.resize(random.below(60));
        for (std::byte& byte : bits.bytes) byte = static_cast<std::byte>(random.below(256));
      }
      for (std::uint32_t flips = random.below(4); flips > 0 && !bits.bytes.empty(); --flips)
        bits.bytes[random.below(static_cast<std::uint32_t>(bits.bytes.size()))] ^= std::byte{1} << random.below(8);
      core::BitReader reader(bits.bytes);
      Words read(layout.words);
      const EntityCodec codec(layout, owner, test::tick);
      const bool good =
          whole ? codec.read_full(reader, read.data()) : codec.read_delta(states.baselines(), reader, read.data());
      ASSERT_EQ(good, reader.ok());
      ++(good ? accepted : refused);
      if (!good) continue;
      core::Bytes component(reflect::Limits::component_bytes);
      for (const EntityLayout::Row& row : layout.rows) {
        row.codec->to_component(read.data() + row.first, owner, test::tick, component.data());
        for (const Unit& unit : row.codec->units())
          for (std::uint32_t word = 0; unit.kind < Unit::Kind::text && word < unit.size(); ++word)
            ASSERT_LE(read[row.first + unit.first + word], unit.max[word % unit.words]);
      }
    }
  }
  EXPECT_GT(accepted, 5000);
  EXPECT_GT(refused, 5000);
}

TEST(EntityCodec, AStringThatIsCutOffIsRefused) {
  for (const Prototype& prototype : prototypes()) {
    const EntityLayout& layout = prototype.layout;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      core::Random random(seed);
      const States states = random_states(layout, random);
      const Bits bits = change_of(layout, true, states);
      for (std::size_t bytes = 0; bytes < bits.bytes.size(); ++bytes) {
        core::BitReader reader(core::ByteView(bits.bytes).first(bytes));
        Words read(layout.words);
        ASSERT_FALSE(EntityCodec(layout, true, test::tick).read_delta(states.baselines(), reader, read.data()));
        ASSERT_FALSE(reader.ok());
      }
    }
  }
}

TEST(EntityCodec, BitsDoNotDependOnWhatTheClientDoesNotReceive) {
  for (const Prototype& prototype : prototypes()) {
    const EntityLayout& layout = prototype.layout;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      core::Random random(seed);
      const States states = random_states(layout, random);
      Words noise = layout.defaults;
      test::change(layout, random, 8, 0, noise);
      for (const bool owner : {false, true}) {
        States other = states;
        for (Words* words : {&other.early_baseline, &other.previous_baseline, &other.baseline, &other.now})
          *words = test::as_received(layout, owner, *words, noise);
        ASSERT_EQ(change_of(layout, owner, other), change_of(layout, owner, states));
      }
    }
  }
}

// Beyond the limits, or without a span, the previous baseline is ignored.
TEST(EntityCodec, OldBaselinesPredictNothing) {
  const EntityLayout& layout = prototypes().front().layout;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    core::Random random(seed);
    States states = random_states(layout, random);
    for (const Interval time : {Interval{17, 1, 2}, Interval{5, 17, 18}, Interval{5, 0, 0}, Interval{~0u, ~0u, ~0u}}) {
      states.time = time;
      states.has_previous = true;
      const Bits with = change_of(layout, true, states);
      states.has_previous = false;
      ASSERT_EQ(change_of(layout, true, states), with);
    }
  }
}

TEST(EntityCodec, SteadyMotionTakesAFewBits) {
  const auto schema = mobula::test::load_game_schema_without_courses();
  const Prototype prototype(schema, {"Health", "Transform"});
  States states{.early_baseline = {},
                .previous_baseline = prototype.layout.defaults,
                .baseline = prototype.layout.defaults,
                .now = prototype.layout.defaults,
                .has_early = false,
                .time = {.age = 3, .span = 3}};
  const std::uint32_t x = prototype.layout.rows[1].first;
  states.baseline[x] += 30;
  states.now[x] += 60;
  EXPECT_LE(change_of(prototype.layout, false, states).bits, 10u);
  states.now = states.baseline;
  EXPECT_LE(change_of(prototype.layout, false, states).bits, 8u) << "it stopped";
  states.baseline = states.now = states.previous_baseline;
  EXPECT_EQ(change_of(prototype.layout, false, states).bits, 2u) << "a bit for each component";
}

// The format must not change unnoticed.
TEST(EntityCodec, IsTheseBytes) {
  core::Bytes all;
  for (std::size_t which = 0; which < 10; ++which) {  // components of the schema in codec_world.hpp
    const EntityLayout& layout = prototypes()[which].layout;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      core::Random random(seed);
      const States states = random_states(layout, random);
      for (const Bits& bits :
           {change_of(layout, true, states), change_of(layout, false, states), whole_of(layout, true, states.now)})
        all.insert(all.end(), bits.bytes.begin(), bits.bytes.end());
    }
  }
  EXPECT_EQ(core::to_string(core::content_hash(all)),
            "319a0b657d11ddab9455b2249c85d1bd1295f24afa195453d60a42595ee0d790");
}

}  // namespace
}  // namespace mobula::wire
