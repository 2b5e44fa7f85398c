// Arbitrary bits as an encoded entity: the result is in bounds, and a valid value survives encoding and decoding.
//
//   input: u8 component, u8 seed of the baselines, u8 reader and kind (see run_target), u8 age,
//          u8 span + 20n: the early baseline is 1 + value / 32 ticks before the previous one, motion is steady if
//          value / 32 is odd
//          the bits
#include <deque>
#include <fuzz/fuzz.hpp>
#include <wire/codec_world.hpp>

namespace fuzz_entity {

using namespace mobula;
using wire::test::Words;

namespace {

struct Prototype {
  std::deque<wire::RowCodec> codecs;
  wire::EntityLayout layout;
};

// Prototypes: the first has all components of a schema, the others have a single component.
const std::deque<Prototype>& prototypes() {
  static const std::deque<Prototype> all = [] {
    const auto schema = test::load_schema(wire::test::units_schema);
    std::deque<Prototype> made(1);
    const auto add = [&](const reflect::Component& component) {
      Prototype& one = made.emplace_back();
      one.layout.add(one.codecs.emplace_back(component));
    };
    for (const reflect::Component& component : schema->components()) {
      made[0].layout.add(made[0].codecs.emplace_back(component));
      add(component);
    }
    add(test::load_schema(wire::test::piloted_schema)->components().front());
    return made;
  }();
  return all;
}

bool is_value(const wire::EntityLayout& layout, bool owner, const Words& words) {
  core::Bytes component(reflect::Limits::component_bytes);
  return std::ranges::all_of(layout.rows, [&](const wire::EntityLayout::Row& row) {
    return row.codec->to_component(words.data() + row.first, owner, wire::test::tick, component.data());
  });
}

void read(const wire::EntityLayout& layout, bool owner, bool full, const wire::Baselines& baselines,
          core::ByteView bits) {
  const wire::EntityCodec codec(layout, owner, wire::test::tick);
  Words words(layout.words);
  core::BitReader reader(bits);
  if (!(full ? codec.read_full(reader, words.data()) : codec.read_delta(baselines, reader, words.data()))) return;
  if (!is_value(layout, owner, words)) return;
  const wire::test::Bits again = wire::test::written(layout.bits_max, [&](core::BitWriter& writer) {
    full ? codec.write_full(words.data(), writer) : codec.write_delta(words.data(), baselines, writer);
  });
  Words second(layout.words);
  core::BitReader again_reader(again.bytes);
  fuzz::require(
      full ? codec.read_full(again_reader, second.data()) : codec.read_delta(baselines, again_reader, second.data()),
      "a decoded state can be encoded and decoded");
  fuzz::require(second == words, "and stays the same");
}

// Makes the motion of all units steady: each stands but for one step, which counts as rounding.
void stand_still(const wire::EntityLayout& layout, const Words& early, Words& previous, Words& baseline) {
  previous = baseline = early;
  for (const wire::EntityLayout::Row& row : layout.rows) {
    for (const wire::Unit& unit : row.codec->units()) {
      if (!unit.can_extrapolate()) continue;
      std::uint32_t& word = previous[row.first + unit.first + unit.words - 1];
      word += word > 0 ? ~0u : 1u;
    }
  }
}

int run_target(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(fuzz::view(data, size));
  const wire::EntityLayout& layout = prototypes()[input.byte() % prototypes().size()].layout;
  core::Random random(input.byte());
  const unsigned kind = input.byte();
  const std::uint32_t age = input.byte() % 20u;
  const std::uint32_t spans = input.byte();
  const wire::Interval time{.age = age, .span = spans % 20, .early = spans % 20 + 1 + spans / 32};
  Words early_baseline = layout.defaults;
  wire::test::change(layout, random, 8, 0, early_baseline);
  Words previous_baseline = early_baseline;
  wire::test::change(layout, random, kind / 4 % 9, 7, previous_baseline);
  Words baseline = previous_baseline;
  wire::test::change(layout, random, kind / 4 % 9, 7, baseline);
  if (spans / 32 % 2 != 0) stand_still(layout, early_baseline, previous_baseline, baseline);
  const wire::Baselines baselines{.baseline = baseline.data(),
                                  .previous_baseline = kind >= 128 ? nullptr : previous_baseline.data(),
                                  .early_baseline = kind >= 64 ? nullptr : early_baseline.data(),
                                  .time = time};
  read(layout, kind % 2 != 0, kind % 4 >= 2, baselines, input.bytes(size));
  return 0;
}

const mobula::fuzz::Target target("entity", run_target);

}  // namespace
}  // namespace fuzz_entity
