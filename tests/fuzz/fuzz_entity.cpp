// Any bits as an entity's: what is read is no greater than may be, and if it is a value, comes back from its own bits.
// Input: which component, a seed of the states previous_baseline and baseline, who reads what, age and span; the bits.
#include <deque>
#include <fuzz/fuzz.hpp>
#include <wire/codec_world.hpp>

using namespace mobula;
using wire::test::Words;

namespace {

struct Prototype {
  std::deque<wire::RowCodec> codecs;
  wire::EntityLayout layout;
};

// The first has all components of the schema, each other has one.
const std::deque<Prototype>& prototypes() {
  static const std::deque<Prototype> all = [] {
    const auto schema = test::load_schema(wire::test::units_schema);
    std::deque<Prototype> made(1);
    for (const reflect::Component& component : schema->components()) {
      made[0].layout.add(made[0].codecs.emplace_back(component));
      Prototype& one = made.emplace_back();
      one.layout.add(one.codecs.emplace_back(component));
    }
    return made;
  }();
  return all;
}

bool is_value(const wire::EntityLayout& layout, bool owner, const Words& words) {
  core::Bytes component(reflect::Limits::component_bytes);
  return std::ranges::all_of(layout.rows, [&](const wire::EntityLayout::Row& row) {
    return row.codec->to_component(words.data() + row.first, owner, component.data());
  });
}

void read(const wire::EntityLayout& layout, bool owner, bool whole, const wire::Baselines& baselines,
          core::ByteView bits) {
  const wire::EntityCodec codec(layout, owner);
  Words words(layout.words);
  core::BitReader reader(bits);
  if (!(whole ? codec.read_full(reader, words.data()) : codec.read_delta(baselines, reader, words.data()))) return;
  if (!is_value(layout, owner, words)) return;
  const wire::test::Bits again = wire::test::written(layout.bits_max, [&](core::BitWriter& writer) {
    whole ? codec.write_full(words.data(), writer) : codec.write_delta(words.data(), baselines, writer);
  });
  Words second(layout.words);
  core::BitReader again_reader(again.bytes);
  fuzz::require(
      whole ? codec.read_full(again_reader, second.data()) : codec.read_delta(baselines, again_reader, second.data()),
      "what was read can be written and read");
  fuzz::require(second == words, "and is the same");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(fuzz::view(data, size));
  const wire::EntityLayout& layout = prototypes()[input.byte() % prototypes().size()].layout;
  core::Random random(input.byte());
  const unsigned who = input.byte();
  const wire::Interval time{.age = input.byte() % 20u, .span = input.byte() % 20u};
  Words previous_baseline = layout.defaults;
  wire::test::change(layout, random, 8, 0, previous_baseline);
  Words baseline = previous_baseline;
  wire::test::change(layout, random, who / 4 % 9, 7, baseline);
  const wire::Baselines baselines{baseline.data(), who >= 128 ? nullptr : previous_baseline.data(), time};
  read(layout, who % 2 != 0, who % 4 >= 2, baselines, input.bytes(size));
  return 0;
}
