// Any bytes as a schema. One that loads can be registered, and its components can be sent.
#include <fuzz/fuzz.hpp>
#include <mobula/core/bit_stream.hpp>
#include <mobula/ecs/registry.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/wire/component_codec.hpp>

using namespace mobula;

namespace {

void send(const reflect::Component& component) {
  const wire::ComponentCodec codec(component);
  for (const std::byte fill : {std::byte{0}, std::byte{0x5a}, std::byte{0xff}}) {
    core::Bytes value = component.default_value;
    if (fill != std::byte{0}) std::fill(value.begin(), value.end(), fill);
    core::Bytes buffer((codec.max_bits() + 7) / 8);
    core::BitWriter writer(buffer);
    codec.encode(value.data(), writer);
    fuzz::require(writer.ok(), "no value takes more than max_bits");
    core::Bytes decoded = value;
    core::BitReader reader(buffer);
    fuzz::require(codec.decode(reader, decoded.data()), "what was encoded can be decoded");
    fuzz::require(reader.position() == writer.bits(), "and just so many bits");
    codec.snap(value.data());
    fuzz::require(value == decoded, "snap makes what decode makes");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto schema = reflect::Schema::load(fuzz::view(data, size));
  if (!schema) return 0;
  ecs::Registry registry;
  if (!reflect::register_components(registry, **schema)) return 0;
  for (const reflect::Component& component : (*schema)->components()) {
    fuzz::require((*schema)->find(component.name) == &component, "a component is found by its name");
    send(component);
  }
  registry.check();
  return 0;
}
