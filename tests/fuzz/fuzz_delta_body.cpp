// Parts of bodies of deltas, in any order, and deltas that refer to them: a refused one changes nothing, an applied one
// leaves the mirror consistent.
//   0 u16 length, bytes             a part that begins the next body and has all of it
//   1 u16 size, u16 length, bytes   a part that begins the next body, of that size
//   2 u16 length, bytes             a part that continues the last body
//   3 u16 number, u16 offset, u16 size, u16 length, bytes   any part
//   4 byte                          a delta that refers to a recent body
#include <fuzz/fuzz.hpp>
#include <fuzz/mirror_state.hpp>

namespace fuzz_delta_body {

using namespace mobula;

namespace {

constexpr std::size_t steps_max = 100;

struct Parts {
  explicit Parts(fuzz::Input& bytes) : input(bytes) {}

  void begin(std::uint32_t size_of_body) {
    const core::ByteView content = input.bytes(input.word());
    size = size_of_body != 0 ? size_of_body : static_cast<std::uint32_t>(content.size());
    offset = 0;
    add({.number = ++number, .offset = 0, .size = size, .bytes = {content.begin(), content.end()}});
  }
  void go_on() {
    const core::ByteView content = input.bytes(input.word());
    add({.number = number, .offset = offset, .size = size, .bytes = {content.begin(), content.end()}});
  }
  void any() {
    wire::DeltaBody part;
    part.number = input.word();
    part.offset = input.word();
    part.size = input.word();
    const core::ByteView content = input.bytes(input.word());
    part.bytes.assign(content.begin(), content.end());
    add(std::move(part));
  }
  // Adds a part if a client would decode it.
  void add(wire::DeltaBody part) {
    const core::Result<wire::Message> decoded = wire::decode_message(wire::encode(part));
    if (!decoded) return;
    const auto count = static_cast<std::uint32_t>(part.bytes.size());
    if (mirror->add_body(std::move(part)).ok()) offset += count;
  }
  void announce() {
    const wire::DeltaHeader header{.sequence = ++sequence,
                                   .tick = mirror->tick() + 1,
                                   .ack = test::mirror_state().world.ack(),
                                   .lost_continue = true,
                                   .body = std::max(1u, number - std::min<std::uint32_t>(number, input.byte() % 12))};
    core::Bytes delta(wire::header_size(header));
    wire::write_header(header, delta);
    const std::uint64_t hash = mirror->hash();
    const ecs::Tick tick = mirror->tick();
    const bool applied = test::apply_delta(*mirror, delta).ok();
    mirror->check();
    fuzz::require(applied || (mirror->hash() == hash && mirror->tick() == tick), "a refused delta changes nothing");
  }

  fuzz::Input& input;
  std::unique_ptr<client::Mirror> mirror = test::mirror_state().world.twin();
  std::uint32_t number = 0;
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
  std::uint32_t sequence = 1u << 20;
};

int run_target(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(fuzz::view(data, size));
  Parts parts(input);
  for (std::size_t steps = 0; steps < steps_max && !input.empty(); ++steps) {
    switch (input.byte() % 5) {
      case 0: parts.begin(0); break;
      case 1: parts.begin(input.word()); break;
      case 2: parts.go_on(); break;
      case 3: parts.any(); break;
      default: parts.announce();
    }
  }
  return 0;
}

const mobula::fuzz::Target target("delta_body", run_target);

}  // namespace
}  // namespace fuzz_delta_body
