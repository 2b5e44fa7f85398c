// Arbitrary bytes as a delta to a mirror in a fixed state: a refused delta changes nothing, an applied one leaves the
// mirror consistent. An accepted header is written as the same bytes.
#include <algorithm>
#include <fuzz/fuzz.hpp>
#include <fuzz/mirror_state.hpp>

namespace fuzz_delta {

using namespace mobula;

namespace {

std::unique_ptr<client::Mirror> make_mirror() { return test::mirror_state().world.twin(); }

void check_header(core::ByteView delta) {
  const core::Result<wire::DeltaHeader> header = wire::read_delta_header(delta);
  if (!header) return;
  core::Bytes again(wire::header_size(*header));
  wire::write_header(*header, again);
  fuzz::require(again.size() <= delta.size() && std::ranges::equal(again, delta.first(again.size())),
                "a header is written as it was read");
}

int run_target(const std::uint8_t* data, std::size_t size) {
  static std::unique_ptr<client::Mirror> mirror = make_mirror();
  check_header(fuzz::view(data, size));
  const std::uint64_t hash = mirror->hash();
  const ecs::Tick tick = mirror->tick();
  const bool applied = test::apply_delta(*mirror, fuzz::view(data, size)).ok();
  mirror->check();
  if (applied) {
    mirror->acknowledged(test::mirror_state().world.ack() + 1);
    mirror->check();
    mirror = make_mirror();
  }
  fuzz::require(mirror->hash() == hash && mirror->tick() == tick, "a refused delta changes nothing");
  return 0;
}

const mobula::fuzz::Target target("delta", run_target);

}  // namespace
}  // namespace fuzz_delta
