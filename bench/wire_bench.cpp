// What publishing and decoding one component costs.
#include <benchmark/benchmark.h>

#include <array>
#include <mobula/core/bit_stream.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/schema/components.hpp>
#include <mobula/wire/component_codec.hpp>

namespace {

using namespace mobula;

template <class T>
void encode(benchmark::State& state) {
  const auto schema = *reflect::Schema::load(demo::schema_bytes());
  const wire::ComponentCodec codec(*schema->find(T::component_name));
  const T value{};
  std::array<std::byte, 256> buffer{};
  for (auto _ : state) {
    core::BitWriter writer(buffer);
    codec.encode(reinterpret_cast<const std::byte*>(&value), writer);
    benchmark::DoNotOptimize(writer.bits());
    benchmark::ClobberMemory();
  }
}

template <class T>
void decode(benchmark::State& state) {
  const auto schema = *reflect::Schema::load(demo::schema_bytes());
  const wire::ComponentCodec codec(*schema->find(T::component_name));
  T value{};
  std::array<std::byte, 256> buffer{};
  core::BitWriter writer(buffer);
  codec.encode(reinterpret_cast<const std::byte*>(&value), writer);
  for (auto _ : state) {
    core::BitReader reader(buffer);
    benchmark::DoNotOptimize(codec.decode(reader, reinterpret_cast<std::byte*>(&value)));
    benchmark::ClobberMemory();
  }
}

BENCHMARK(encode<engine::Transform>)->Name("wire/encode/Transform");
BENCHMARK(encode<demo::RenderData>)->Name("wire/encode/RenderData");
BENCHMARK(decode<engine::Transform>)->Name("wire/decode/Transform");
BENCHMARK(decode<demo::RenderData>)->Name("wire/decode/RenderData");

}  // namespace
