// Cost of publishing, writing and reading one moving entity.
#include <benchmark/benchmark.h>

#include <array>
#include <cmath>
#include <mobula/core/bit_stream.hpp>
#include <mobula/core/random.hpp>
#include <mobula/schema/components.hpp>
#include <mobula/wire/entity_codec.hpp>
#include <vector>

namespace {

using namespace mobula;
using engine::Transform;

const wire::RowCodec& codec() {
  static const auto schema = *reflect::Schema::load(demo::schema_bytes());
  static const wire::RowCodec codec(*schema->find(Transform::component_name));
  return codec;
}

// Entities that move and turn at random, at three ticks: previous_baseline, baseline and now.
class Walkers {
 public:
  static constexpr std::size_t count = 256;
  static constexpr std::array<float, 3> ticks{0, 3, 6};

  Walkers() {
    layout.add(codec());
    core::Random random(7);
    for (std::size_t i = 0; i < count; ++i) {
      const float x = random.uniform(-500, 500);
      const float speed = random.uniform(-0.5f, 0.5f);
      const float turn = random.uniform(-0.2f, 0.2f);
      for (std::size_t tick = 0; tick < ticks.size(); ++tick) {
        const float at = ticks[tick];
        const float jolt = random.uniform(-0.1f, 0.1f);
        Transform& value = values[tick][i];
        value.position = {x + speed * at + jolt, x / 2 - speed * at, 0};
        value.rotation = {0, std::sin(turn * at / 2), 0, std::cos(turn * at / 2)};
        codec().to_words(reinterpret_cast<const std::byte*>(&value), words_of(tick, i));
      }
    }
  }

  std::uint32_t* words_of(std::size_t tick, std::size_t i) {
    words[tick].resize(count * layout.words);
    return words[tick].data() + i * layout.words;
  }
  wire::Baselines baselines(std::size_t i) {
    return {.baseline = words_of(1, i), .previous_baseline = words_of(0, i), .time = {.age = 3, .span = 3}};
  }

  std::array<std::array<Transform, count>, ticks.size()> values;
  std::array<std::vector<std::uint32_t>, ticks.size()> words;
  wire::EntityLayout layout;
};

void to_words(benchmark::State& state) {
  Walkers walkers;
  std::vector<std::uint32_t> words(codec().words());
  std::size_t i = 0;
  for (auto _ : state) {
    codec().to_words(reinterpret_cast<const std::byte*>(&walkers.values[2][i++ % Walkers::count]), words.data());
    benchmark::ClobberMemory();
  }
}

void write_delta(benchmark::State& state) {
  Walkers walkers;
  const wire::EntityCodec entities(walkers.layout, false, 100);
  std::array<std::byte, 64> buffer{};
  std::size_t i = 0;
  std::size_t bits = 0;
  for (auto _ : state) {
    const std::size_t which = i++ % Walkers::count;
    core::BitWriter writer(buffer);
    entities.write_delta(walkers.words_of(2, which), walkers.baselines(which), writer);
    bits += writer.bits();
  }
  state.counters["bits"] = static_cast<double>(bits) / static_cast<double>(i);
}

void read_delta(benchmark::State& state) {
  Walkers walkers;
  const wire::EntityCodec entities(walkers.layout, false, 100);
  std::vector<std::array<std::byte, 64>> strings(Walkers::count);
  for (std::size_t i = 0; i < Walkers::count; ++i) {
    core::BitWriter writer(strings[i]);
    entities.write_delta(walkers.words_of(2, i), walkers.baselines(i), writer);
  }
  std::vector<std::uint32_t> words(walkers.layout.words);
  std::size_t i = 0;
  for (auto _ : state) {
    const std::size_t which = i++ % Walkers::count;
    core::BitReader reader(strings[which]);
    benchmark::DoNotOptimize(entities.read_delta(walkers.baselines(which), reader, words.data()));
    benchmark::ClobberMemory();
  }
}

BENCHMARK(to_words)->Name("wire/to_words/Transform");
BENCHMARK(write_delta)->Name("wire/write_change/moving_Transform");
BENCHMARK(read_delta)->Name("wire/read_change/moving_Transform");

}  // namespace
