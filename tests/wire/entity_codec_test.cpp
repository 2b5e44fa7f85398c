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

// Three states of one entity, and the ticks between them.
struct Triple {
  Words previous_baseline;
  Words baseline;
  Words now;
  bool has_b2 = true;
  Interval time;

  [[nodiscard]] Baselines baselines() const {
    return {baseline.data(), has_b2 ? previous_baseline.data() : nullptr, time};
  }
};

// Separate statements, because compilers differ in the order of a call's arguments.
void change_some(const EntityLayout& layout, core::Random& random, Words& words) {
  const std::uint32_t chance_near = random.below(9);
  const std::uint32_t chance = random.below(9);
  test::change(layout, random, chance, chance_near, words);
}

Triple random_triple(const EntityLayout& layout, core::Random& random) {
  Triple triple{
      .previous_baseline = layout.defaults, .baseline = {}, .now = {}, .has_b2 = random.chance(7, 8), .time = {}};
  test::change(layout, random, 8, 0, triple.previous_baseline);
  triple.baseline = triple.previous_baseline;
  change_some(layout, random, triple.baseline);
  triple.now = triple.baseline;
  change_some(layout, random, triple.now);
  triple.time = {.age = random.below(20), .span = random.below(20)};
  if (random.chance(1, 2)) triple.time = {.age = 1 + random.below(3), .span = 1 + random.below(3)};
  return triple;
}

Bits change_of(const EntityLayout& layout, bool owner, const Triple& triple) {
  return test::written(layout.bits_max, [&](core::BitWriter& writer) {
    EntityCodec(layout, owner, test::tick).write_delta(triple.now.data(), triple.baselines(), writer);
  });
}
Bits whole_of(const EntityLayout& layout, bool owner, const Words& words) {
  return test::written(layout.bits_max, [&](core::BitWriter& writer) {
    EntityCodec(layout, owner, test::tick).write_full(words.data(), writer);
  });
}

void change_comes_back(const EntityLayout& layout, bool owner, const Triple& triple) {
  const Bits bits = change_of(layout, owner, triple);
  ASSERT_LE(bits.bits, layout.bits_max);
  Words read(layout.words, 0xdeadbeef);
  core::BitReader reader(bits.bytes);
  ASSERT_TRUE(EntityCodec(layout, owner, test::tick).read_delta(triple.baselines(), reader, read.data()));
  ASSERT_EQ(reader.position(), bits.bits);
  ASSERT_EQ(read, owner ? triple.now : test::as_others_see(layout, triple.now, triple.baseline));
}

void whole_comes_back(const EntityLayout& layout, bool owner, const Words& words) {
  const Bits bits = whole_of(layout, owner, words);
  ASSERT_LE(bits.bits, layout.bits_max);
  Words read(layout.words, 0xdeadbeef);
  core::BitReader reader(bits.bytes);
  ASSERT_TRUE(EntityCodec(layout, owner, test::tick).read_full(reader, read.data()));
  ASSERT_EQ(reader.position(), bits.bits);
  ASSERT_EQ(read, owner ? words : test::as_others_see(layout, words, layout.defaults));
}

TEST(EntityCodec, EveryChangeComesBack) {
  std::size_t which = 0;
  for (const Prototype& prototype : prototypes()) {
    for (std::uint64_t seed = 0; seed < 8000; ++seed) {
      SCOPED_TRACE("prototype " + std::to_string(which) + ", seed " + std::to_string(seed));
      core::Random random(seed);
      change_comes_back(prototype.layout, random.chance(1, 2), random_triple(prototype.layout, random));
      if (HasFatalFailure()) return;
    }
    ++which;
  }
}

TEST(EntityCodec, EveryWholeEntityComesBack) {
  for (const Prototype& prototype : prototypes()) {
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
      SCOPED_TRACE(seed);
      core::Random random(seed);
      Words words = prototype.layout.defaults;
      test::change(prototype.layout, random, random.below(9), random.below(9), words);
      whole_comes_back(prototype.layout, random.chance(1, 2), words);
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
      const Triple triple = random_triple(layout, random);
      const bool owner = random.chance(1, 2);
      std::vector<std::uint32_t> rows(layout.rows.size());
      const Bits change = test::written(layout.bits_max, [&](core::BitWriter& writer) {
        EntityCodec(layout, owner, test::tick).measure_delta(triple.now.data(), triple.baselines(), writer, rows);
      });
      ASSERT_EQ(change, change_of(layout, owner, triple));
      ASSERT_EQ(std::accumulate(rows.begin(), rows.end(), std::size_t{0}), change.bits);
      for (std::size_t row = 0; row < rows.size() && !triple.has_b2; ++row) {
        const auto first = static_cast<std::ptrdiff_t>(layout.rows[row].first);
        const auto words = static_cast<std::ptrdiff_t>(layout.rows[row].codec->words());
        if (std::equal(triple.now.begin() + first, triple.now.begin() + first + words,
                       triple.baseline.begin() + first)) {
          ASSERT_LE(rows[row], 1u);
        }
      }
      rows.assign(rows.size(), 0);
      const Bits whole = test::written(layout.bits_max, [&](core::BitWriter& writer) {
        EntityCodec(layout, owner, test::tick).measure_full(triple.now.data(), writer, rows);
      });
      ASSERT_EQ(whole, whole_of(layout, owner, triple.now));
      ASSERT_EQ(std::accumulate(rows.begin(), rows.end(), std::size_t{0}), whole.bits);
    }
  }
}

// The worst case for all units at once: each value is as far from its prediction as can be.
TEST(EntityCodec, NoStringIsLongerThanIsSaid) {
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
          change_comes_back(layout, true, {previous_baseline, baseline, now, true, {.age = age, .span = span}});
          if (HasFatalFailure()) return;
        }
      }
      whole_comes_back(layout, true, now);
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
      const Triple triple = random_triple(layout, random);
      const bool owner = random.chance(1, 2);
      const bool whole = random.chance(1, 4);
      Bits bits = whole ? whole_of(layout, owner, triple.now) : change_of(layout, owner, triple);
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
          whole ? codec.read_full(reader, read.data()) : codec.read_delta(triple.baselines(), reader, read.data());
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
      const Triple triple = random_triple(layout, random);
      const Bits bits = change_of(layout, true, triple);
      for (std::size_t bytes = 0; bytes < bits.bytes.size(); ++bytes) {
        core::BitReader reader(core::ByteView(bits.bytes).first(bytes));
        Words read(layout.words);
        ASSERT_FALSE(EntityCodec(layout, true, test::tick).read_delta(triple.baselines(), reader, read.data()));
        ASSERT_FALSE(reader.ok());
      }
    }
  }
}

TEST(EntityCodec, OthersBitsDoNotDependOnWhatIsTheOwners) {
  for (const Prototype& prototype : prototypes()) {
    const EntityLayout& layout = prototype.layout;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      core::Random random(seed);
      const Triple triple = random_triple(layout, random);
      Triple other = triple;
      Words noise = layout.defaults;
      test::change(layout, random, 8, 0, noise);
      for (Words* words : {&other.previous_baseline, &other.baseline, &other.now})
        *words = test::as_others_see(layout, *words, noise);
      ASSERT_EQ(change_of(layout, false, other), change_of(layout, false, triple));
    }
  }
}

// Beyond the limits, or without a span, the previous baseline is ignored.
TEST(EntityCodec, OldBaselinesPredictNothing) {
  const EntityLayout& layout = prototypes().front().layout;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    core::Random random(seed);
    Triple triple = random_triple(layout, random);
    for (const Interval time : {Interval{17, 1}, Interval{5, 17}, Interval{5, 0}, Interval{~0u, ~0u}}) {
      triple.time = time;
      triple.has_b2 = true;
      const Bits with = change_of(layout, true, triple);
      triple.has_b2 = false;
      ASSERT_EQ(change_of(layout, true, triple), with);
    }
  }
}

TEST(EntityCodec, SteadyMotionTakesAFewBits) {
  const auto schema = mobula::test::load_game_schema_without_courses();
  const Prototype prototype(schema, {"Health", "Transform"});
  Triple triple{
      .previous_baseline = prototype.layout.defaults, .baseline = {}, .now = {}, .time = {.age = 3, .span = 3}};
  triple.baseline = triple.now = triple.previous_baseline;
  const std::uint32_t x = prototype.layout.rows[1].first;
  triple.baseline[x] += 30;
  triple.now[x] += 60;
  EXPECT_LE(change_of(prototype.layout, false, triple).bits, 10u);
  triple.now = triple.baseline;
  EXPECT_LE(change_of(prototype.layout, false, triple).bits, 8u) << "it stopped";
  triple.baseline = triple.now = triple.previous_baseline;
  EXPECT_EQ(change_of(prototype.layout, false, triple).bits, 2u) << "a bit for each component";
}

// The format must not change unnoticed.
TEST(EntityCodec, IsTheseBytes) {
  core::Bytes all;
  for (std::size_t which = 0; which < 10; ++which) {  // components of the schema in codec_world.hpp
    const EntityLayout& layout = prototypes()[which].layout;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      core::Random random(seed);
      const Triple triple = random_triple(layout, random);
      for (const Bits& bits :
           {change_of(layout, true, triple), change_of(layout, false, triple), whole_of(layout, true, triple.now)})
        all.insert(all.end(), bits.bytes.begin(), bits.bytes.end());
    }
  }
  EXPECT_EQ(core::to_string(core::content_hash(all)),
            "aafb60aec62051f6acfd2bf8ad9af5bc21a623ddce85649517b7518e94dbc791");
}

}  // namespace
}  // namespace mobula::wire
