// Arbitrary bytes as a schema: one that loads can be registered, and its components can be encoded.
#include <array>
#include <fuzz/fuzz.hpp>
#include <mobula/ecs/registry.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/wire/entity_codec.hpp>
#include <vector>
#include <wire/codec_world.hpp>

namespace fuzz_schema {

using namespace mobula;

namespace {

using Rows = std::array<std::vector<std::uint32_t>, 3>;

// Decodes the last row from its delta against the others.
void encode_delta(const wire::EntityLayout& layout, bool owner, const Rows& rows) {
  const wire::EntityCodec entities(layout, owner, 1);
  const wire::Baselines baselines{rows[1].data(), rows[0].data(), rows[2].data(), {.age = 1, .span = 1, .early = 2}};
  core::Bytes buffer(layout.bits_max / 8 + 1);
  core::BitWriter writer(buffer);
  entities.write_delta(rows[2].data(), baselines, writer);
  fuzz::require(writer.bits() <= layout.bits_max, "a delta takes at most bits_max");
  core::BitReader reader(buffer);
  std::vector<std::uint32_t> read(layout.words);
  fuzz::require(entities.read_delta(baselines, reader, read.data()), "a delta can be decoded");
  fuzz::require(reader.position() == writer.bits(), "to its last bit");
  fuzz::require(read == wire::test::as_received(layout, owner, rows[2], rows[1]),
                "to the words that a client receives");
}

// Encodes a row of three ticks with arbitrary memory. Each is quantised to a valid value.
void encode(const reflect::Component& component) {
  const wire::RowCodec codec(component);
  wire::EntityLayout layout;
  layout.add(codec);
  Rows rows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    constexpr std::array fills{std::byte{0}, std::byte{0x5a}, std::byte{0xff}};
    core::Bytes value(component.size, fills[i]);
    rows[i].resize(layout.words);
    codec.to_words(value.data(), rows[i].data());
    fuzz::require(codec.to_component(rows[i].data(), true, 1, value.data()), "words convert to a value");
    std::vector<std::uint32_t> again(layout.words);
    codec.to_words(value.data(), again.data());
    fuzz::require(again == rows[i], "with the same words");
  }
  for (const bool owner : {false, true}) encode_delta(layout, owner, rows);
}

int run_target(const std::uint8_t* data, std::size_t size) {
  const auto schema = reflect::Schema::load(fuzz::view(data, size));
  if (!schema) return 0;
  ecs::Registry registry;
  if (!reflect::register_components(registry, **schema)) return 0;
  for (const reflect::Component& component : (*schema)->components()) {
    fuzz::require((*schema)->find(component.name) == &component, "a component is found by its name");
    encode(component);
  }
  registry.check();
  return 0;
}

const mobula::fuzz::Target target("schema", run_target);

}  // namespace
}  // namespace fuzz_schema
