// Any bytes as a delta, against a mirror that always has the same 40 entities. What is let through can be applied.
#include <fuzz/fuzz.hpp>
#include <fuzz/mirror_state.hpp>
#include <memory>

using namespace mobula;
using wire::test::World;

namespace {

std::unique_ptr<World> make_mirror() {
  const wire::test::MirrorState& state = wire::test::mirror_state();
  auto mirror = std::make_unique<World>(ecs::Recycling::given);
  mirror->announce(*state.server);
  wire::DecodedDelta decoded;
  fuzz::require(wire::decode_delta(state.everything, mirror->context(), decoded).ok(), "the state's own delta is fine");
  mirror->apply(decoded);
  return mirror;
}

void require_in_bounds(const wire::DecodedDelta& decoded, const World& mirror) {
  for (const wire::DecodedDelta::Entry& entry : decoded.entries) {
    fuzz::require(entry.entity.index < World::index_limit, "indices are below the limit");
    for (const wire::DecodedDelta::Part& part : decoded.parts_of(entry)) {
      fuzz::require(part.bit + part.bits <= decoded.body.size() * 8, "rows lie in the body");
      fuzz::require(part.value + mirror.registry.pool(part.pool).type().size <= decoded.values.size(),
                    "values lie in the buffer");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::unique_ptr<World> fixed = make_mirror();
  static wire::DecodedDelta decoded;
  if (!wire::decode_delta(fuzz::view(data, size), fixed->context(), decoded)) return 0;
  require_in_bounds(decoded, *fixed);
  const std::unique_ptr<World> mirror = make_mirror();
  mirror->apply(decoded);
  mirror->check();
  return 0;
}
