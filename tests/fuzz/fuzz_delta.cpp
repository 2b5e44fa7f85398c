// Any bytes as a delta, to a mirror that has always lived through the same: refused it has changed nothing, and what is
// let through leaves all in order.
#include <fuzz/fuzz.hpp>
#include <fuzz/mirror_state.hpp>

using namespace mobula;

namespace {

std::unique_ptr<client::Mirror> make_mirror() { return test::mirror_state().told.twin(); }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static std::unique_ptr<client::Mirror> mirror = make_mirror();
  const std::uint64_t hash = mirror->hash();
  const ecs::Tick tick = mirror->tick();
  const bool applied = test::apply_delta(*mirror, fuzz::view(data, size)).ok();
  mirror->check();
  if (applied) {
    mirror->acknowledged(test::mirror_state().told.ack() + 1);
    mirror->check();
    mirror = make_mirror();
  }
  fuzz::require(mirror->hash() == hash && mirror->tick() == tick, "what is refused changes nothing");
  return 0;
}
